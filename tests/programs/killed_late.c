/* Writes here and there, and is killed in the middle of it. */
#include "program.h"
#include <signal.h>

int main(void)
{
    int fd = open("late", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    unsigned long place = 1;

    for (int i = 0; i < 400000; i++) {
        place = place * 6364136223846793005UL + 1442695040888963407UL;
        pwrite(fd, "0123456789abcdef", place >> 60, (off_t)(place >> 40));
    }
    kill(getpid(), SIGKILL);
    return 0;
}
