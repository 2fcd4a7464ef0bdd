/* A user's own static library, which does the I/O. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int write_in_library(const char *name)
{
    int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    int wrote = (int)write(fd, "from the library", 16);

    return close(fd) == 0 ? wrote : -1;
}

int print_in_library(const char *name)
{
    FILE *stream = fopen(name, "w");
    int printed = fprintf(stream, "%d lines\n", 12);

    return fclose(stream) == 0 ? printed : -1;
}
