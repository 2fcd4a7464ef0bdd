/* Children of clone(2): some run in their parent's memory, with its thread's state, beside it. */
#include "program.h"
#include <sched.h>
#include <signal.h>

enum { WRITES = 5000, STACK = 1 << 16 };

static char stacks[4][STACK] __attribute__((aligned(16)));

/* Opens, moves and closes by itself, in a folder of its own. */
static int busy(void *unused)
{
    (void)unused;
    mkdir("elsewhere", 0700);
    chdir("elsewhere");
    int fd = open("by-child", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 0; i < WRITES; i++)
        write(fd, "child", 5);
    close(fd);
    close(0);
    close(100);
    return 7;
}

static int executes(void *unused)
{
    (void)unused;
    chdir("/");
    close(100);
    execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
    return 9;
}

static int writes_and_ends(void *name)
{
    int fd = open(name, O_CREAT | O_WRONLY, 0600);

    write(fd, "its own memory", 14);
    _exit(close(fd));
}

static void wait_for(pid_t child)
{
    int status = -1;

    say("waited %d, ", waitpid(child, &status, __WALL) == child);
    say("status %d\n", status);
}

int main(void)
{
    int fd = open("by-parent", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    int kept = open("kept", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pid_t told = 0;

    dup2(kept, 100);
    pid_t child = clone(busy, stacks[0] + STACK, CLONE_VM | CLONE_PARENT_SETTID | SIGCHLD, NULL, &told);
    for (int i = 0; i < WRITES; i++)
        write(fd, "parent", 6);
    say("told %d\n", told == child);
    wait_for(child);
    say("sizes %ld %ld\n", size_of("by-parent"), size_of("elsewhere/by-child"));
    wait_for(clone(executes, stacks[1] + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
    wait_for(clone(writes_and_ends, stacks[2] + STACK, SIGCHLD, "by-clone"));
    long forked = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (forked == 0)
        writes_and_ends("by-number");
    wait_for((pid_t)forked);
    say("kept %zd\n", write(100, "still open", 10));
    int last = open("last", O_CREAT | O_WRONLY, 0600);
    say("last %zd\n", write(last, "x", 1));
    errno = 0;
    say("refused %d %d\n", clone(busy, NULL, CLONE_VM, NULL), errno);
    tell();
    return 0;
}
