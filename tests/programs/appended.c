/* Streams on descriptors that append, as a shell's `>>` makes them: the kernel's position jumps at the first write. */
#include "program.h"

static FILE *appending(int mode)
{
    static char buffer[64];
    FILE *stream = fdopen(open("log", O_WRONLY | O_APPEND), "w");

    setvbuf(stream, buffer, mode, sizeof buffer);
    return stream;
}

int main(void)
{
    static char old[1000];
    FILE *stream;
    int fd = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0644);

    write(fd, old, sizeof old);
    close(fd);

    stream = appending(_IOLBF);
    fprintf(stream, "abcdef");
    putc_unlocked('\n', stream);
    fprintf(stream, "ghi");
    fflush(stream);
    putc_unlocked('j', stream);
    putc_unlocked('\n', stream);
    fclose(stream);

    stream = appending(_IOFBF);
    /* The last one meets the end of the buffer, so that the tracer sees how many were put there. */
    for (int i = 0; i < 129; i++)
        putc_unlocked('k', stream);
    fclose(stream);
    return 0;
}
