/* Makes calls from known lines: stacks FILE. Each writes so many bytes that nobody else writes; the test looks for the comment
 * with this number to know the line. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static int file;
static char block[64];
static ucontext_t back, own;

NOINLINE static void write_plain(void) {
    if (write(file, block, 11) != 11) exit(1); /* 11 */
}

NOINLINE static void write_deep(int levels) {
    if (levels > 0) {
        write_deep(levels - 1);
    } else if (write(file, block, 12) != 12) { /* 12 */
        exit(1);
    }
    __asm__ volatile("");
}

static void *write_in_thread(void *unused) {
    if (write(file, block, 13) != 13) exit(1); /* 13 */
    return unused;
}

static int compare(const void *a, const void *b) {
    if (write(file, block, 14) != 14) exit(1); /* 14 */
    return *(const char *)a - *(const char *)b;
}

static void handle(int signal) {
    (void)signal;
    if (write(file, block, 15) != 15) exit(1); /* 15 */
}

static void write_on_own_stack(void) {
    if (write(file, block, 16) != 16) exit(1); /* 16 */
    swapcontext(&own, &back);
}

NOINLINE static void write_in_child(void) {
    if (write(file, block, 17) != 17) exit(1); /* 17 */
}

/* Inlined: the line is in the inner function. */
static inline __attribute__((always_inline)) void write_inline(void) {
    if (write(file, block, 18) != 18) exit(1); /* 18 */
}

NOINLINE static void write_formatted(FILE *stream) {
    fprintf(stream, "%s", "nineteen characters"); /* 19 */
    fflush(stream);
}

int main(int argc, char **argv) {
    (void)argc;
    file = open(argv[1], O_CREAT | O_TRUNC | O_RDWR, 0600);
    for (int n = 0; n < 100; n++) {
        write_plain();
    }
    for (int levels = 0; levels < 100; levels += 10) {
        write_deep(levels);
    }
    pthread_t threads[4];
    for (int n = 0; n < 4; n++) {
        pthread_create(&threads[n], NULL, write_in_thread, NULL);
    }
    for (int n = 0; n < 4; n++) {
        pthread_join(threads[n], NULL);
    }
    char pair[2] = "ba";
    qsort(pair, 2, 1, compare);

    /* A handler on a stack of its own, that comes in the middle of this function. */
    static char handlers[1 << 16];
    sigaltstack(&(stack_t){.ss_sp = handlers, .ss_size = sizeof handlers}, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_ONSTACK}, NULL);
    for (int n = 0; n < 100; n++) {
        raise(SIGUSR1);
    }

    static char stack[1 << 16];
    getcontext(&own);
    own.uc_stack.ss_sp = stack;
    own.uc_stack.ss_size = sizeof stack;
    makecontext(&own, write_on_own_stack, 0);
    swapcontext(&back, &own);

    pid_t child = fork();
    if (child == 0) {
        write_in_child();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    write_inline();
    FILE *stream = fdopen(dup(file), "w");
    write_formatted(stream);
    fclose(stream);
    close(file);
    return 0;
}
