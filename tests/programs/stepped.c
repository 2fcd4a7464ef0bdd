/* A signal at every instruction: the parent steps the child through calls one instruction at a time, and sends it a signal
   after each of them, whose handler makes calls of its own. Each open says in its mode which path it was given.
     stepped CALLS STEPS: calls in a handler, instructions after which a signal comes
     stepped CALLS STEPS later: the same, when the thread has made each kind of call before
     stepped CALLS STEPS jump: the handler does not return, and the call that it interrupts is left for good */
#include "program.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>

extern char handled[], stepped[];

static int fd, calls, jumps, later;
static volatile unsigned made, returned;
static sigjmp_buf away;

/* Handlers count as well. */
static unsigned count(volatile unsigned *number)
{
    return __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

/* Of a path that is nowhere, and whose number the mode tells. */
static void open_new(void)
{
    char path[] = "none/00000000";
    unsigned n = count(&made);

    /* Few instructions, so that most signals come while the tracer runs. */
    for (unsigned rest = n, at = sizeof path - 2; rest; rest >>= 4)
        path[at--] = "0123456789abcdef"[rest & 15];
    open(path, O_CREAT | O_RDONLY, n);
}

static void call(int which)
{
    switch (which) {
    case 0:
        pwrite(fd, "x", 1, 0);
        count(&made);
        break;
    case 1:
        open_new();
        break;
    case 2:
        rename("none/a", "none/b");
        count(&made);
        break;
    case 3:
        write(fd, "y", 1);
        count(&made);
        break;
    default:
        close(open("/dev/null", O_RDONLY));
        count(&made), count(&made);
    }
}

static void handler(int signal)
{
    static unsigned turn;
    int before = errno;

    for (int i = 0; i < calls && signal; i++)
        call(turn++ % 5);
    errno = before;
    if (jumps) {
        __atomic_fetch_add(&returned, (unsigned)calls, __ATOMIC_RELAXED);
        siglongjmp(away, 1);
    }
    __asm__ volatile(".globl handled\nhandled: int3" ::: "memory");
}

/* Each round makes calls deeper in the stack than the one that was left before. */
static void deeper(int depth)
{
    volatile char room[512];

    room[depth] = 1;
    if (depth > 0)
        return deeper(depth - 1);
    for (int i = 0; i < 40; i++) {
        pwrite(fd, "z", 1, i);
        count(&returned);
    }
}

static void rounds(void)
{
    static volatile int round;

    for (round = 0; round < jumps; round = round + 1) {
        if (sigsetjmp(away, 1) == 0) {
            __asm__ volatile("int3" ::: "memory");
            call(round % 3);
            count(&returned);
        }
        deeper(3);
    }
}

static void child(void)
{
    struct sigaction action = {.sa_handler = handler};

    fd = open("file", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    made = returned = 1;
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; later && i < 5; i++)
        call(i);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    __asm__ volatile("int3" ::: "memory");
    if (jumps)
        rounds();
    else
        for (int i = 0; i < 1500; i++)
            call(i % 5);
    __asm__ volatile(".globl stepped\nstepped: int3" ::: "memory");
    say("made %u\n", jumps ? returned : made);
    tell();
}

static unsigned long where(pid_t pid)
{
    struct user_regs_struct registers;

    ptrace(PTRACE_GETREGS, pid, 0, &registers);
    return registers.rip;
}

/* Goes on to the next stop; the signal that it stopped for, 0 when it has ended. */
static int next(pid_t pid, int request, int signal)
{
    int status;

    ptrace(request, pid, 0, (long)signal);
    if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
        return 0;
    return WSTOPSIG(status);
}

/* The handler to its end, and back to where the signal came. */
static void through_handler(pid_t pid, unsigned long back)
{
    while (where(pid) != (unsigned long)handled + 1)
        if (next(pid, PTRACE_CONT, 0) == 0)
            return;
    while (where(pid) != back)
        if (next(pid, PTRACE_SINGLESTEP, 0) == 0)
            return;
}

static long step_through(pid_t pid, long steps)
{
    long sent = 0, wait = 0;
    int signal = 0;

    for (;;) {
        unsigned long here = where(pid);
        int is_due = signal == 0 && !wait && sent < steps;

        if (here == (unsigned long)stepped + 1)
            return sent;
        if (is_due)
            signal = SIGUSR1, sent++, wait = 1;
        int stop = next(pid, sent < steps || wait ? PTRACE_SINGLESTEP : PTRACE_CONT, signal);
        if (stop == 0)
            return -1;
        signal = stop == SIGUSR1 ? SIGUSR1 : 0;
        if (where(pid) == (unsigned long)handler) {
            through_handler(pid, here);
            wait = 0;
            /* One instruction of the program's before the next signal. */
            if (where(pid) != (unsigned long)stepped + 1 && next(pid, PTRACE_SINGLESTEP, 0) == 0)
                return -1;
        }
    }
}

/* A signal after ever more instructions of a round's call, every other one. */
static long jump_through(pid_t pid)
{
    if (next(pid, PTRACE_CONT, 0) != SIGTRAP)
        return -1;
    for (long round = 0;; round++) {
        for (long steps = 0; steps < 2 * round; steps++)
            if (next(pid, PTRACE_SINGLESTEP, 0) == 0)
                return -1;
        int stop = next(pid, PTRACE_CONT, SIGUSR1);
        /* It was blocked for a while. */
        while (stop == SIGUSR1)
            stop = next(pid, PTRACE_CONT, stop);
        if (stop != SIGTRAP)
            return -1;
        if (where(pid) == (unsigned long)stepped + 1)
            return round + 1;
    }
}

int main(int argc, char **argv)
{
    int status;

    calls = argc > 1 ? atoi(argv[1]) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 1000;
    later = argc > 3 && strcmp(argv[3], "later") == 0;
    jumps = argc > 3 && !later ? (int)steps : 0;
    pid_t pid = fork();
    if (pid == 0) {
        child();
        return 0;
    }
    waitpid(pid, &status, 0);
    long sent = jumps ? jump_through(pid) : step_through(pid, steps);
    if (sent < 0)
        kill(pid, SIGKILL);
    ptrace(PTRACE_DETACH, pid, 0, 0);
    waitpid(pid, &status, 0);
    say("sent %ld, ended %d\n", sent, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    tell();
    return 0;
}
