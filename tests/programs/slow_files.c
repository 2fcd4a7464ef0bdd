/* Preloaded: each write to a file whose path contains $SLOW_FILES takes 3 ms longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void wait_for(int file)
{
    const char *slow = getenv("SLOW_FILES");
    char link[40], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = slow ? readlink(link, path, PATH_MAX) : -1;
    if (length < 0)
        return;
    path[length] = 0;
    if (strstr(path, slow))
        usleep(3000);
}

#define SLOW(name, parameters, arguments)                     \
    ssize_t name parameters                                   \
    {                                                         \
        static ssize_t(*real) parameters;                     \
        if (!real)                                            \
            *(void **)&real = dlsym(RTLD_NEXT, #name);        \
        wait_for(file);                                       \
        return real arguments;                                \
    }

SLOW(write, (int file, const void *bytes, size_t count), (file, bytes, count))
SLOW(writev, (int file, const struct iovec *pieces, int count), (file, pieces, count))
SLOW(pwrite, (int file, const void *bytes, size_t count, off_t at), (file, bytes, count, at))
SLOW(pwrite64, (int file, const void *bytes, size_t count, off64_t at), (file, bytes, count, at))
SLOW(pwritev, (int file, const struct iovec *pieces, int count, off_t at), (file, pieces, count, at))
SLOW(pwritev64, (int file, const struct iovec *pieces, int count, off64_t at), (file, pieces, count, at))
