/* What the tracer asks of the C library by names that are reserved for it, or takes from what it was given: a program may
 * have functions of its own that are called `fileno` or `getauxval`. */
#include <aio.h>
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>

#ifdef IOTA_PRELOAD
/* musl, whose programs inherit LD_PRELOAD, has only the names without underscores; it does not have the first of all. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern unsigned long __getauxval(unsigned long) __attribute__((weak));
extern unsigned long getauxval(unsigned long) __attribute__((weak));
extern int fileno(FILE *) __attribute__((weak));
extern int dirfd(DIR *) __attribute__((weak));
extern int aio_error(const struct aiocb *) __attribute__((weak));
extern ssize_t aio_return(struct aiocb *) __attribute__((weak));
#define IS_GLIBC (__register_atfork != 0)

/* Before glibc 2.34 these are in libdl: weak, because every program would have to load it for us. */
extern void *dlopen(const char *, int) __attribute__((weak));
extern int dlclose(void *) __attribute__((weak));
extern char *dlerror(void) __attribute__((weak));
extern void *dlsym(void *, const char *) __attribute__((weak));
extern int dladdr(const void *, void *) __attribute__((weak));
int iota_has_linker(void) { return dlsym != 0; }
void *iota_dlopen(const char *name, int how) { return dlopen ? dlopen(name, how) : NULL; }
int iota_dlclose(void *library) { return dlclose ? dlclose(library) : 0; }
char *iota_dlerror(void) { return dlerror ? dlerror() : NULL; }
void *iota_dlsym(void *library, const char *name) { return dlsym ? dlsym(library, name) : NULL; }
int iota_dladdr(const void *address, void *info) { return dladdr ? dladdr(address, info) : 0; }
#else
extern unsigned long __getauxval(unsigned long);
#endif

/* `_IO_IS_FILEBUF` of glibc: there is a descriptor below the stream. */
enum { HAS_DESCRIPTOR = 0x2000 };

/* The descriptor below a stream; -1: there is none. */
int iota_stream_descriptor(FILE *stream)
{
#ifdef IOTA_PRELOAD
    if (!IS_GLIBC)
        return fileno ? fileno(stream) : -1;
#endif
    return stream->_flags & HAS_DESCRIPTOR ? stream->_fileno : -1;
}

/* The descriptor below a directory stream, of which it is the first member in every glibc. */
int iota_directory_descriptor(DIR *stream)
{
#ifdef IOTA_PRELOAD
    if (!IS_GLIBC)
        return dirfd ? dirfd(stream) : -1;
#endif
    return *(const int *)stream;
}

/* Why an asynchronous transfer failed, or EINPROGRESS; 0: it did not. */
int iota_transfer_error(const struct aiocb *control)
{
#ifdef IOTA_PRELOAD
    if (!IS_GLIBC)
        return aio_error ? aio_error(control) : 0;
#endif
    return control->__error_code;
}

/* What it returned. musl's aio_return only looks, too. */
ssize_t iota_transfer_result(struct aiocb *control)
{
#ifdef IOTA_PRELOAD
    if (!IS_GLIBC)
        return aio_return ? aio_return(control) : -1;
#endif
    return control->__return_value;
}

/* What the kernel passed to the program, by an `AT_` number. */
unsigned long iota_auxiliary(unsigned long kind)
{
#ifdef IOTA_PRELOAD
    if (!__getauxval)
        return getauxval ? getauxval(kind) : 0;
#endif
    return __getauxval(kind);
}
