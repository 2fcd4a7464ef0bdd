/* A host with a malloc of its own, which does I/O and counts: a hook that allocates would be seen, or recurse. */
#include "program.h"
#include <dirent.h>

static char arena[4 << 20];
static size_t used;
static long allocations;
static int diary = -1;

void *malloc(size_t size)
{
    void *memory = arena + used;

    used += (size + 31) & ~(size_t)15;
    allocations++;
    if (diary >= 0)
        write(diary, "m", 1);
    return used <= sizeof arena ? memory : NULL;
}

void free(void *memory)
{
    (void)memory;
}

void *calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void *realloc(void *memory, size_t size)
{
    char *bigger = malloc(size);

    for (size_t i = 0; memory && bigger && i < size; i++)
        bigger[i] = ((char *)memory)[i];
    return bigger;
}

static void no_allocation(void)
{
    char byte;
    int fd = open("file", O_CREAT | O_RDWR | O_TRUNC, 0600);

    for (int i = 0; i < 100000; i++)
        pwrite(fd, "x", 1, i);
    pread(fd, &byte, 1, 0);
    close(dup(fd));
    fcntl(fd, F_GETFL);
    rename("file", "renamed");
    unlink("renamed");
    close(fd);
}

static void libc_allocates(void)
{
    char line[32];
    FILE *stream = fopen("stream", "w+");

    fprintf(stream, "%d\n", 12);
    rewind(stream);
    fgets(line, sizeof line, stream);
    fclose(stream);
    closedir(opendir("."));
}

int main(void)
{
    diary = open("diary", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    long before = allocations;
    no_allocation();
    say("descriptors: %ld allocations\n", allocations - before);
    before = allocations;
    libc_allocates();
    say("streams: %ld allocations\n", allocations - before);
    say("diary: %d\n", size_of("diary") > 0);
    tell();
    return 0;
}
