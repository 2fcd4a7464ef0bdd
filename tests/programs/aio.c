/* Asynchronous transfers of POSIX, each waited for: the trace has them under the names of the calls that began them. */
#include "program.h"
#include <aio.h>

static char buffers[4][16];

static struct aiocb *control(int fd, int place, size_t length, long offset)
{
    static struct aiocb controls[4];
    struct aiocb *one = &controls[place];

    memset(one, 0, sizeof *one);
    one->aio_fildes = fd;
    one->aio_buf = buffers[place];
    one->aio_nbytes = length;
    one->aio_offset = offset;
    return one;
}

static long ended(struct aiocb *one)
{
    while (aio_error(one) == EINPROGRESS)
        usleep(100);
    return aio_return(one);
}

/* The line of the report is that of the event. */
#define ENDS(name, offset, one) (say("@%ld ", (long)(offset)), errno = SENTINEL, saw(name "()", ended(one)))

int main(void)
{
    int fd = open("transfers", O_CREAT | O_RDWR | O_TRUNC, 0600);
    struct aiocb *list[3];

    begin();
    memset(buffers, 'a', sizeof buffers);
    struct aiocb *one = control(fd, 0, 16, 100);
    say("begun %d\n", aio_write(one));
    ENDS("aio_write", 100, one);
    one = control(fd, 1, 10, 110);
    say("begun %d\n", aio_read(one));
    ENDS("aio_read", 110, one);
    show("read", buffers[1], 10);
    one = control(fd, 0, 0, 0);
    say("begun %d\n", aio_fsync(O_SYNC, one));
    ENDS("aio_fsync", 0, one);
    for (int i = 0; i < 3; i++) {
        list[i] = control(fd, i, 8, 8 * i);
        list[i]->aio_lio_opcode = i == 2 ? LIO_READ : LIO_WRITE;
    }
    SAW(lio_listio(LIO_WAIT, list, 3, NULL));
    ENDS("aio_write", 0, list[0]);
    ENDS("aio_write", 8, list[1]);
    ENDS("aio_read", 16, list[2]);
    one = control(-1, 3, 8, 8);
    say("begun %d\n", aio_read(one) == 0);
    ENDS("aio_read", 8, one);
    one = control(fd, 3, 8, -1);
    say("begun %d\n", aio_write(one) == 0);
    SAW(aio_suspend((const struct aiocb *const *)&one, 1, NULL));
    ENDS("aio_write", -1, one);
    end();
    return 0;
}
