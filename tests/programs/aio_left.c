/* Asynchronous transfers that are never collected by aio_return, as argv[1] says. */
#include "program.h"
#include <aio.h>

static char buffer[5000];

static void start(struct aiocb *one, int fd, size_t length)
{
    memset(one, 0, sizeof *one);
    one->aio_fildes = fd;
    one->aio_buf = buffer;
    one->aio_nbytes = length;
}

static void wait_for(const struct aiocb *one)
{
    while (aio_error(one) == EINPROGRESS)
        usleep(100);
}

int main(int argc, char **argv)
{
    static struct aiocb one, other;
    const struct aiocb *list[] = {&one};
    const char *how = argc > 1 ? argv[1] : "polled";
    int fd = open("transfers", O_CREAT | O_RDWR | O_TRUNC, 0600);
    int ends[2];

    start(&one, fd, 5000);
    aio_write(&one);
    if (strcmp(how, "polled") == 0) {
        wait_for(&one);
        wait_for(&one);
        close(fd);
    } else if (strcmp(how, "collected") == 0) {
        wait_for(&one);
        say("%zd\n", aio_return(&one));
    } else if (strcmp(how, "reused") == 0) {
        aio_suspend(list, 1, NULL);
        one.aio_offset = 5000;
        aio_write(&one);
        wait_for(&one);
    } else if (strcmp(how, "exec") == 0) {
        aio_suspend(list, 1, NULL);
        execl("/bin/true", "true", (char *)0);
    } else {
        aio_suspend(list, 1, NULL);
        if (pipe(ends) == 0) {
            start(&other, ends[0], 7);
            aio_read(&other);
        }
        if (strcmp(how, "_exit") == 0)
            _exit(0);
    }
    return 0;
}
