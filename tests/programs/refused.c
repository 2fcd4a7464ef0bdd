/* Calls with pointers that the kernel or the C library refuses, or never looks at: named by the first argument. */
#include "program.h"
#include <aio.h>
#include <sys/mman.h>

static char *guard;

/* So many bytes `a`, and nothing that can be read behind them. */
static char *unended(size_t length)
{
    memset(guard - length, 'a', length);
    return guard - length;
}

static void path(void)
{
    SAW(open(unended(4098), O_RDONLY));
    SAW(open(unended(4096), O_RDONLY));
    SAW(open(unended(10), O_RDONLY));
    SAW(mknod(unended(4098), S_IFIFO | 0600, 0));
    SAW(rename(unended(4098), unended(4098)));
    SAW(chdir((char *)0x10));
    struct stat status;
    SAW(stat(unended(5000), &status));
    SAW(fopen(unended(4098), "r") == NULL ? -1 : 0);
}

static void names(void)
{
    SAW(open("absent", O_RDONLY));
    SAW(open(unended(4098), O_RDONLY));
    SAW(open((char *)0x10, O_RDONLY));
    SAW(open(NULL, O_RDONLY));
}

static void times(void)
{
    struct timespec stay[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    SAW(utimensat(AT_FDCWD, (char *)0x10, stay, 0));
    SAW(utimensat(AT_FDCWD, unended(10), stay, 0));
}

static void names_of_limits(void)
{
    SAW(pathconf(unended(10), _PC_PIPE_BUF));
    SAW(pathconf(unended(1), _PC_MAX_CANON));
}

static void nothing_copied(void)
{
    int file = open("data", O_CREAT | O_RDWR, 0600);
    SAW(splice(file, (off64_t *)0x10, file, (off64_t *)0x18, 0, 0));
    SAW(close(file));
}

static void commands(void)
{
    SAW(system((char *)0x10));
    SAW(system(unended(10)));
    SAW(system("exit 3"));
}

static void programs(void)
{
    char *none[] = {NULL};
    SAW(execve(unended(10), none, none));
    SAW(execve((char *)0x10, none, none));
    SAW(execv(unended(4098), none));
}

static void lists(void)
{
    SAW(lio_listio(77, (struct aiocb **)0x10, 5, NULL));
}

/* A control block of which the last words cannot be read: the C library refuses it by the first ones, and says so in it. */
static void cut_off(void)
{
    struct aiocb *control = (struct aiocb *)(guard - 128);
    memset(guard - 128, 'a', 128);
    SAW(aio_read(control));
}

static void syncs(void)
{
    SAW(aio_fsync(77, (struct aiocb *)0x10));
}

static void numbers(void)
{
    struct timespec stay[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    SAW(syscall(SYS_openat, AT_FDCWD, unended(4098), O_RDONLY));
    SAW(syscall(SYS_utimensat, AT_FDCWD, 0x10, stay, 0));
    SAW(syscall(SYS_splice, 0, 0x10, 0, 0x10, 0, 0));
    SAW(syscall(SYS_io_submit, 0, 5, 0x10));
    SAW(syscall(SYS_readv, 0, 0x10, 0));
}

int main(int argc, char **argv)
{
    const struct { const char *name; void (*run)(void); } all[] = {
        {"path", path}, {"names", names}, {"utimensat", times}, {"pathconf", names_of_limits}, {"splice", nothing_copied},
        {"system", commands}, {"exec", programs}, {"lio_listio", lists}, {"aio", cut_off}, {"aio_fsync", syncs},
        {"syscall", numbers},
    };
    char *at = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    guard = at + 8192;
    mprotect(guard, 4096, PROT_NONE);
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (strcmp(argv[1], all[i].name) == 0)
            all[i].run();
    tell();
    return 0;
}
