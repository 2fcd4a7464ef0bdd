/* Transfers of libaio: each line "NAME OFFSET LENGTH RESULT" is what the trace shall have of one that ended. */
#include "program.h"
#include <libaio.h>

enum { MANY = 40 };

static char buffers[MANY][64];
static struct iocb controls[MANY];

static const char *name_of(const struct iocb *one)
{
    switch (one->aio_lio_opcode) {
    case IO_CMD_PREAD: return "io_prep_pread";
    case IO_CMD_PWRITE: return "io_prep_pwrite";
    case IO_CMD_PREADV: return "io_prep_preadv";
    case IO_CMD_PWRITEV: return "io_prep_pwritev";
    case IO_CMD_FSYNC: return "io_prep_fsync";
    default: return "io_prep_fdsync";
    }
}

static long length_of(const struct iocb *one)
{
    int is_vector = one->aio_lio_opcode == IO_CMD_PREADV || one->aio_lio_opcode == IO_CMD_PWRITEV;
    const struct iovec *vector = (const struct iovec *)one->u.c.buf;
    long length = 0;

    if (!is_vector)
        return (long)one->u.c.nbytes;
    for (unsigned long i = 0; i < one->u.c.nbytes; i++)
        length += (long)vector[i].iov_len;
    return length;
}

/* Submits as many as begin here and tells how each ended, in the order of their places. */
static void run(io_context_t context, int count)
{
    struct iocb *list[MANY];
    struct io_event events[MANY];
    long results[MANY];

    for (int i = 0; i < count; i++)
        list[i] = &controls[i];
    int submitted = io_submit(context, count, list);
    say("submitted %d\n", submitted);
    if (submitted <= 0)
        return;
    int got = io_getevents(context, submitted, submitted, events, NULL);
    for (int i = 0; i < got; i++)
        results[events[i].obj - controls] = (long)events[i].res;
    for (int i = 0; i < got; i++) {
        int is_sync = controls[i].aio_lio_opcode == IO_CMD_FSYNC || controls[i].aio_lio_opcode == IO_CMD_FDSYNC;
        long long offset = is_sync ? -1 : controls[i].u.c.offset;
        if (controls[i].aio_rw_flags & RWF_APPEND)
            offset = kernel(SYS_lseek, controls[i].aio_fildes, 0, SEEK_END, 0) - results[i];
        say("= %s %lld %ld %ld\n", name_of(&controls[i]), offset, length_of(&controls[i]),
            results[i] < 0 ? -1 : results[i]);
    }
}

int main(void)
{
    io_context_t context = 0;
    struct iovec vector[2] = {{buffers[0], 10}, {buffers[1], 20}};
    int fd = open("transfers", O_CREAT | O_RDWR | O_TRUNC, 0600);
    int unreadable = open("transfers", O_WRONLY);

    say("setup %d\n", io_setup(MANY, &context));
    memset(buffers, 'a', sizeof buffers);
    for (int i = 0; i < MANY; i++)
        io_prep_pwrite(&controls[i], fd, buffers[i], 64, 64L * i);
    run(context, MANY);
    io_prep_preadv(&controls[0], fd, vector, 2, 100);
    io_prep_pwritev(&controls[1], fd, vector, 2, 4096);
    io_prep_pread(&controls[2], fd, buffers[2], 64, 1L << 40);
    run(context, 3);
    io_prep_pwrite(&controls[0], fd, buffers[0], 64, 0);
    controls[0].aio_rw_flags = RWF_APPEND;
    run(context, 1);
    io_prep_fdsync(&controls[0], fd);
    io_prep_fsync(&controls[1], fd);
    run(context, 2);
    /* The second is refused at once: the first alone is under way. */
    io_prep_pread(&controls[0], fd, buffers[0], 64, 0);
    io_prep_pread(&controls[1], unreadable, buffers[1], 64, 0);
    run(context, 2);
    io_prep_pread(&controls[0], -1, buffers[0], 64, 0);
    run(context, 1);
    struct iocb *nowhere = (struct iocb *)8, **no_list = (struct iocb **)8;
    say("bad pointers %d %d\n", io_submit(context, 1, &nowhere), io_submit(context, 1, no_list));
    say("destroyed %d\n", io_destroy(context));
    say("again %d\n", io_destroy(context));
    tell();
    return 0;
}
