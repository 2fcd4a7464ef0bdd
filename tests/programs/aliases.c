/* The names with underscores that glibc keeps for its friends, and programs found. */
#include "program.h"

ssize_t __read(int, void *, size_t);
ssize_t __write(int, const void *, size_t);
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __close(int);
off_t __lseek(int, off_t, int);
ssize_t __pread64(int, void *, size_t, off64_t);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
int _IO_getc(FILE *);
int _IO_putc(int, FILE *);

static void descriptors(void)
{
    char buffer[8] = "";
    int fd = SAW(__open("alias", O_RDWR | O_CREAT | O_TRUNC, 0600));

    AT(0, __write(fd, "abcdef", 6));
    AT(6, __lseek(fd, 1, SEEK_SET));
    AT(1, __read(fd, buffer, 2));
    AT(4, __pwrite64(fd, "xy", 2, 4));
    AT(3, __pread64(fd, buffer + 2, 3, 3));
    show("read", buffer, 5);
    SAW(__close(fd));
    SAW(__close(SAW(__open64("alias", O_RDONLY))));
}

static void streams(void)
{
    FILE *stream = SAW_STREAM(fopen("alias", "r+"));

    AT(0, _IO_putc('z', stream));
    SAW(fflush(stream));
    AT(1, _IO_getc(stream));
    SAW(fclose(stream));
}

int main(void)
{
    begin();
    descriptors();
    streams();
    end();
    return 0;
}
