// The end of a process on the smallest stacks that there are, with a guard below.
//
//     small_stacks thread|handler exit|_exit|abort|exec|fork
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREAD = 16384, HANDLER = 8192, GUARD = 65536 };

static const char *how;

static void end(void) {
    write(1, "ends\n", 5);
    if (!strcmp(how, "exit")) {
        exit(4);
    } else if (!strcmp(how, "_exit")) {
        _exit(3);
    } else if (!strcmp(how, "abort")) {
        abort();
    } else if (!strcmp(how, "exec")) {
        execl("/bin/echo", "echo", "another", (char *)0);
    } else if (!strcmp(how, "fork")) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            write(1, "child\n", 6);
            _exit(0);
        }
        waitpid(pid, &status, 0);
        _exit(status != 0);
    }
}

static void *thread(void *unused) {
    end();
    return unused;
}

static void handler(int number) {
    (void)number;
    end();
}

int main(int count, char **words) {
    (void)count;
    how = words[2];
    if (!strcmp(words[1], "thread")) {
        pthread_attr_t small;
        pthread_t other;
        pthread_attr_init(&small);
        pthread_attr_setstacksize(&small, THREAD);
        pthread_create(&other, &small, thread, NULL);
        pthread_join(other, NULL);
        return 9;
    }
    char *memory = mmap(NULL, GUARD + HANDLER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory, GUARD, PROT_NONE);
    stack_t stack = {.ss_sp = memory + GUARD, .ss_size = HANDLER};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGTERM, &action, NULL);
    raise(SIGTERM);
    return 9;
}
