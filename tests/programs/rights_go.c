/* A little is done, then the right to open files goes, then more is done.
     rights_go user|root|descriptors|umask CALLS [kill]
   With `kill` by threads as well, which come only then, and the end is a kill. */
#include "program.h"
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#define THREADS 3

static int fd;
static long calls_of_each;

static void *writes(void *nothing)
{
    for (long i = 0; i < calls_of_each; i++)
        write(fd, "abcd", 4);
    return nothing;
}

/* How many calls of it a trace holds. */
static long let_go(const char *what)
{
    struct rlimit few = {8, 8};
    long calls = 0;

    if (strcmp(what, "user") == 0) {
        SAW(setgid(65534) || setuid(65534));
    } else if (strcmp(what, "root") == 0) {
        SAW(chroot("empty") || chdir("/"));
        calls = 2;
    } else if (strcmp(what, "descriptors") == 0) {
        setrlimit(RLIMIT_NOFILE, &few);
        for (calls = 1; open("/dev/null", O_WRONLY) >= 0; calls++)
            ;
    } else {
        umask(0777);
    }
    return calls;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    long made = 2;

    if (argc < 3)
        return 2;
    fd = open("/dev/null", O_WRONLY);
    calls_of_each = atol(argv[2]);
    mkdir("empty", 0700);
    made += let_go(argv[1]);
    for (int i = 0; argc > 3 && i < THREADS; i++, made += calls_of_each)
        pthread_create(&threads[i], NULL, writes, NULL);
    for (int i = 0; argc > 3 && i < THREADS; i++)
        pthread_join(threads[i], NULL);
    writes(NULL);
    say("made %ld\n", made + calls_of_each);
    tell();
    if (argc > 3)
        kill(getpid(), SIGKILL);
    return 0;
}
