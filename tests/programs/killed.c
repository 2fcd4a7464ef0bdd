/* killed THREADS MICROSECONDS [kill|segv|abort [LEAST [child]]]: threads write without end, until the process is killed or dies so
   many microseconds later, and not before the first thread has made so many rounds. What had returned stands in the
   shared file `returned`, a number for each thread. Thread T writes its Nth byte at T << 50 | N << 20 | noise, and renames
   a file that is not there at every 64th. With `child` all this is done by a forked child, and its parent ends as usual. */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static volatile unsigned long *returned;
static const char *how = "";
static long moment;
static unsigned long least;

static void *writes(void *number)
{
    unsigned long me = (unsigned long)number, noise = me;
    int fd = open("/dev/null", O_WRONLY);
    char from[40], to[40];

    for (unsigned long n = 0;; n++) {
        noise = noise * 6364136223846793005UL + 1442695040888963407UL;
        pwrite(fd, "", 1, (off_t)(me << 50 | n << 20 | noise >> 44));
        if (n % 64 == 0) {
            snprintf(from, sizeof from, "from-%lu-%lu", me, n);
            snprintf(to, sizeof to, "to-%lu-%lu", me, n);
            rename(from, to);
        }
        returned[me] = n + 1;
    }
    return NULL;
}

static void die(void)
{
    while (returned[0] < least)
        usleep(100);
    usleep((useconds_t)moment);
    if (strcmp(how, "segv") == 0)
        *(volatile char *)NULL = 0;
    if (strcmp(how, "abort") == 0)
        abort();
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 1;
    pthread_t thread;

    moment = argc > 2 ? atol(argv[2]) : 1000;
    how = argc > 3 ? argv[3] : how;
    least = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    /* Two at once share it: cut to nothing, it would end the other one with SIGBUS. */
    int fd = (int)kernel(SYS_openat, AT_FDCWD, (long)"returned", O_CREAT | O_RDWR, 0600);
    kernel(SYS_ftruncate, fd, 4096, 0, 0);
    returned = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (argc > 5) {
        pid_t child = fork();
        int status = 0;
        if (child != 0) {
            waitpid(child, &status, 0);
            return WTERMSIG(status) == SIGKILL ? 0 : 1;
        }
    }
    for (long i = 0; i < threads; i++)
        pthread_create(&thread, NULL, writes, (void *)i);
    die();
    return 0;
}
