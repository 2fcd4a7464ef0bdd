/* What every test program begins with: a report of what it saw, line by line, which the harness compares bare and traced
   and reads as the list of events that the trace must hold.

   The report is kept in memory and written past libc at the end, so that neither a tracer nor strace's counts see it.
   `SAW(call)` makes the call and reports it; the sentinel in errno shows whether a call that succeeded touched errno.
   `AT(offset, call)` also says at which position of the file the call begins. */
#ifndef PROGRAM_H
#define PROGRAM_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SENTINEL 4242
#define UNUSED __attribute__((unused))

/* A system call that no library sees: -1 where it fails, and errno as it was. */
UNUSED static long kernel(long number, long a, long b, long c, long d)
{
#if defined __x86_64__
    register long r10 __asm__("r10") = d;
    long ret;
    __asm__ volatile("syscall" : "=a"(ret) : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = number;
    register long ret __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(ret) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
#endif
    return ret < 0 ? -1 : ret;
}

static char report[1 << 20];
static size_t reported;

__attribute__((format(printf, 1, 2))) UNUSED static void say(const char *format, ...)
{
    va_list ap;
    size_t room = sizeof report - reported;

    va_start(ap, format);
    int printed = vsnprintf(report + reported, room, format, ap);
    va_end(ap);
    reported += printed < 0 ? 0 : (size_t)printed < room ? (size_t)printed : room - 1;
}

/* Writes the report and empties it. */
UNUSED static void tell(void)
{
    for (size_t done = 0; done < reported;) {
        long wrote = kernel(SYS_write, 1, (long)(report + done), (long)(reported - done), 0);
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    reported = 0;
}

UNUSED static void saw_failure(const char *call, int after)
{
    if (after == SENTINEL)
        say("%s = -1\n", call);
    else
        say("%s = -1 errno %d\n", call, after);
}

UNUSED static long saw(const char *call, long ret)
{
    int after = errno;

    if (ret < 0)
        saw_failure(call, after);
    else if (after == SENTINEL)
        say("%s = %ld\n", call, ret);
    else
        say("%s = %ld, errno became %d\n", call, ret, after);
    return ret;
}

/* A result whose value tells nothing (an address): = ~ */
UNUSED static void *saw_pointer(const char *call, void *ret)
{
    int after = errno;

    if (ret == NULL && after == SENTINEL)
        say("%s = NULL\n", call);
    else if (ret == NULL || ret == (void *)-1)
        saw_failure(call, after);
    else if (after == SENTINEL)
        say("%s = ~\n", call);
    else
        say("%s = ~, errno became %d\n", call, after);
    return ret;
}

/* A stream is its descriptor. */
UNUSED static FILE *saw_stream(const char *call, FILE *stream)
{
    saw(call, stream ? stream->_fileno : -1);
    return stream;
}

#define SAW(call) (errno = SENTINEL, saw(#call, (long)(call)))
#define SAW_POINTER(call) (errno = SENTINEL, saw_pointer(#call, (void *)(call)))
#define SAW_STREAM(call) (errno = SENTINEL, saw_stream(#call, (call)))
#define AT(offset, call) (say("@%ld ", (long)(offset)), errno = SENTINEL, saw(#call, (long)(call)))
#define AT_POINTER(offset, call) (say("@%ld ", (long)(offset)), SAW_POINTER(call))

UNUSED static void show(const char *what, const void *bytes, size_t length)
{
    say("  %s: ", what);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = ((const unsigned char *)bytes)[i];
        say(byte >= ' ' && byte < 127 && byte != '\\' ? "%c" : "\\x%02x", byte);
    }
    say("\n");
}

/* The calls of a program that the trace is compared on lie between these two. */
UNUSED static void begin(void)
{
    access("test-begins", F_OK);
}

UNUSED static void end(void)
{
    access("test-ends", F_OK);
    tell();
}

/* The size of a file past libc. */
UNUSED static long size_of(const char *path)
{
    struct stat status;

    return kernel(SYS_newfstatat, AT_FDCWD, (long)path, (long)&status, 0) == 0 ? (long)status.st_size : -1;
}
#endif
