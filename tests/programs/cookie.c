/* A stream whose reading and writing is the program's own, done with other calls: calls within calls. */
#include "program.h"

static ssize_t read_back(void *cookie, char *buffer, size_t size)
{
    return read(*(int *)cookie, buffer, size);
}

static ssize_t write_on(void *cookie, const char *buffer, size_t size)
{
    return write(*(int *)cookie, buffer, size);
}

int main(void)
{
    char buffer[16] = "";
    int fd = open("behind", O_CREAT | O_RDWR | O_TRUNC, 0600);
    FILE *stream = fopencookie(&fd, "w+", (cookie_io_functions_t){read_back, write_on, NULL, NULL});

    say("put %d\n", fputs("through the cookie", stream));
    say("flushed %d\n", fflush(stream));
    lseek(fd, 0, SEEK_SET);
    say("read %zu\n", fread(buffer, 1, 7, stream));
    show("read", buffer, 7);
    say("closed %d\n", fclose(stream));
    tell();
    return 0;
}
