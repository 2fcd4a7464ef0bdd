/* Calls that take a known time, at known times: a read that waits 200 ms for a byte, and 300 ms between two writes. */
#include "program.h"
#include <pthread.h>
#include <time.h>

static int ends[2];

static void *late(void *nothing)
{
    usleep(200000);
    write(ends[1], "x", 1);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    char byte;
    struct timespec before;

    pipe(ends);
    clock_gettime(CLOCK_REALTIME, &before);
    int fd = open("slow", O_CREAT | O_WRONLY, 0600);
    write(fd, "1", 1);
    usleep(300000);
    write(fd, "2", 1);
    pthread_create(&thread, NULL, late, NULL);
    read(ends[0], &byte, 1);
    pthread_join(thread, NULL);
    say("%ld\n", before.tv_sec * 1000000000L + before.tv_nsec);
    tell();
    return 0;
}
