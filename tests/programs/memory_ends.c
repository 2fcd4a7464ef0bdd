/* Memory ends, in the way that is asked for; then many calls, of this thread and of new ones.
     memory_ends as|file|locked|none THREADS [kill]
   Of the threads each waits until memory has ended; the last word lets the process die when all is done. */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { CALLS = 20000, OF_A_THREAD = 100 };

static int fd;
static volatile long made;
static pthread_barrier_t ready, together;

static void calls(int n)
{
    for (int i = 0; i < n; i++)
        pwrite(fd, "xyz", 1 + i % 3, i * 37 % 100000);
    __atomic_fetch_add(&made, n, __ATOMIC_RELAXED);
}

static void *thread(void *unused)
{
    pthread_barrier_wait(&ready);
    calls(OF_A_THREAD);
    pthread_barrier_wait(&together);
    return unused;
}

static void end_memory(const char *how)
{
    struct rlimit all = {1 << 30, 1 << 30}, little = {256 << 10, 256 << 10};

    if (strcmp(how, "as") == 0) {
        setrlimit(RLIMIT_AS, &all);
        for (size_t piece = 1 << 20; piece >= 1 << 12; piece /= 2)
            while (mmap(NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
                ;
    } else if (strcmp(how, "file") == 0) {
        setrlimit(RLIMIT_FSIZE, &little);
    } else if (strcmp(how, "locked") == 0) {
        SAW(mlockall(MCL_CURRENT | MCL_FUTURE) != 0 && 0);
    }
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[2]) : 0;
    static pthread_t ids[10000];
    pthread_attr_t small;

    fd = open("/dev/null", O_WRONLY);
    made = 1;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&together, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&ids[i], &small, thread, NULL) != 0)
            return 3;
    end_memory(argc > 1 ? argv[1] : "none");
    pthread_barrier_wait(&ready);
    calls(CALLS);
    pthread_barrier_wait(&together);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    say("made %ld\n", made);
    tell();
    if (argc > 3)
        kill(getpid(), SIGKILL);
    return 0;
}
