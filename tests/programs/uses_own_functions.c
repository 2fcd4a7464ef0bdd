/* Calls functions of own_functions.c, which have names of the C library. */
#define getline getline_of_libc
#define dprintf dprintf_of_libc
#include "program.h"
#undef getline
#undef dprintf

long getline(char *line, long room, FILE *stream);
int dprintf(int fd, const char *format, ...);
extern int own_writes;

int main(void)
{
    char line[8];
    int fd = open("lines", O_CREAT | O_RDWR, 0600);

    say("write %zd\n", write(fd, "first\nsecond line\n", 18));
    say("dprintf %d\n", dprintf(fd, "%s %d %.1f\n", "third", 3, 0.5));
    FILE *stream = fopen("lines", "r");
    for (long length; (length = getline(line, sizeof line, stream)) >= 0;)
        say("%ld: %s\n", length, line);
    fclose(stream);
    say("own writes %d\n", own_writes);
    tell();
    return 0;
}
