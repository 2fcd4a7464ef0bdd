/* One call of each kind, for `iota text`. */
#include "program.h"

int main(void)
{
    char buffer[16];
    int fd = open("data", O_CREAT | O_RDWR | O_TRUNC, 0600);

    write(fd, "0123456789", 10);
    pwrite(fd, "x", 1, 100);
    lseek(fd, 4, SEEK_SET);
    read(fd, buffer, 3);
    fsync(fd);
    dup2(fd, 9);
    read(9, buffer, 16);
    close(9);
    close(fd);
    open("missing", O_RDONLY);
    close(open("odd\tname\n\\", O_CREAT | O_WRONLY, 0600));
    truncate("data", 5);
    rename("data", "renamed");
    FILE *stream = fopen("renamed", "r+");
    fread(buffer, 2, 2, stream);
    fseek(stream, 0, SEEK_END);
    fprintf(stream, "%s", "more");
    fclose(stream);
    unlink("renamed");
    return 0;
}
