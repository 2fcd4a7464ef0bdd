/* What sanitizers look at, without a word of any one C library. Without arguments threads open, read and close; overflow: a read behind the end of a block;
 * leak: a block that nobody has; race: two threads at one number. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OWN_OPTIONS
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static int shared;

static void *work(void *how)
{
    for (int i = 0; i < 300; i++) {
        char bytes[8];
        int fd = open("/dev/zero", O_RDONLY);
        read(fd, bytes, sizeof bytes);
        close(fd);
        if (how)
            shared++;
    }
    return 0;
}

static void in_threads(int n, void *how)
{
    pthread_t threads[64];
    for (int i = 0; i < n; i++)
        pthread_create(&threads[i], 0, work, how);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], 0);
}

int main(int count, char **args)
{
    if (errno)
        perror("at the start");
    const char *what = count > 1 ? args[1] : "";
    if (strcmp(what, "overflow") == 0) {
        char *block = malloc(8);
        int fd = open("/dev/zero", O_RDONLY);
        read(fd, block, 9);
    } else if (strcmp(what, "leak") == 0) {
        if (malloc(1234) == 0)
            return 1;
    } else if (strcmp(what, "race") == 0) {
        in_threads(2, &shared);
    } else {
        in_threads(count > 1 ? atoi(what) : 4, 0);
    }
    puts("done");
    return 9;
}
