/* Files of all kinds of layouts in the directory that is named, which tests/src/bin/lustre-like serves. */
#include "program.h"
#include <dirent.h>
#include <signal.h>

static char block[1 << 20];

static void written(const char *name, int flags, int blocks)
{
    int fd = open(name, flags, 0644);
    if (fd < 0 || write(fd, "begin", 5) != 5) {
        perror(name);
        exit(1);
    }
    for (int n = 0; n < blocks; n++)
        if (pwrite(fd, block, sizeof block, (off_t)n << 20) != sizeof block)
            exit(2);
    close(fd);
}

static void streamed(const char *name)
{
    FILE *stream = fopen(name, "w");
    if (!stream || fputs("text", stream) < 0 || fclose(stream))
        exit(3);
}

static void look_at(const char *directory)
{
    DIR *stream = opendir(directory);
    if (!stream)
        exit(4);
    while (readdir(stream))
        ;
    closedir(stream);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]))
        return 5;
    for (int n = 0; n < 100; n++)
        written("plain", O_CREAT | O_WRONLY, 0);
    streamed("pool");
    written("pfl-long", O_CREAT | O_WRONLY, 6);
    written("pfl-short", O_CREAT | O_WRONLY, 0);
    written("foreign", O_CREAT | O_WRONLY, 0);
    written("unknown", O_CREAT | O_WRONLY, 0);
    written("wide", O_CREAT | O_WRONLY, 0);
    written("again", O_CREAT | O_WRONLY, 0);
    unlink("again");
    written("again", O_CREAT | O_WRONLY, 0);
    unlink("linked");
    if (link("plain", "linked"))
        return 6;
    written("linked", O_WRONLY, 0);
    look_at(".");
    if (open("missing", O_RDONLY) >= 0)
        return 7;
    if (getenv("DIE_OF_IT"))
        kill(getpid(), SIGKILL);
    return 0;
}
