/* Says that it is ready, waits for a file `go`, and writes. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int good = 0, fd = open("ready", O_CREAT | O_WRONLY, 0600);

    for (int i = 0; i < 3000 && access("go", F_OK) != 0; i++)
        usleep(10000);
    for (int i = 0; i < 100; i++)
        good += write(fd, "x", 1) == 1;
    printf("%d writes\n", good);
    return 0;
}
