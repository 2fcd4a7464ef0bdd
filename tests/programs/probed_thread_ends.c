/* A thread ends inside a probed call. */
#include "probed.h"
#include <pthread.h>

static void leave(void *unused)
{
    pthread_exit(unused);
}

static void *thread(void *unused)
{
    p_call(leave, unused);
    return unused;
}

int main(void)
{
    pthread_t ends;

    return pthread_create(&ends, NULL, thread, NULL) || pthread_join(ends, NULL);
}
