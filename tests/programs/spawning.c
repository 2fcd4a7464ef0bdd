/* Every way to start a process and to become another program, each with calls around it that a tracer must keep apart:
   argv[1] names the way, none does all of them in children. */
#include "program.h"
#include <pty.h>
#include <spawn.h>

extern char **environ;

/* Known to the trace by their names. */
static void mark(const char *name)
{
    access(name, F_OK);
}

static void wait_for(pid_t child)
{
    int status = -1;
    pid_t waited = waitpid(child, &status, 0);

    say("waited %d, status %d\n", waited == child, status);
}

/* What follows vfork in the parent shows whether the child's calls were taken for its own. */
static void borrowed(void)
{
    int fd = open("kept", O_CREAT | O_RDWR | O_TRUNC, 0600);

    write(fd, "12345678", 8);
    for (int i = 0; i < 3; i++) {
        pid_t child = vfork();
        if (child == 0) {
            mark("in-vfork-child");
            close(fd);
            dup2(1, fd);
            if (i == 1)
                execl("/bin/true", "true", (char *)0);
            if (i == 2) {
                pid_t inner = vfork();
                if (inner == 0)
                    _exit(4);
            }
            _exit(3);
        }
        wait_for(child);
        AT(8 * (i + 1), write(fd, "12345678", 8));
    }
    close(fd);
}

static void become(const char *how)
{
    char *argv[] = {"sh", "-c", "exit $CODE", NULL}, *envp[] = {"CODE=11", NULL};

    setenv("CODE", "10", 1);
    mark("before-exec");
    if (strcmp(how, "execve") == 0)
        execve("/bin/sh", argv, envp);
    if (strcmp(how, "execv") == 0)
        execv("/bin/sh", argv);
    if (strcmp(how, "execvp") == 0)
        execvp("sh", argv);
    if (strcmp(how, "execvpe") == 0)
        execvpe("sh", argv, envp);
    if (strcmp(how, "execl") == 0)
        execl("/bin/sh", "sh", "-c", "exit $CODE", (char *)0);
    if (strcmp(how, "execlp") == 0)
        execlp("sh", "sh", "-c", "exit $CODE", (char *)0);
    if (strcmp(how, "execle") == 0)
        execle("/bin/sh", "sh", "-c", "exit $CODE", (char *)0, envp);
    if (strcmp(how, "fexecve") == 0)
        fexecve(open("/bin/sh", O_RDONLY), argv, envp);
    if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, "/bin/sh", argv, envp, 0);
    _exit(99);
}

static void becomes(void)
{
    const char *ways[] = {"execve", "execv", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve", "execveat"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        pid_t child = fork();
        if (child == 0)
            become(ways[i]);
        say("%s: ", ways[i]);
        wait_for(child);
    }
}

static void fails(void)
{
    char *argv[] = {"none", NULL};

    SAW(execve("no-such-program", argv, environ));
    SAW(execv("/etc", argv));
    SAW(execv("/etc/passwd", argv));
    SAW(execvp("no-such-program", argv));
    SAW(execl("/no/such/program", "none", "two", (char *)0));
    SAW(execv(NULL, argv));
    SAW(fexecve(-1, argv, environ));
    mark("still-here");
}

static void spawned(void)
{
    char *argv[] = {"sh", "-c", "exit 12", NULL};
    pid_t child = 0;

    SAW(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ));
    wait_for(child);
    SAW(posix_spawnp(&child, "sh", NULL, NULL, argv, environ));
    wait_for(child);
    SAW(posix_spawn(&child, "/no/such", NULL, NULL, argv, environ));
    SAW(system("exit 13"));
    SAW(system(NULL));
}

static void forked(void)
{
    pid_t child = fork();

    if (child == 0) {
        mark("in-child");
        _exit(1);
    }
    wait_for(child);
    child = _Fork();
    if (child == 0) {
        mark("in-child");
        _exit(2);
    }
    wait_for(child);
    int terminal = -1;
    child = forkpty(&terminal, NULL, NULL, NULL);
    if (child == 0) {
        mark("in-child");
        _exit(3);
    }
    wait_for(child);
    close(terminal);
}

static void daemonised(void)
{
    int ends[2];
    char byte = 0;

    pipe(ends);
    pid_t child = fork();
    if (child == 0) {
        mark("before-daemon");
        if (daemon(1, 1) != 0)
            _exit(5);
        mark("in-daemon");
        write(ends[1], "d", 1);
        _exit(0);
    }
    wait_for(child);
    read(ends[0], &byte, 1);
    say("daemon said %c\n", byte);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        become(argv[1]);
    forked();
    borrowed();
    becomes();
    fails();
    spawned();
    daemonised();
    tell();
    return 0;
}
