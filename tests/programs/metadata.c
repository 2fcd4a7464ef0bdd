/* Names, attributes, directories, sizes, links: calls that move no data. */
#include "program.h"
#include <dirent.h>
#include <sys/file.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static void status(void)
{
    struct stat status;
    struct stat64 status64;
    struct statx statusx;
    struct statfs fs;
    struct statvfs vfs;
    int fd = SAW(open("a", O_RDONLY));

    SAW(stat("a", &status));
    say("  size %ld, mode %o\n", (long)status.st_size, status.st_mode);
    SAW(lstat("a", &status));
    SAW(fstat(fd, &status));
    SAW(stat64("a", &status64));
    SAW(lstat64("a", &status64));
    SAW(fstat64(fd, &status64));
    SAW(fstatat(AT_FDCWD, "a", &status, AT_SYMLINK_NOFOLLOW));
    SAW(fstatat64(fd, "", &status64, AT_EMPTY_PATH));
    SAW(statx(AT_FDCWD, "a", 0, STATX_SIZE, &statusx));
    SAW(statfs("a", &fs));
    SAW(fstatfs(fd, &fs));
    SAW(statvfs("a", &vfs));
    SAW(fstatvfs(fd, &vfs));
    SAW(close(fd));
}

static void attributes(void)
{
    struct timeval times[2] = {{1000, 0}, {2000, 0}};
    struct timespec precise[2] = {{3000, 1}, {4000, 2}};
    struct utimbuf old = {5000, 6000};
    int fd = SAW(open("a", O_RDWR));

    SAW(access("a", R_OK));
    SAW(faccessat(AT_FDCWD, "a", W_OK, 0));
    SAW(chmod("a", 0604));
    SAW(fchmod(fd, 0640));
    SAW(fchmodat(AT_FDCWD, "a", 0644, 0));
    SAW(chown("a", -1, -1));
    SAW(lchown("a", -1, -1));
    SAW(fchown(fd, -1, -1));
    SAW(fchownat(AT_FDCWD, "a", -1, -1, 0));
    SAW(utime("a", &old));
    SAW(utimes("a", times));
    SAW(utimensat(AT_FDCWD, "a", precise, 0));
    SAW(futimens(fd, precise));
    SAW(flock(fd, LOCK_EX));
    SAW(lockf(fd, F_LOCK, 10));
    SAW(lockf64(fd, F_ULOCK, 10));
    SAW(close(fd));
}

static void extended(void)
{
    char value[16];
    int fd = SAW(open("a", O_RDONLY));

    SAW(setxattr("a", "user.one", "1", 1, 0));
    SAW(lsetxattr("a", "user.two", "22", 2, 0));
    SAW(fsetxattr(fd, "user.three", "333", 3, 0));
    SAW(getxattr("a", "user.one", value, sizeof value));
    SAW(lgetxattr("a", "user.two", value, sizeof value));
    SAW(fgetxattr(fd, "user.three", value, sizeof value));
    SAW(listxattr("a", NULL, 0));
    SAW(llistxattr("a", NULL, 0));
    SAW(flistxattr(fd, NULL, 0));
    SAW(removexattr("a", "user.one"));
    SAW(lremovexattr("a", "user.two"));
    SAW(fremovexattr(fd, "user.three"));
    SAW(close(fd));
}

static void names(void)
{
    char target[64], *real;

    SAW(link("a", "b"));
    SAW(linkat(AT_FDCWD, "a", AT_FDCWD, "c", 0));
    SAW(symlink("a", "s"));
    SAW(symlinkat("a", AT_FDCWD, "t"));
    SAW(readlink("s", target, sizeof target));
    SAW(readlinkat(AT_FDCWD, "t", target, sizeof target));
    real = SAW_POINTER(realpath("s", NULL));
    say("  ends in %s\n", strrchr(real, '/'));
    free(real);
    SAW(rename("b", "d"));
    SAW(renameat(AT_FDCWD, "c", AT_FDCWD, "e"));
    SAW(renameat2(AT_FDCWD, "d", AT_FDCWD, "f", RENAME_NOREPLACE));
    SAW(unlink("e"));
    SAW(unlinkat(AT_FDCWD, "s", 0));
    SAW(remove("t"));
    SAW(truncate("a", 3));
    SAW(truncate64("a", 2));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of their names: the order of readdir is the file system's. */
static void list(DIR *directory)
{
    char *names[16];
    int count = 0;

    for (struct dirent *entry; count < 16 && (entry = SAW_POINTER(readdir(directory)));)
        names[count++] = strdup(entry->d_name);
    qsort(names, (size_t)count, sizeof *names, by_name);
    for (int i = 0; i < count; i++) {
        say("  %s\n", names[i]);
        free(names[i]);
    }
}

static void directories(void)
{
    SAW(mkdir("dir", 0750));
    SAW(mkdirat(AT_FDCWD, "dir/sub", 0700));
    SAW(close(SAW(open("dir/file", O_CREAT | O_WRONLY, 0600))));
    DIR *directory = SAW_POINTER(opendir("dir"));
    list(directory);
    SAW((rewinddir(directory), 0));
    SAW_POINTER(readdir64(directory));
    SAW(closedir(directory));
    directory = SAW_POINTER(fdopendir(SAW(open("dir", O_RDONLY | O_DIRECTORY))));
    SAW(closedir(directory));
    SAW(rmdir("dir/sub"));
    SAW(rmdir("dir"));
}

int main(void)
{
    umask(022);
    begin();
    int fd = SAW(open("a", O_CREAT | O_RDWR, 0666));
    SAW(write(fd, "contents", 8));
    SAW(close(fd));
    status();
    attributes();
    extended();
    names();
    directories();
    end();
    return 0;
}
