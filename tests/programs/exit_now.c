/* Leaves by the way that argv[1] names, right after a write: nothing of it may be lost. */
#include "program.h"
#include <signal.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "return";
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
    if (strcmp(how, "kill") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)argv[argc] = 1;
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)0);
    return 7;
}
