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

void iota_watch_forks(void)
{
    pthread_atfork(0, iota_forked, 0);
}
