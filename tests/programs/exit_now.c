/* Leaves by the way that argv[1] names, right after a write: nothing of it may be lost. */
#include "program.h"
#include <setjmp.h>
#include <signal.h>

static void note(const char *what)
{
    int fd = open(what, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 0; i < 3000; i++)
        write(fd, what, strlen(what));
    close(fd);
}

static sigjmp_buf before;
static const char *how = "return";

static void at_quick_exit_first(void)
{
    note("first");
}

static void at_quick_exit_second(void)
{
    note("second");
}

static void on_abort(int number)
{
    note("handler");
    if (strcmp(how, "abort_left") == 0)
        siglongjmp(before, number);
    if (strcmp(how, "abort_exit") == 0)
        _exit(6);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        how = argv[1];
    int fd = open("last", O_CREAT | O_WRONLY | O_TRUNC, 0600);

    write(fd, "last words", 10);
    if (strcmp(how, "_exit") == 0)
        _exit(7);
    if (strcmp(how, "_Exit") == 0)
        _Exit(7);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(7);
    if (strcmp(how, "exit") == 0)
        exit(7);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "quick_exit_handled") == 0) {
        at_quick_exit(at_quick_exit_first);
        at_quick_exit(at_quick_exit_second);
        quick_exit(7);
    }
    if (strncmp(how, "abort_", 6) == 0) {
        if (strcmp(how, "abort_ignored") == 0)
            signal(SIGABRT, SIG_IGN);
        else
            signal(SIGABRT, on_abort);
        if (strcmp(how, "abort_blocked") == 0) {
            sigset_t set;
            sigemptyset(&set);
            sigaddset(&set, SIGABRT);
            sigprocmask(SIG_BLOCK, &set, NULL);
        }
        if (sigsetjmp(before, 1) == 0)
            abort();
        note("after");
        return 7;
    }
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)argv[argc] = 1;
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)0);
    return 7;
}
