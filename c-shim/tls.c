/* Thread-local state: stable Rust cannot declare it, and only the initial-exec model needs no call and no malloc. */
#include <pthread.h>

void iota_thread_end(void *thread);
void iota_forked(void);

static __thread void *state __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static int key_made;

void **iota_tls(void)
{
    return &state;
}

void iota_tls_start(void)
{
    key_made = pthread_key_create(&key, iota_thread_end) == 0;
    pthread_atfork(0, iota_forked, 0);
}

void iota_tls_watch(void *thread)
{
    if (key_made)
        pthread_setspecific(key, thread);
}
