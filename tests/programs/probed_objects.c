/* Threads that load libraries with probe objects of their own at the same time. With PLUGIN, such a library. */
#include "probed.h"

#ifdef PLUGIN
long run(void)
{
    return p_ints(1, 2, 3, 4, 5, 6, 7, 8, 9);
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 16, CALLS = 100 };
static pthread_barrier_t all_here;

static void *load(void *number)
{
    char path[32];
    long sum = 0;

    sprintf(path, "./p%ld.so", (long)number);
    pthread_barrier_wait(&all_here);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    long (*run)(void) = library ? (long (*)(void))dlsym(library, "run") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    for (int i = 0; i < CALLS; i++)
        sum += run() == 285;
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;

    pthread_barrier_init(&all_here, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, load, (void *)i);
    for (int i = 0; i < THREADS; i++) {
        void *one;
        pthread_join(threads[i], &one);
        sum += (long)one;
    }
    printf("%ld\n", sum);
    return 0;
}
#endif
