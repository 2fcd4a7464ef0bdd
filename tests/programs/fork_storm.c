/* Forks while other threads are in the middle of I/O: the child has one thread, and whatever the others held. */
#include "program.h"
#include <pthread.h>

enum { THREADS = 3, CHILDREN = 60, WRITES = 50 };
static volatile int stop;

static void *busy(void *number)
{
    char name[32];

    snprintf(name, sizeof name, "busy-%ld", (long)number);
    int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
    while (!stop) {
        FILE *stream = fopen(name, "r");
        pwrite(fd, "x", 1, 0);
        close(dup(fd));
        fclose(stream);
    }
    close(fd);
    return NULL;
}

static void child(int number)
{
    int good = 0, fd = open("children", O_CREAT | O_WRONLY | O_APPEND, 0600);

    for (int i = 0; i < WRITES; i++)
        good += write(fd, "c", 1) == 1;
    if (number % 3 == 0)
        exit(good != WRITES);
    if (number % 3 == 1)
        _exit(good != WRITES);
    execl("/bin/true", "true", (char *)0);
    _exit(9);
}

int main(void)
{
    pthread_t threads[THREADS];
    int failed = 0, status;

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, busy, (void *)i);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t pid = fork();
        if (pid == 0)
            child(i);
        failed += waitpid(pid, &status, 0) != pid || status != 0;
    }
    stop = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    say("failed %d, size %ld\n", failed, size_of("children"));
    tell();
    return 0;
}
