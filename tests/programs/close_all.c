/* Hosts that close every descriptor that they can name: none of them may be the tracer's, and numbers stay the same. */
#include "program.h"

static void count_open(void)
{
    int open = 0;

    for (int fd = 0; fd < 4096; fd++)
        open += kernel(SYS_fcntl, fd, F_GETFD, 0, 0) != -1;
    say("open: %d\n", open);
}

static void open_some(void)
{
    for (int i = 0; i < 5; i++)
        say("%d ", open("some", O_CREAT | O_RDWR, 0600));
    say("\n");
}

int main(void)
{
    begin();
    count_open();
    open_some();
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
    count_open();
    open_some();
    SAW(close_range(3, ~0U, 0));
    count_open();
    open_some();
    SAW(close_range(4, 5, CLOSE_RANGE_CLOEXEC));
    SAW((closefrom(3), 0));
    count_open();
    open_some();
    AT(0, write(5, "works", 5));
    AT(5, write(5, "works", 5));
    AT(0, write(6, "still", 5));
    SAW(fcloseall());
    say("size %ld\n", size_of("some"));
    end();
    return 0;
}
