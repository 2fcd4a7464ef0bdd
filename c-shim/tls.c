/* Thread-local state: stable Rust cannot declare it, and only the initial-exec model needs no call and no malloc. */
#include <pthread.h>

void iota_forked(void);

static __thread void *state __attribute__((tls_model("initial-exec")));

void **iota_tls(void)
{
    return &state;
}

void iota_watch_forks(void)
{
    pthread_atfork(0, iota_forked, 0);
}
