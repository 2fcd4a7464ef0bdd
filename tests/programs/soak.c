/* soak calls|files|threads COUNT: so many calls, distinct files, or threads one after another. Prints the most memory
   that the process had, in KiB. */
#include "program.h"
#include <pthread.h>

static long good;

static void calls(long count)
{
    int fd = open("calls", O_CREAT | O_RDWR | O_TRUNC, 0600);

    for (long i = 0; i < count; i++)
        good += pwrite(fd, "12345678", (size_t)(i % 7 + 1), i % 4096) > 0;
    close(fd);
}

/* In a thousand folders, by names of the length that simulations give theirs. */
static void files(long count)
{
    char name[64];

    for (long i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "output-of-step-%03ld", i);
        mkdir(name, 0700);
    }
    for (long i = 0; i < count; i++) {
        snprintf(name, sizeof name, "output-of-step-%03ld/density-%07ld.h5", i % 1000, i);
        int fd = open(name, O_CREAT | O_WRONLY, 0600);
        good += write(fd, "x", 1) == 1;
        close(fd);
        unlink(name);
    }
}

static void *writes(void *number)
{
    int fd = open("threads", O_CREAT | O_WRONLY, 0600);
    long ret = pwrite(fd, "x", 1, (long)number);

    close(fd);
    return (void *)ret;
}

static void threads(long count)
{
    for (long i = 0; i < count; i++) {
        pthread_t thread;
        void *ret = NULL;
        if (pthread_create(&thread, NULL, writes, (void *)i) != 0)
            _exit(3);
        pthread_join(thread, &ret);
        good += (long)ret;
    }
}

/* Of this program alone: getrusage counts what the process was before exec. */
static long most_memory(void)
{
    static char status[4096];
    long fd = kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/status", O_RDONLY, 0);

    kernel(SYS_read, fd, (long)status, sizeof status - 1, 0);
    kernel(SYS_close, fd, 0, 0, 0);
    const char *line = strstr(status, "VmHWM:");
    return line ? atol(line + 6) : -1;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "calls";
    long count = argc > 2 ? atol(argv[2]) : 1000;

    (strcmp(what, "files") == 0 ? files : strcmp(what, "threads") == 0 ? threads : calls)(count);
    say("good %ld memory %ld\n", good, most_memory());
    tell();
    return 0;
}
