/* Sixteen calls, of which nine are `__xstat` and its like in programs of older C libraries. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat status;
    FILE *stream = fopen("file", "w");
    int fd, i;

    fputs("hello\n", stream);
    fclose(stream);
    for (i = 0; i < 5; i++)
        stat("file", &status);
    lstat("file", &status);
    fd = open("file", O_RDONLY);
    fstat(fd, &status);
    fstatat(AT_FDCWD, "file", &status, 0);
    mknod("fifo", S_IFIFO | 0600, 0);
    close(fd);
    unlink("fifo");
    unlink("file");
    return status.st_size != 6;
}
