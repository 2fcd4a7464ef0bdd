/* So many pwrites of 8 bytes: prints how many us of elapsed time one took. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1000;
    int fd = open("written", O_CREAT | O_RDWR, 0600);
    double start = now();

    for (long i = 0; i < calls; i++)
        if (pwrite(fd, "12345678", 8, i * 8) != 8)
            return 1;
    printf("%.3f\n", (now() - start) / (double)calls);
    return 0;
}
