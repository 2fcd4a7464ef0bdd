/* A few calls of each kind, for a first look at a trace: hello [FILE] */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_and_read(const char *path)
{
    char buffer[6];
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    int good = fd >= 0 && write(fd, "hello\n", 6) == 6 && pread(fd, buffer, 6, 0) == 6 && fsync(fd) == 0;

    return fd >= 0 && close(fd) == 0 && good;
}

static int append(const char *path)
{
    FILE *stream = fopen(path, "a");
    int good = stream && fprintf(stream, "and good %s\n", "bye") > 0;

    return stream && fclose(stream) == 0 && good;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "hello.out";
    struct stat status;

    if (!write_and_read(path) || !append(path) || stat(path, &status) != 0) {
        perror(path);
        return 1;
    }
    printf("hello: wrote %ld bytes to %s\n", (long)status.st_size, path);
    return unlink(path) != 0;
}
