// How much stack calls need: each runs in a child, on a stack that is painted before and looked at afterwards.
//
//     stack NAME... prints a line for each: its name, the bytes used, and how the child ended
//
// Link it with -z now: else the dynamic linker takes 3 KiB when a function is called first.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { SIZE = 256 << 10, PAINT = 0xa5 };

static const char *what;
static int null;
static char *stack;
static int *used;
static ucontext_t back, there;

static int is(const char *name) { return !strcmp(what, name); }

static void many(long number) {
    for (int i = 0; i < 5000; i++) {
        syscall(number, null, "x", 1);
    }
}

// On the painted stack.
static void calls(void) {
    if (is("write") || is("first")) {
        // The first call of its process is `first`.
        write(null, "x", 1);
    } else if (is("open")) {
        close(open("/dev/null", O_RDONLY));
    } else if (is("writes")) {
        for (int i = 0; i < 5000; i++) {
            write(null, "x", 1);
        }
    } else if (is("syscalls")) {
        many(SYS_write);
    } else if (is("exit")) {
        exit(0);
    } else if (is("_exit")) {
        _exit(0);
    } else if (is("quick_exit")) {
        quick_exit(0);
    } else if (is("abort")) {
        abort();
    } else if (is("exec")) {
        execl("/bin/true", "true", (char *)0);
    } else if (is("replaced")) {
        execl("/etc", "etc", (char *)0);
        execvp("no such program", (char *[]){"no", NULL});
        write(null, "x", 1);
    } else if (is("fork")) {
        if (fork() == 0) {
            write(null, "x", 1);
        } else {
            wait(NULL);
        }
    } else if (is("spill")) {
        // No two of them are alike, so that blocks are large.
        unsigned long seed = 1;
        for (int i = 0; i < 400000; i++) {
            seed = seed * 6364136223846793005 + 1442695040888963407;
            pwrite(null, "", 0, (off_t)(seed >> 2));
        }
    }
}

static void measure(void) {
    int unused = 0;
    while (unused < SIZE && (unsigned char)stack[unused] == PAINT) {
        unused++;
    }
    if (SIZE - unused > *used) {
        *used = SIZE - unused;
    }
}

static void child(void) {
    if (!is("first")) {
        write(null, "x", 1);
    }
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = SIZE;
    there.uc_link = &back;
    makecontext(&there, calls, 0);
    swapcontext(&back, &there);
    measure();
    _exit(0);
}

int main(int count, char **names) {
    null = open("/dev/null", O_WRONLY);
    used = mmap(NULL, sizeof *used, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 1; i < count; i++) {
        what = names[i];
        // A forked child has a stack of its own.
        int kind = is("fork") ? MAP_PRIVATE : MAP_SHARED;
        stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        memset(stack, PAINT, SIZE);
        *used = 0;
        pid_t pid = fork();
        if (pid == 0) {
            child();
        }
        int status;
        waitpid(pid, &status, 0);
        measure();
        printf("%s %d %d\n", what, *used, status);
        fflush(stdout);
        munmap(stack, SIZE);
    }
    return 0;
}
