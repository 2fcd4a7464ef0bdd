/* The shared library of another tracer: it has the calls that a program's link editor wrapped for it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static int other_count;

int other_saw(void)
{
    return other_count;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    static ssize_t (*next)(int, const void *, size_t);

    if (!next)
        next = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    other_count++;
    return next(fd, bytes, length);
}

int __wrap_fclose(FILE *stream)
{
    other_count += 100;
    return fclose(stream);
}
