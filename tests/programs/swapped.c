/* swapped DIRECTORY: puts another file in the place of each in that directory, then has a second thread work. */
#include "program.h"
#include <dirent.h>
#include <pthread.h>

static void *works(void *unused)
{
    int fd = open("by-thread", O_CREAT | O_WRONLY | O_TRUNC, 0600);

    (void)unused;
    for (int i = 0; i < 3000; i++)
        write(fd, "x", 1);
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char from[4096], to[4096 + 8];

    works(NULL);
    DIR *directory = argc > 1 ? opendir(argv[1]) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".moved"))
            continue;
        snprintf(from, sizeof from, "%s/%s", argv[1], entry->d_name);
        snprintf(to, sizeof to, "%s.moved", from);
        rename(from, to);
        int fd = open(from, O_CREAT | O_EXCL | O_WRONLY, 0666);
        write(fd, "theirs", 6);
        close(fd);
    }
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, works, NULL);
        pthread_join(thread, NULL);
    }
    say("done %ld\n", size_of("by-thread"));
    tell();
    return 0;
}
