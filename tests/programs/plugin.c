/* A plugin that does I/O as it is loaded, when it is called, and as it is unloaded. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static int fd;

__attribute__((constructor)) static void loaded(void)
{
    fd = open("plugin", O_CREAT | O_WRONLY | O_APPEND, 0600);
    write(fd, "loaded\n", 7);
}

int work(void)
{
    FILE *stream = fopen("plugin-stream", "a");

    fprintf(stream, "called\n");
    return fclose(stream) + (int)write(fd, "called\n", 7);
}

__attribute__((destructor)) static void unloaded(void)
{
    write(fd, "unloaded\n", 9);
    close(fd);
}
