/* I/O from a signal handler that interrupts I/O, on a stack of its own, and out of it by longjmp. */
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t handled;
static int other;
static sigjmp_buf away;

static void write_one(int signal)
{
    int before = errno;

    write(other, "h", 1);
    handled += signal != 0;
    errno = before;
}

static void leave(int signal)
{
    siglongjmp(away, signal);
}

static void own_stack(void)
{
    static char memory[64 << 10];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};

    sigaltstack(&stack, NULL);
}

static void handle(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(signal, &action, NULL);
}

/* A timer fires in the middle of many writes. */
static void interrupt(int fd)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    long wrong = 0, writes = 0;

    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 200 && writes < 4000000) {
        errno = SENTINEL;
        wrong += write(fd, "m", 1) != 1 || errno != SENTINEL;
        writes++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    say("wrong %ld, handled enough %d\n", wrong, handled >= 200);
    say("all there: %d %d\n", size_of("main") == writes, size_of("handler") == handled);
}

/* A read that never returns is left from the handler, again and again. */
static void jump(void)
{
    int ends[2];
    char byte;
    static volatile int jumps;
    struct itimerval soon = {{0, 0}, {0, 2000}};

    pipe(ends);
    if (sigsetjmp(away, 1))
        jumps = jumps + 1;
    if (jumps < 20) {
        setitimer(ITIMER_REAL, &soon, NULL);
        read(ends[0], &byte, 1);
    }
    say("jumped %d\n", jumps);
    SAW(write(ends[1], "x", 1));
    SAW(read(ends[0], &byte, 1));
}

/* A read that a signal interrupts says so. */
static void interrupted_read(void)
{
    int ends[2];
    char byte;
    struct itimerval soon = {{0, 0}, {0, 2000}};

    pipe(ends);
    handle(SIGALRM, write_one, 0);
    setitimer(ITIMER_REAL, &soon, NULL);
    SAW(read(ends[0], &byte, 1));
}

int main(void)
{
    int fd = open("main", O_CREAT | O_TRUNC | O_WRONLY, 0600);

    other = open("handler", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    own_stack();
    handle(SIGALRM, write_one, SA_RESTART | SA_ONSTACK);
    interrupt(fd);
    handle(SIGALRM, leave, 0);
    jump();
    interrupted_read();
    unlink("main");
    unlink("handler");
    tell();
    return 0;
}
