/* Four threads on files of their own, then many threads one after another, then threads on one file. */
#include "program.h"
#include <limits.h>
#include <pthread.h>

enum { THREADS = 4, WRITES = 20000, SHORT = 300 };

static int shared;

static void *own_file(void *number)
{
    char name[32];
    long good = 0;

    snprintf(name, sizeof name, "thread-%ld", (long)number);
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 0; i < WRITES; i++) {
        errno = SENTINEL;
        good += write(fd, name, 8) == 8 && errno == SENTINEL;
    }
    close(fd);
    return (void *)good;
}

static void *one_write(void *number)
{
    return (void *)(long)pwrite(shared, "x", 1, (long)number);
}

static void *many_writes(void *number)
{
    for (long i = 0; i < 1000; i++)
        pwrite(shared, "0123456789", 10, (i * THREADS + (long)number) * 10);
    return NULL;
}

static long together(void *(*body)(void *))
{
    pthread_t threads[THREADS];
    void *result;
    long sum = 0;

    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, body, (void *)i);
    for (int i = 0; i < THREADS; i++)
        if (pthread_join(threads[i], &result) == 0)
            sum += (long)result;
    return sum;
}

static long one_after_another(void)
{
    pthread_t thread;
    void *result;
    long sum = 0;

    for (long i = 0; i < SHORT; i++)
        if (pthread_create(&thread, NULL, one_write, (void *)i) == 0 && pthread_join(thread, &result) == 0)
            sum += (long)result;
    return sum;
}

/* The smallest stack that a thread may have is enough. */
static long on_small_stacks(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    void *result = NULL;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
    if (pthread_create(&thread, &attributes, own_file, (void *)9) == 0)
        pthread_join(thread, &result);
    return (long)result;
}

int main(void)
{
    say("own files: %ld\n", together(own_file));
    shared = open("shared", O_CREAT | O_RDWR | O_TRUNC, 0600);
    say("one after another: %ld\n", one_after_another());
    together(many_writes);
    say("together: %ld\n", size_of("shared"));
    say("small stack: %ld\n", on_small_stacks());
    tell();
    return 0;
}
