/* I/O by number, as language runtimes do it: the trace has it under the names of the calls. */
#include "program.h"
#include <linux/openat2.h>

int main(void)
{
    char text[64] = "";
    struct stat status;

    begin();
    int fd = (int)SAW(syscall(SYS_openat, AT_FDCWD, "numbers", O_CREAT | O_RDWR | O_TRUNC, 0640));
    AT(0, syscall(SYS_write, fd, "0123456789", 10));
    AT(10, syscall(SYS_write, fd, "abcdef", 6));
    AT(4, syscall(SYS_pwrite64, fd, "....", 4, 4L));
    SAW(syscall(SYS_lseek, fd, 2, SEEK_SET));
    AT(2, syscall(SYS_read, fd, text, 6));
    show("read", text, 6);
    AT(8, syscall(SYS_pread64, fd, text, 8, 8L));
    show("pread", text, 8);
    struct iovec parts[2] = {{text, 3}, {text + 8, 4}};
    AT(8, syscall(SYS_readv, fd, parts, 2));
    AT(1, syscall(SYS_pwritev, fd, parts, 2, 1L, 0L));
    SAW(syscall(SYS_fstat, fd, &status));
    say("size %ld mode %o\n", (long)status.st_size, status.st_mode & 0777);
    SAW(syscall(SYS_newfstatat, AT_FDCWD, "numbers", &status, 0));
    SAW(syscall(SYS_ftruncate, fd, 5));
    SAW(syscall(SYS_fsync, fd));
    int copy = (int)SAW(syscall(SYS_dup, fd));
    AT(15, syscall(SYS_write, copy, "!", 1));
    SAW(syscall(SYS_close, copy));
    AT(16, syscall(SYS_write, fd, "?", 1));
    SAW(syscall(SYS_close, fd));
    SAW(syscall(SYS_write, fd, "closed", 6));
    SAW(syscall(SYS_openat, AT_FDCWD, "no/such/file", O_RDONLY, 0x7FC35678L));
    struct open_how how = {.flags = O_RDONLY};
    fd = (int)SAW(syscall(SYS_openat2, AT_FDCWD, "numbers", &how, sizeof how));
    AT(0, syscall(SYS_read, fd, text, 4));
    SAW(syscall(SYS_close, fd));
    SAW(syscall(SYS_linkat, AT_FDCWD, "numbers", AT_FDCWD, "link", 0));
    SAW(syscall(SYS_unlinkat, AT_FDCWD, "link", 0));
    /* No I/O, and not recorded. */
    say("pid %d\n", syscall(SYS_getpid) == getpid());
    say("none %ld\n", syscall(-1));
    end();
    return 0;
}
