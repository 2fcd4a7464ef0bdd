/* Reads and writes by system calls of its own, as the runtime of Go does; or all that libc has, and nothing else.
   direct writes|reads|threads|parent|exit|libc */
#include "program.h"

#include <pthread.h>
#include <pwd.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <time.h>
#include <wchar.h>

#define CHECK(holds) ((holds) ? (void)0 : abort())

enum { EACH = 1000, WRITES = 100, READS = 2100 };

static char data[EACH];
static int fd;

static void write_directly(int count)
{
    for (int i = 0; i < count; i++)
        kernel(SYS_write, fd, (long)data, EACH, 0);
}

static void *writer(void *unused)
{
    CHECK(write(fd, data, 1) == 1);
    write_directly(WRITES / 4);
    return unused;
}

static void in_threads(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, writer, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* What the child wrote is its own, though the kernel counts it as its parent's as well, once that has waited. */
static void after_a_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < 300; i++)
            CHECK(write(fd, data, EACH) == EACH);
        exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
    write_directly(WRITES);
}

static void by_libc(void)
{
    FILE *stream = fopen("stream", "w+");
    int copy = open("copy", O_CREAT | O_RDWR, 0600), event = eventfd(0, 0), ends[2];
    eventfd_t count;

    for (int i = 0; i < 20000; i++) {
        putc_unlocked('x', stream);
        fprintf(stream, "%d\n", i);
        fputs("text", stream);
    }
    CHECK(fseek(stream, 100, SEEK_SET) == 0 && fgetc(stream) != EOF);
    fclose(stream);
    CHECK(pipe(ends) == 0);
    stream = fdopen(ends[1], "w");
    setvbuf(stream, NULL, _IONBF, 0);
    for (int i = 0; i < 5000; i++)
        fputwc(L'\u00e4', stream);
    for (int i = 0; i < 2000; i++)
        CHECK(eventfd_write(event, 1) == 0 && eventfd_read(event, &count) == 0);
    for (int i = 0; i < WRITES; i++)
        CHECK(write(fd, data, EACH) == EACH && dprintf(fd, "%d\n", i) > 0);
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    CHECK(sendfile(copy, fd, NULL, 50000) == 50000);
    CHECK(posix_fallocate(copy, 0, 1 << 20) == 0);
    fclose(stream);
    close(ends[0]);
    fputs("a message of direct.c\n", stderr);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "writes";

    fd = open("data", O_CREAT | O_RDWR | O_TRUNC, 0600);
    if (!strcmp(what, "writes"))
        write_directly(WRITES);
    if (!strcmp(what, "reads")) {
        CHECK(write(fd, data, EACH) == EACH);
        for (int i = 0; i < READS; i++)
            kernel(SYS_pread64, fd, (long)data, EACH, 0);
    }
    if (!strcmp(what, "threads"))
        in_threads();
    if (!strcmp(what, "parent"))
        after_a_child();
    if (!strcmp(what, "exit"))
        kernel(SYS_exit_group, 0, 0, 0, 0);
    if (!strcmp(what, "libc"))
        by_libc();
    return 0;
}
