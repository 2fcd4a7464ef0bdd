/* For probed_starts.c: the thread runs in the library's code all the time. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_long rounds;

__attribute__((noinline)) static int st_inner(int a)
{
    __asm__ volatile("");
    return a + 1;
}

static void *run(void *unused)
{
    for (;;)
        rounds += st_inner(0);
    return unused;
}

__attribute__((constructor)) static void start(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    while (rounds == 0)
        ;
}

int st_library(int times)
{
    int sum = 0;

    for (int i = 0; i < times; i++)
        sum += st_inner(i);
    return sum;
}
