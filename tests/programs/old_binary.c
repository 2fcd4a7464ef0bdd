/* What programs linked before glibc 2.33 call: the versioned stat family, and the old names of the rest. */
#include "program.h"

int old_stat(int, const char *, struct stat *);
int old_lstat(int, const char *, struct stat *);
int old_fstat(int, int, struct stat *);
int old_fstatat(int, int, const char *, struct stat *, int);
#if defined(__x86_64__)
#define VERSION "GLIBC_2.2.5"
#define LATER "GLIBC_2.4"
enum { ABI = 1 };
#else
#define VERSION "GLIBC_2.17"
#define LATER "GLIBC_2.17"
enum { ABI = 0 };
#endif
__asm__(".symver old_stat,__xstat@" VERSION);
__asm__(".symver old_lstat,__lxstat@" VERSION);
__asm__(".symver old_fstat,__fxstat@" VERSION);
__asm__(".symver old_fstatat,__fxstatat@" LATER);

int main(void)
{
    struct stat status;
    int fd = SAW(open("old", O_CREAT | O_RDWR, 0600));

    SAW(write(fd, "12345", 5));
    SAW(old_stat(ABI, "old", &status));
    say("  size %ld\n", (long)status.st_size);
    SAW(old_lstat(ABI, "old", &status));
    SAW(old_fstat(ABI, fd, &status));
    SAW(old_fstatat(ABI, AT_FDCWD, "old", &status, 0));
    SAW(old_stat(ABI, "missing", &status));
    SAW(close(fd));
    tell();
    return 0;
}
