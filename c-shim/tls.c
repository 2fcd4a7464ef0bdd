/* Thread-local state: stable Rust cannot declare it, and only the initial-exec model needs no call and no malloc. */
#include <pthread.h>
#if defined __x86_64__
#include <cpuid.h>
#endif

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

/* Where the program goes on behind vfork. */
static __thread void *behind_vfork __attribute__((tls_model("initial-exec")));

void **iota_behind_vfork(void)
{
    return &behind_vfork;
}

/* True from glibc 2.32 on, once the program and its libraries are in place and the C library can be used. */
extern char __libc_single_threaded __attribute__((weak));

int iota_libc_is_ready(void)
{
    return &__libc_single_threaded && __libc_single_threaded;
}

#if defined __x86_64__
/* `struct cpuid_feature` of <sys/platform/x86.h>, from glibc 2.33 on. To ask the processor takes 20 us in a virtual machine. */
struct leaf {
    unsigned cpuid[4], active[4];
};
extern const struct leaf *__x86_get_cpuid_feature_leaf(unsigned) __attribute__((weak));

/* Whether the processor has SSE 4.2, and with it an instruction for the trace's checksums: bit 20 of ECX in leaf 1, of which
 * the number here is 0. */
int iota_has_checksums(void)
{
    unsigned a, b, c, d;

    if (!__x86_get_cpuid_feature_leaf) {
        __cpuid(1, a, b, c, d);
        return c >> 20 & 1;
    }
    return __x86_get_cpuid_feature_leaf(0)->active[2] >> 20 & 1;
}
#endif

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
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle;

void iota_watch_forks(void)
{
    __register_atfork(0, iota_forked, 0, &__dso_handle);
}
#endif
