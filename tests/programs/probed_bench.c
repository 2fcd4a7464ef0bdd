/* probed_bench CALLS: CPU time of a call of an empty function of a library, in ns. */
#include "probed.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1;
    double began = now();

    for (long i = 0; i < calls; i++)
        p_nothing();
    printf("%.2f\n", (now() - began) / (double)calls);
    return 0;
}
