/* Children of fork, and of vfork that become this program again; each writes, and its status is looked at. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 300, VFORKS = 100 };

static void wait_for(pid_t child, int code)
{
    int status;

    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != code)
        abort();
}

int main(int argc, char **argv)
{
    int fd = open("all", O_CREAT | O_WRONLY | O_APPEND, 0600);

    if (argc > 1)
        return write(fd, argv[1], 1) == 1 ? 3 : 4;
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(write(fd, "f", 1) == 1 ? i % 256 : 4);
        wait_for(child, i % 256);
    }
    for (int i = 0; i < VFORKS; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl("/proc/self/exe", argv[0], "v", (char *)0);
            _exit(4);
        }
        wait_for(child, 3);
    }
    return 0;
}
