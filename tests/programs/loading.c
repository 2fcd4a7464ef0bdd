/* loading PLUGIN: calls functions for the first time while another thread holds the dynamic linker's lock, since the plugin
   that it loads waits: in the program, in a handler, and in a child of fork, for which nobody will give the lock back. */
#include "program.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

enum { READY = 100, GO = 101 };

static void *load(void *plugin)
{
    return dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
}

static int in_handler = -2;

static void handle(int number)
{
    (void)number;
    in_handler = symlink("nowhere", "link");
}

int main(int argc, char **argv)
{
    int ready[2], go[2], status = -1;
    char byte = 0;
    void *plugin = NULL;
    pthread_t thread;

    if (argc < 2 || pipe(ready) || pipe(go) || dup2(ready[1], READY) < 0 || dup2(go[0], GO) < 0)
        return 1;
    signal(SIGUSR1, handle);
    alarm(60);
    pthread_create(&thread, NULL, load, argv[1]);
    say("loading %zd\n", read(ready[0], &byte, 1));
    say("first %d\n", mkfifo("fifo", 0600));
    raise(SIGUSR1);
    say("handler %d\n", in_handler);
    pid_t child = fork();
    if (child == 0) {
        alarm(30);
        _exit(rename("fifo", "pipe") == 0 && access("pipe", F_OK) == 0 ? 7 : 8);
    }
    waitpid(child, &status, 0);
    say("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    say("go %zd\n", write(go[1], &byte, 1));
    pthread_join(thread, &plugin);
    say("loaded %d, removed %d\n", plugin != NULL, unlink("pipe"));
    tell();
    return 0;
}
