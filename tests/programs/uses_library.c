/* I/O in the program's own object and in a static library of its own. */
#include "program.h"

int write_in_library(const char *name);
int print_in_library(const char *name);

int main(void)
{
    int fd = open("program", O_CREAT | O_WRONLY | O_TRUNC, 0600);

    say("program %zd\n", write(fd, "from the program", 16));
    close(fd);
    say("library %d %d\n", write_in_library("written"), print_in_library("printed"));
    tell();
    return 0;
}
