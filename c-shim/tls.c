/* Thread-local state: stable Rust cannot declare it, and only the initial-exec model needs no call and no malloc. */
#include <pthread.h>

void iota_forked(void);

/* Read by name where that is known to work (thread.rs). */
__thread void *iota_thread_state __attribute__((tls_model("initial-exec"), visibility("hidden")));

void **iota_tls(void)
{
    return &iota_thread_state;
}

static __thread unsigned refused __attribute__((tls_model("initial-exec")));

unsigned *iota_refused(void)
{
    return &refused;
}

/* True from glibc 2.32 on, once the program and its libraries are in place and the C library can be used. */
extern char __libc_single_threaded __attribute__((weak));

int iota_libc_is_ready(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

#ifdef IOTA_PRELOAD
/* In a shared object glibc's pthread_atfork is a call of the first one; musl has the second. Neither may be asked for so
 * that the other C library refuses to load the tracer: its programs inherit LD_PRELOAD, too. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void)) __attribute__((weak));
extern void *__dso_handle;

void iota_watch_forks(void)
{
    if (__register_atfork)
        __register_atfork(0, iota_forked, 0, &__dso_handle);
    else if (pthread_atfork)
        pthread_atfork(0, iota_forked, 0);
}
#else
void iota_watch_forks(void)
{
    pthread_atfork(0, iota_forked, 0);
}
#endif
