/* Threads cancelled inside a read, and at any moment of a loop of writes, often enough to hit the tracer at work: cleanup
   handlers run, and the process goes on. */
#include "program.h"
#include <pthread.h>

static int ends[2];
static volatile int cleaned;

static void clean(void *nothing)
{
    cleaned = cleaned + (nothing == NULL);
}

static void *blocked(void *nothing)
{
    char byte;

    pthread_cleanup_push(clean, NULL);
    read(ends[0], &byte, 1);
    pthread_cleanup_pop(0);
    return nothing;
}

static void *asynchronous(void *name)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0600);

    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        pwrite(fd, "x", 1, 0);
    return NULL;
}

static int cancelled(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    void *result = NULL;

    pthread_create(&thread, NULL, body, argument);
    usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
}

int main(void)
{
    int blocked_ones = 0, asynchronous_ones = 0;
    char byte;

    pipe(ends);
    for (int i = 0; i < 20; i++)
        blocked_ones += cancelled(blocked, NULL);
    for (int i = 0; i < 150; i++)
        asynchronous_ones += cancelled(asynchronous, "cancelled");
    say("%d %d, cleaned %d\n", blocked_ones, asynchronous_ones, cleaned);
    SAW(write(ends[1], "y", 1));
    SAW(read(ends[0], &byte, 1));
    tell();
    return 0;
}
