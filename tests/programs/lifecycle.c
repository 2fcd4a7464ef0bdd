/* I/O before main and after it: constructors, destructors, atexit, thread-local destructors, a stream never closed. */
#include "program.h"
#include <pthread.h>

static void note(const char *what)
{
    int fd = open(what, O_CREAT | O_WRONLY | O_APPEND, 0600);
    ssize_t wrote = write(fd, what, strlen(what));

    say("%s: %zd %d\n", what, wrote, close(fd));
    tell();
}

__attribute__((constructor(101))) static void first(void)
{
    note("constructor-101");
}

__attribute__((constructor)) static void later(void)
{
    note("constructor");
}

__attribute__((destructor(101))) static void last(void)
{
    note("destructor-101");
}

__attribute__((destructor)) static void earlier(void)
{
    note("destructor");
}

static void early_array(void)
{
    note("preinit");
}
/* A shared object may not have one, but a program may. */
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = early_array;

static void at_exit(void)
{
    note("atexit");
}

static void of_thread(void *key)
{
    note(key);
}

static void *thread(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, "thread-local");
    note("thread");
    return NULL;
}

int main(void)
{
    pthread_key_t key;
    pthread_t other;

    atexit(at_exit);
    note("main");
    pthread_key_create(&key, of_thread);
    pthread_create(&other, NULL, thread, &key);
    pthread_join(other, NULL);
    fputs("left open", fopen("left-open", "w"));
    return 3;
}
