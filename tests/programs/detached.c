/* Threads that still write when main returns: whatever was counted before must be in the trace. */
#include "program.h"
#include <pthread.h>
#include <stdatomic.h>

static atomic_long writes, opened;

static void *forever(void *number)
{
    char name[32];

    snprintf(name, sizeof name, "forever-%ld", (long)number);
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    atomic_fetch_add(&opened, 1);
    for (;;) {
        pwrite(fd, "x", 1, 0);
        atomic_fetch_add(&writes, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;

    for (long i = 0; i < 3; i++)
        pthread_create(&thread, NULL, forever, (void *)i);
    while (atomic_load(&opened) < 3 || atomic_load(&writes) < 30000)
        usleep(100);
    say("at least 30000\n");
    tell();
    return 0;
}
