/* bench OP THREADS CALLS [latency]: CPU time of that many calls in all, spread over threads on files of their own.
   Prints a line of KEY=VALUE pairs: ns (CPU of one call), cpu (CPU of the process up to here), and with `latency` the
   quantiles of the time of a call. Writes past libc, so that nothing but the calls is traced. */
#include "program.h"
#include <pthread.h>
#include <time.h>

enum { SPAN = 1 << 20, PAGE = 4096, THREADS_MOST = 64 };
static char page[PAGE];
static long calls_each;
static long *took;

static long now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Each loop makes `calls_each` calls on its thread's file; `log` takes the times of single calls, if it is there. */
#define LOOP(prepare, call, tidy)                        \
    prepare;                                             \
    if (log)                                             \
        for (long i = 0; i < calls_each; i++) {          \
            long began = now(CLOCK_MONOTONIC);           \
            call;                                        \
            log[i] = now(CLOCK_MONOTONIC) - began;       \
        }                                                \
    else                                                 \
        for (long i = 0; i < calls_each; i++)            \
            call;                                        \
    tidy

static int open_it(const char *name)
{
    int fd = open(name, O_RDWR | O_CREAT, 0600);

    if (ftruncate(fd, SPAN) != 0)
        _exit(3);
    return fd;
}

static void pwrite8(const char *name, long *log)
{
    LOOP(int fd = open_it(name), pwrite(fd, page, 8, i * 8 % SPAN), close(fd));
}

static void pread4k(const char *name, long *log)
{
    LOOP(int fd = open_it(name), pread(fd, page, PAGE, i * PAGE % SPAN), close(fd));
}

static void write1(const char *name, long *log)
{
    LOOP(int fd = open_it(name), write(fd, page, 1), close(fd));
}

static void fwrite64(const char *name, long *log)
{
    LOOP(FILE *stream = fopen(name, "w"), fwrite(page, 64, 1, stream), fclose(stream));
}

static void openclose(const char *name, long *log)
{
    LOOP(close(open_it(name)), close(open(name, O_RDONLY)), (void)0);
}

/* What no tracer can do without: the clock, read before a call and after it. */
static unsigned long stamp(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return (unsigned long)now(CLOCK_MONOTONIC);
#endif
}

static void stamps(const char *name UNUSED, long *log)
{
    static volatile unsigned long last;

    LOOP((void)0, (last = stamp(), last = stamp()), (void)0);
}

/* Sizes and places that do not repeat: what a block costs that does not compress. */
static void irregular(const char *name, long *log)
{
    unsigned long place = 1;

    LOOP(int fd = open_it(name),
         (place = place * 6364136223846793005UL + 1442695040888963407UL, pwrite(fd, page, place >> 58, (long)(place >> 40) % SPAN)),
         close(fd));
}

static const struct {
    const char *name;
    void (*run)(const char *name, long *log);
} operations[] = {{"pwrite8", pwrite8},   {"pread4k", pread4k},     {"write1", write1},
                  {"fwrite64", fwrite64}, {"openclose", openclose}, {"irregular", irregular},
                  {"stamps", stamps}};
static void (*operation)(const char *name, long *log);

static void *thread(void *number)
{
    char name[32];

    snprintf(name, sizeof name, "bench-%ld", (long)number);
    operation(name, took ? took + (long)number * calls_each : NULL);
    return NULL;
}

static void run(long threads)
{
    pthread_t others[THREADS_MOST];

    for (long i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, thread, (void *)i);
    thread((void *)0);
    for (long i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
}

static int ascending(const void *a, const void *b)
{
    long left = *(const long *)a, right = *(const long *)b;

    return (left > right) - (left < right);
}

static void quantiles(long calls)
{
    qsort(took, (size_t)calls, sizeof *took, ascending);
    say(" p50=%ld p99=%ld p999=%ld max=%ld", took[calls / 2], took[calls / 100 * 99], took[calls / 1000 * 999], took[calls - 1]);
}

int main(int argc, char **argv)
{
    long threads = argc > 2 ? atol(argv[2]) : 1, calls = argc > 3 ? atol(argv[3]) : 1000;

    for (size_t i = 0; argc > 1 && i < sizeof operations / sizeof *operations; i++)
        if (strcmp(argv[1], operations[i].name) == 0)
            operation = operations[i].run;
    if (!operation || threads < 1 || threads > THREADS_MOST)
        return 2;
    calls_each = 1000;
    run(1);
    calls_each = calls / threads;
    calls = calls_each * threads;
    if (argc > 4 && (took = malloc((size_t)calls * sizeof *took)))
        memset(took, 0, (size_t)calls * sizeof *took);
    long began = now(CLOCK_PROCESS_CPUTIME_ID);
    run(threads);
    say("ns=%.3f", (double)(now(CLOCK_PROCESS_CPUTIME_ID) - began) / (double)calls);
    if (took)
        quantiles(calls);
    say(" cpu=%ld\n", now(CLOCK_PROCESS_CPUTIME_ID));
    tell();
    return 0;
}
