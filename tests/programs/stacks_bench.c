/* Prints how long a call takes that is always made from the same stack, and one whose stack is new, in ns. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int file;

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1e9 + at.tv_nsec;
}

#define WRITE(n) case n: count += pwrite(file, "1234567", 8, 0); break;

/* From eight lines, so many functions below another. */
__attribute__((noinline)) static long from(int depth, int line, long calls)
{
    long count = 0;
    if (depth) {
        count = from(depth - 1, line, calls);
        /* No loop is made of it. */
        __asm__ volatile("" : "+r"(count));
    } else
        for (long n = 0; n < calls; n++)
            switch (line) {
            WRITE(0) WRITE(1) WRITE(2) WRITE(3)
            WRITE(4) WRITE(5) WRITE(6) WRITE(7)
            }
    return count;
}

int main(int count, char **words)
{
    enum { DEPTHS = 40, LINES = 8 };
    long calls = count > 1 ? atol(words[1]) : 0;
    file = open("file", O_WRONLY | O_CREAT, 0600);
    double start = now();
    for (int depth = 0; depth < DEPTHS; depth++)
        for (int line = 0; line < LINES; line++)
            from(depth, line, 1);
    double fresh = now() - start;
    start = now();
    from(10, 0, calls);
    printf("%.1f %.1f\n", (now() - start) / calls, fresh / (DEPTHS * LINES));
    return 0;
}
