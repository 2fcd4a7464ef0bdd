/* Calls that fail: the result and errno are the real call's, and a bad pointer is nobody's business but the kernel's. */
#include "program.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* Where nothing is; volatile, so that the compiler does not know better. */
static void *volatile bad = (void *)16;
#define BAD ((void *)bad)

static void no_such_file(void)
{
    SAW(open("missing", O_RDONLY));
    SAW(open("missing/below", O_CREAT | O_WRONLY, 0600));
    SAW(openat(999, "missing", O_RDONLY));
    SAW_STREAM(fopen("missing", "r"));
    SAW_STREAM(fopen("missing", "nonsense"));
    SAW(unlink("missing"));
    SAW(rename("missing", "other"));
    SAW(truncate("missing", 1));
    SAW(access("missing", R_OK));
    SAW(chdir("missing"));
    SAW(open("", O_RDONLY));
}

static void bad_descriptors(void)
{
    char byte = 0;

    SAW(read(-1, &byte, 1));
    SAW(write(999, &byte, 1));
    SAW(pread(-1, &byte, 1, 0));
    SAW(pwrite64(-1, &byte, 1, 0));
    SAW(lseek(999, 0, SEEK_SET));
    SAW(close(-1));
    SAW(close(999));
    SAW(close(2000000000));
    SAW(fsync(-1));
    SAW(dup(999));
    SAW(dup2(999, 5));
    SAW(dup2(0, -1));
    SAW(fcntl(999, F_GETFL));
    SAW(ftruncate(-7, 0));
    SAW_POINTER(fdopen(999, "r"));
    SAW(read(5, &byte, 1));
}

static void wrong_kind(int fd)
{
    char byte = 0;
    int directory = SAW(open(".", O_RDONLY)), ends[2];

    SAW(read(directory, &byte, 1));
    SAW(open(".", O_WRONLY));
    SAW(read(fd, &byte, 1));
    SAW(lseek(fd, -1, SEEK_SET));
    SAW(lseek(fd, 0, 99));
    SAW(pwrite(fd, &byte, 1, -5));
    SAW(pipe(ends));
    SAW(lseek(ends[0], 0, SEEK_CUR));
    SAW(pread(ends[0], &byte, 1, 0));
    SAW(write(ends[1], "x", 1));
    SAW(read(ends[0], &byte, 1));
    SAW(close(ends[0]));
    SAW(close(ends[1]));
    SAW(close(directory));
}

static void bad_pointers(int fd)
{
    SAW(open(BAD, O_RDONLY));
    SAW(openat(AT_FDCWD, NULL, O_RDONLY));
    SAW(write(fd, BAD, 10));
    SAW(pwrite(fd, BAD, 10, 0));
    SAW(writev(fd, BAD, 2));
    SAW(readv(fd, NULL, 3));
    SAW(pwritev(fd, BAD, 1 << 20, 0));
    SAW(writev(fd, NULL, 0));
    SAW(stat(BAD, BAD));
    SAW(unlink(NULL));
    SAW(rename(BAD, "x"));
    SAW(pipe(BAD));
    SAW(readlink("missing", BAD, 10));
    SAW(chdir(BAD));
}

static void bounded(int resource, rlim_t limit, struct rlimit *before)
{
    getrlimit(resource, before);
    setrlimit(resource, &(struct rlimit){limit, before->rlim_max});
}

static void limits(int fd)
{
    struct rlimit size, files;

    SAW_POINTER(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0));
    signal(SIGXFSZ, SIG_IGN);
    bounded(RLIMIT_FSIZE, 4096, &size);
    SAW(pwrite(fd, "x", 1, 4095));
    SAW(pwrite(fd, "xy", 2, 4095));
    SAW(pwrite(fd, "x", 1, 4096));
    bounded(RLIMIT_NOFILE, 3, &files);
    SAW(open("file", O_RDONLY));
    SAW(dup(fd));
    SAW_STREAM(fopen("file", "r"));
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_NOFILE, &files);
}

int main(void)
{
    begin();
    int fd = SAW(open("file", O_CREAT | O_WRONLY, 0600));
    no_such_file();
    bad_descriptors();
    wrong_kind(fd);
    bad_pointers(fd);
    limits(fd);
    SAW(close(fd));
    SAW(close(fd));
    end();
    return 0;
}
