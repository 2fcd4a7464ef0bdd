/* Children of every kind: forked, left with _exit or exec, after vfork, spawned, of a shell, daemons. */
#include "program.h"
#include <spawn.h>

extern char **environ;

static void put(const char *name, const char *what)
{
    int fd = open(name, O_CREAT | O_WRONLY | O_APPEND, 0600);

    say("%s wrote %zd\n", name, write(fd, what, strlen(what)));
    close(fd);
}

static void wait_for(pid_t child)
{
    int status = -1;

    say("waited %d, ", waitpid(child, &status, 0) == child);
    say("status %d\n", status);
}

static void forked(void)
{
    int fd = open("both", O_CREAT | O_RDWR | O_TRUNC, 0600);
    pid_t child = fork();

    if (child == 0) {
        reported = 0;
        for (int i = 0; i < 1000; i++)
            write(fd, "child\n", 6);
        put("by-child", "forked");
        tell();
        _exit(5);
    }
    wait_for(child);
    write(fd, "parent", 6);
    close(fd);
    say("both: %ld\n", size_of("both"));
}

static void exits_as_usual(void)
{
    pid_t child = fork();

    if (child == 0) {
        reported = 0;
        fputs("left to exit", fopen("by-exit", "w"));
        exit(6);
    }
    wait_for(child);
    say("by-exit: %ld\n", size_of("by-exit"));
}

static void executed(void)
{
    char *arguments[] = {"sh", "-c", "echo executed >by-exec", NULL};
    pid_t child = fork();

    if (child == 0) {
        execv("/bin/sh", arguments);
        _exit(9);
    }
    wait_for(child);
    say("by-exec: %ld\n", size_of("by-exec"));
}

/* The child borrows the parent's memory, stack and thread. */
static void borrowed(void)
{
    for (int i = 0; i < 50; i++) {
        pid_t child = vfork();
        if (child == 0) {
            close(0);
            _exit(3);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
            say("vfork went wrong\n");
    }
    SAW(close(dup(0)));
}

static void spawned(void)
{
    char *arguments[] = {"sh", "-c", "echo spawned; exit 4", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "by-spawn", O_CREAT | O_WRONLY, 0600);
    say("spawn %d\n", posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environ));
    posix_spawn_file_actions_destroy(&actions);
    wait_for(child);
    say("by-spawn: %ld\n", size_of("by-spawn"));
}

static void of_a_shell(void)
{
    char line[32] = "";
    FILE *stream = popen("echo from popen; exit 2", "r");

    say("%s", fgets(line, sizeof line, stream));
    say("pclose %d\n", pclose(stream));
    stream = popen("cat >by-popen", "w");
    fputs("to popen", stream);
    say("pclose %d\n", pclose(stream));
    say("by-popen: %ld\n", size_of("by-popen"));
    say("system %d\n", system("exit 3"));
}

/* Forks twice, closes everything and goes on alone. */
static void daemonised(void)
{
    int ends[2];
    char byte;

    pipe(ends);
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() > 0)
            _exit(0);
        for (int fd = 0; fd < 256; fd++)
            if (fd != ends[1])
                close(fd);
        put("by-daemon", "all alone");
        _exit(write(ends[1], "x", 1) != 1);
    }
    wait_for(child);
    close(ends[1]);
    read(ends[0], &byte, 1);
    read(ends[0], &byte, 1);
    close(ends[0]);
    say("by-daemon: %ld\n", size_of("by-daemon"));
}

int main(void)
{
    put("parent", "before");
    forked();
    exits_as_usual();
    executed();
    borrowed();
    spawned();
    of_a_shell();
    daemonised();
    put("parent", "after");
    tell();
    return 0;
}
