/* Beyond 4 GiB: offsets and lengths of 64 bits, in a file that is a hole. */
#include "program.h"

enum { GIB = 1 << 30 };

int main(void)
{
    char byte = 0;

    begin();
    int fd = SAW(open64("far", O_CREAT | O_RDWR | O_TRUNC, 0600));
    AT(5L * GIB, pwrite64(fd, "x", 1, 5L * GIB));
    AT(0, lseek64(fd, 6L * GIB, SEEK_SET));
    AT(6L * GIB, write(fd, "yz", 2));
    AT(6L * GIB + 2, lseek64(fd, -1, SEEK_END));
    AT(6L * GIB + 1, read(fd, &byte, 1));
    show("byte", &byte, 1);
    FILE *stream = SAW_STREAM(fopen64("far", "r"));
    AT(0, fseeko64(stream, 5L * GIB, SEEK_SET));
    AT(5L * GIB, fgetc(stream));
    SAW(fclose(stream));
    SAW(ftruncate64(fd, 7L * GIB));
    SAW(ftruncate64(fd, 0));
    SAW(close(fd));
    end();
    return 0;
}
