/* A thousand threads at once, of two calls each; then how large the tracer's spool in /dev/shm is meanwhile, in KiB: as its
   length says, and as memory. */
#include "program.h"
#include <dirent.h>
#include <pthread.h>

enum { THREADS = 1000 };
static pthread_barrier_t all_here, all_go;
static int fd;

static void *writes(void *number)
{
    for (int i = 0; i < 2; i++)
        if (pwrite(fd, "x", 1, (long)number * 2 + i) != 1)
            _exit(3);
    pthread_barrier_wait(&all_here);
    pthread_barrier_wait(&all_go);
    return NULL;
}

static void tell_spool(void)
{
    char start[64];
    DIR *folder = opendir("/dev/shm");
    struct dirent *entry;
    struct stat file;

    snprintf(start, sizeof start, "iota-%d-%d-", (int)getuid(), (int)getpid());
    while (folder && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, start, strlen(start)) && !fstatat(dirfd(folder), entry->d_name, &file, 0))
            say("apparent %ld\nallocated %ld\n", (long)file.st_size >> 10, (long)file.st_blocks >> 1);
}

int main(void)
{
    static pthread_t threads[THREADS];
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_barrier_init(&all_here, NULL, THREADS + 1);
    pthread_barrier_init(&all_go, NULL, THREADS + 1);
    fd = open("shared", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (long i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &small, writes, (void *)i) != 0)
            _exit(3);
    pthread_barrier_wait(&all_here);
    tell_spool();
    pthread_barrier_wait(&all_go);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    tell();
    return 0;
}
