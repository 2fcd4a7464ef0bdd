/* Threads open paths that nobody opened before while a timer's handler does the same. Each open says in its mode which path
   it was given.
     storm_of_names OPENS: opens of a thread
     storm_of_names OPENS left: handlers may not return, and children are forked meanwhile
     storm_of_names OPENS ended: threads are cancelled, and children are forked meanwhile; not together with the other: a
     handler must not leave the C library where it ends a thread */
#include "program.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static unsigned made;
static int opens, left, ended;
static __thread sigjmp_buf away;
static __thread volatile sig_atomic_t may_leave;

static void open_new(void)
{
    char path[] = "none/00000000";
    unsigned n = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);

    for (unsigned rest = n, at = sizeof path - 2; rest; rest >>= 4)
        path[at--] = "0123456789abcdef"[rest & 15];
    open(path, O_CREAT | O_RDONLY, n);
}

static void handler(int signal)
{
    static unsigned turn;
    int before = errno;

    open_new();
    open_new();
    errno = before;
    if (may_leave && signal && turn++ % 4 == 0) {
        may_leave = 0;
        siglongjmp(away, 1);
    }
}

static void *work(void *unused)
{
    if (ended)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (volatile int i = 0; i < opens; i = i + 1) {
        if (left && sigsetjmp(away, 1) != 0)
            continue;
        may_leave = left;
        open_new();
        may_leave = 0;
    }
    return unused;
}

static void every(long microseconds)
{
    struct timeval time = {.tv_usec = microseconds};
    struct itimerval timer = {time, time};

    setitimer(ITIMER_REAL, &timer, NULL);
}

static void in_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        every(150);
        work(NULL);
        every(0);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};

    opens = argc > 1 ? atoi(argv[1]) : 1000;
    left = argc > 2 && strcmp(argv[2], "left") == 0;
    ended = argc > 2 && strcmp(argv[2], "ended") == 0;
    sigaction(SIGALRM, &action, NULL);
    every(150);
    for (int round = 0; round < 4; round++) {
        pthread_t threads[6];

        for (int i = 0; i < 6; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        if (ended) {
            usleep(2000);
            for (int i = 0; i < 6; i += 2)
                pthread_cancel(threads[i]);
        }
        if (left || ended)
            in_child();
        for (int i = 0; i < 6; i++)
            pthread_join(threads[i], NULL);
    }
    every(0);
    say("made %u\n", made);
    tell();
    return 0;
}
