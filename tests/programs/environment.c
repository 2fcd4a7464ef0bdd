/* What the host finds of its signals and threads, and a host that rewrites its environment, arguments, name and umask. */
#include "program.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void signals(void)
{
    sigset_t blocked;
    struct sigaction action;
    int handlers = 0;

    sigprocmask(SIG_SETMASK, NULL, &blocked);
    for (int signal = 1; signal < 32; signal++) {
        sigaction(signal, NULL, &action);
        handlers += action.sa_handler != SIG_DFL;
        say(sigismember(&blocked, signal) ? "b" : ".");
    }
    say(" handlers %d\n", handlers);
}

/* A directory's links are one for each entry and two more. */
static void threads(void)
{
    struct stat tasks;

    if (kernel(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/task", (long)&tasks, 0) == 0)
        say("threads %ld\n", (long)tasks.st_nlink - 2);
}

int main(int argc, char **argv)
{
    struct rlimit files;

    signals();
    threads();
    clearenv();
    memset(argv[0], 'x', strlen(argv[0]));
    prctl(PR_SET_NAME, "renamed");
    getrlimit(RLIMIT_NOFILE, &files);
    say("files %d, umask %o, %d arguments\n", files.rlim_cur > 0, umask(077), argc);
    int fd = open("file", O_CREAT | O_WRONLY, 0666);
    write(fd, "x", 1);
    close(fd);
    umask(0777);
    tell();
    return 0;
}
