/* Many threads at once, all alive until the last has written; then as many again, so that what the first left is reused. */
#include "program.h"
#include <pthread.h>

enum { THREADS = 500, WRITES = 20 };
static pthread_barrier_t all_here;
static int fd;

static void *writes(void *number)
{
    long good = 0;

    pthread_barrier_wait(&all_here);
    for (int i = 0; i < WRITES; i++)
        good += pwrite(fd, "x", 1, (long)number * WRITES + i) == 1;
    pthread_barrier_wait(&all_here);
    return (void *)good;
}

static long round_of_threads(void)
{
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    void *result;
    long good = 0;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all_here, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &small, writes, (void *)i) != 0)
            _exit(3);
    for (int i = 0; i < THREADS; i++)
        if (pthread_join(threads[i], &result) == 0)
            good += (long)result;
    return good;
}

int main(void)
{
    fd = open("shared", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    say("good %ld\n", round_of_threads());
    say("good %ld, size %ld\n", round_of_threads(), size_of("shared"));
    tell();
    return 0;
}
