/* Calls functions whose arguments are easily lost on the way through a hook, and checks what they did. Given "counted"
   it also checks that each went through its hook exactly once. */
#define _GNU_SOURCE
#include "ops.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static int counted;
static unsigned *counts;

#ifdef STATIC
extern unsigned iota_seen[];
static unsigned *find_counts(void) { return iota_seen; }
#else
static unsigned *find_counts(void) { return dlsym(RTLD_DEFAULT, "iota_seen"); }
#endif

/* how often the hooks looked for a function: after the start, never */
static unsigned looked_for(void)
{
#ifdef STATIC
    return 0;
#else
    unsigned *count = dlsym(RTLD_DEFAULT, "iota_resolved");
    return count ? *count : 0;
#endif
}

static void check(int holds, const char *what, int line)
{
    if (holds) return;
    fprintf(stderr, "program.c:%d: %s (errno %d)\n", line, what, errno);
    exit(1);
}
#define CHECK(holds) check((holds) != 0, #holds, __LINE__)

/* does something, holds it to be true, and expects one call of an operation */
#define ONE(op, holds) do { \
    unsigned before = counted ? counts[OP_##op] : 0; \
    CHECK(holds); \
    if (counted) check(counts[OP_##op] == before + 1, "one call of " #op, __LINE__); \
} while (0)

/* where fortified programs go */
ssize_t __read_chk(int, void *, size_t, size_t);
int __open_2(const char *, int);
int __fprintf_chk(FILE *, int, const char *, ...);

static mode_t mode_of(int fd)
{
    struct stat64 is;
    CHECK(fstat64(fd, &is) == 0);
    return is.st_mode & 07777;
}

static void modes(const char *dir, const char *path)
{
    int fd = -1;
    umask(0);
    ONE(open, (fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0640)) >= 0);
    CHECK(mode_of(fd) == 0640);
    ONE(close, close(fd) == 0);
    ONE(unlink, unlink(path) == 0);
    ONE(openat64, (fd = openat64(AT_FDCWD, path, O_CREAT | O_RDWR, 0604)) >= 0);
    CHECK(mode_of(fd) == 0604);
    ONE(close, close(fd) == 0);
    ONE(open64, (fd = open64(dir, O_TMPFILE | O_RDWR, 0751)) >= 0 || errno == EOPNOTSUPP);
    if (fd >= 0) {
        CHECK(mode_of(fd) == 0751);
        ONE(close, close(fd) == 0);
    }
    ONE(open, open("/nowhere/at/all", O_RDONLY) == -1);
    CHECK(errno == ENOENT);
}

static void offsets(const char *path)
{
    const off64_t far = 5LL << 30;
    char got[6] = "";
    int fd = open(path, O_RDWR);
    CHECK(fd >= 0);
    ONE(pwrite64, pwrite64(fd, "hello", 5, far) == 5);
    ONE(pwrite, pwrite(fd, "HELLO", 5, far + 5) == 5);
    ONE(lseek64, lseek64(fd, 0, SEEK_END) == far + 10);
    ONE(pread64, pread64(fd, got, 5, far + 5) == 5);
    CHECK(strcmp(got, "HELLO") == 0);
    struct iovec parts[2] = {{got, 2}, {got + 2, 3}};
    ONE(preadv2, preadv2(fd, parts, 2, far, 0) == 5);
    CHECK(strcmp(got, "hello") == 0);
    ONE(lseek, lseek(fd, far + 3, SEEK_SET) == far + 3);
    ONE(__read_chk, __read_chk(fd, got, 2, sizeof got) == 2);
    CHECK(memcmp(got, "lo", 2) == 0);
    ONE(ftruncate64, ftruncate64(fd, 4096) == 0);
    ONE(posix_fallocate, posix_fallocate(fd, 0, 4096) == 0);
    void *page = MAP_FAILED;
    ONE(mmap64, (page = mmap64(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0)) != MAP_FAILED);
    ONE(munmap, munmap(page, 4096) == 0);
    ONE(close, close(fd) == 0);
}

static void commands(const char *path)
{
    int fd = -1, copy = -1, ends[2], waiting = 0;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 7, .l_len = 9};
    ONE(__open_2, (fd = __open_2(path, O_RDWR)) >= 0);
    ONE(fcntl, (copy = fcntl(fd, F_DUPFD_CLOEXEC, 100)) >= 100);
    ONE(fcntl64, fcntl64(copy, F_OFD_SETLK, &lock) == 0);
    ONE(fcntl, (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);
    ONE(dup2, dup2(fd, copy) == copy);
    ONE(pipe, pipe(ends) == 0);
    ONE(write, write(ends[1], "seven b", 7) == 7);
    ONE(ioctl, ioctl(ends[0], FIONREAD, &waiting) == 0);
    CHECK(waiting == 7);
    ONE(sendfile, sendfile(ends[1], fd, NULL, 16) == 16);
    ONE(close_range, close_range(ends[0], ends[0], 0) == 0 || errno == ENOSYS);
    CHECK(close(copy) == 0 && close(fd) == 0);
}

static void streams(const char *path)
{
    char line[200] = "";
    int number = 0;
    double real = 0;
    FILE *stream = NULL;
    ONE(fopen, (stream = fopen(path, "w+")) != NULL);
    ONE(fprintf, fprintf(stream, "%d %.3f %s %c %Lg %d %d %d %.1f\n", 1, 2.5, "three", '4', 5.0L, 6, 7, 8, 9.5) == 28);
    ONE(__fprintf_chk, __fprintf_chk(stream, 1, "%d %f\n", 42, 0.5) == 12);
    ONE(fwprintf, fwprintf(stream, L"%d", 1) == -1);
    ONE(rewind, (rewind(stream), 1));
    ONE(fgets, fgets(line, sizeof line, stream) == line);
    CHECK(strcmp(line, "1 2.500 three 4 5 6 7 8 9.5\n") == 0);
    ONE(__isoc99_fscanf, fscanf(stream, "%d %lf", &number, &real) == 2);
    CHECK(number == 42 && real == 0.5);
    ONE(fseeko64, fseeko64(stream, 5LL << 30, SEEK_SET) == 0);
    ONE(ftello64, ftello64(stream) == 5LL << 30);
    ONE(fclose, fclose(stream) == 0);
    ONE(printf, printf("%s %d %.2f\n", "printed", 3, 0.25) == 15);
    ONE(fflush, fflush(stdout) == 0);
    ONE(dprintf, dprintf(1, "%.1f %d\n", 1.5, 2) == 6);
}

static size_t cookie_bytes;
static ssize_t cookie_write(void *cookie, const char *buf, size_t len)
{
    (void)buf;
    CHECK(cookie == &cookie_bytes);
    cookie_bytes += len;
    return len;
}

static int visited;
static int visit(const char *path, const struct stat *is, int type, struct FTW *where)
{
    (void)path, (void)is, (void)type, (void)where;
    visited++;
    return 0;
}

static int no_dots(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void functions_and_structures(const char *dir, const char *path)
{
    cookie_io_functions_t functions = {.write = cookie_write};
    struct dirent **list = NULL;
    FILE *stream = NULL;
    ONE(fopencookie, (stream = fopencookie(&cookie_bytes, "w", functions)) != NULL);
    ONE(fputs, fputs("cookie", stream) >= 0);
    ONE(fclose, fclose(stream) == 0);
    CHECK(cookie_bytes == 6);
    ONE(nftw, nftw(dir, visit, 8, FTW_PHYS) == 0);
    CHECK(visited >= 2);
    ONE(scandir, scandir(dir, &list, no_dots, alphasort) >= 1);
    CHECK(strcmp(list[0]->d_name, strrchr(path, '/') + 1) == 0);
}

#if defined __x86_64__ && !defined STATIC
/* there for old programs only: dlsym does not find it in the C library */
static void old_versions(void)
{
    off64_t (*old_seek)(int, off64_t, int) = dlsym(RTLD_DEFAULT, "llseek");
    int fd = open("/dev/zero", O_RDONLY);
    CHECK(fd >= 0 && old_seek != NULL);
    ONE(llseek, old_seek(fd, 0, SEEK_CUR) == 0);
    CHECK(close(fd) == 0);
}
#else
static void old_versions(void) {}
#endif

int main(int argc, char **argv)
{
    static char path[4096];
    CHECK(argc == 3);
    counted = strcmp(argv[2], "counted") == 0;
    counts = counted ? find_counts() : NULL;
    CHECK(!counted || counts != NULL);
    unsigned at_start = looked_for();
    snprintf(path, sizeof path, "%s/file", argv[1]);
    modes(argv[1], path);
    offsets(path);
    commands(path);
    streams(path);
    functions_and_structures(argv[1], path);
    if (counted) {
        old_versions();
        CHECK(looked_for() == at_start);
    }
    ONE(remove, remove(path) == 0);
    return 0;
}
