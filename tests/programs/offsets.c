/* Positions that are easily got wrong: shared by dup and fork, moved by O_APPEND, short at the end, restored by seeks. */
#include "program.h"

static char buffer[64];

static void sequential(int fd)
{
    AT(0, write(fd, "0123456789", 10));
    AT(10, write(fd, "abcdefghij", 10));
    AT(20, lseek(fd, 5, SEEK_SET));
    AT(5, read(fd, buffer, 3));
    AT(8, lseek(fd, -1, SEEK_CUR));
    AT(7, read(fd, buffer, 64));
    AT(20, read(fd, buffer, 64));
    AT(20, lseek(fd, 5, SEEK_END));
    AT(25, write(fd, "gap", 3));
    AT(3, pwrite(fd, "!", 1, 3));
    AT(28, write(fd, "end", 3));
}

static void duplicates(int fd)
{
    int other = SAW(dup(fd)), third = SAW(fcntl(fd, F_DUPFD, 50)), fourth = SAW(dup2(fd, 60));

    AT(31, lseek(other, 0, SEEK_SET));
    AT(0, read(fd, buffer, 4));
    AT(4, read(third, buffer, 4));
    AT(8, read(other, buffer, 4));
    AT(12, read(fourth, buffer, 4));
    SAW(close(other));
    AT(16, read(fd, buffer, 4));
    SAW(dup3(fd, third, O_CLOEXEC));
    AT(20, read(third, buffer, 1));
    AT(21, read(fd, buffer, 1));
    SAW(close(third));
    SAW(close(fourth));
}

static void of_its_own(int fd)
{
    int other = SAW(open("file", O_RDWR));

    AT(0, write(other, "own", 3));
    AT(22, lseek(fd, 0, SEEK_CUR));
    AT(3, read(other, buffer, 2));
    SAW(close(other));
    AT(22, read(fd, buffer, 2));
}

static void appending(void)
{
    int fd = SAW(open("file", O_RDWR | O_APPEND));

    AT(0, read(fd, buffer, 2));
    AT(31, write(fd, "more", 4));
    AT(35, lseek(fd, 3, SEEK_SET));
    AT(35, write(fd, "+", 1));
    AT(36, lseek(fd, 4, SEEK_SET));
    AT(4, read(fd, buffer, 2));
    SAW(fcntl(fd, F_SETFL, 0));
    AT(6, write(fd, "at 6", 4));
    SAW(fcntl(fd, F_SETFL, O_APPEND));
    AT(36, write(fd, "last", 4));
    /* Linux appends here, whatever the offset says. */
    AT(40, pwrite(fd, "really", 6, 0));
    SAW(close(fd));
}

static void vectors(void)
{
    struct iovec two[2] = {{buffer, 3}, {buffer + 3, 4}};
    int fd = SAW(open("file", O_RDWR));

    AT(0, readv(fd, two, 2));
    AT(7, writev(fd, two, 2));
    AT(14, preadv2(fd, two, 2, -1, 0));
    AT(2, preadv2(fd, two, 2, 2, 0));
    AT(21, read(fd, buffer, 1));
    SAW(close(fd));
}

/* A flag of one call appends as well. */
static void appending_once(void)
{
    struct iovec one = {"once", 4};
    int fd = SAW(open("once", O_RDWR | O_CREAT | O_TRUNC, 0600));

    AT(0, write(fd, "0123456789", 10));
    AT(10, lseek(fd, 2, SEEK_SET));
    AT(10, pwritev2(fd, &one, 1, 0, RWF_APPEND));
    AT(2, read(fd, buffer, 1));
    AT(14, pwritev2(fd, &one, 1, -1, RWF_APPEND));
    AT(18, write(fd, "x", 1));
    AT(19, syscall(SYS_pwritev2, fd, &one, 1, 3L, 0L, RWF_APPEND));
    AT(1, pwritev64v2(fd, &one, 1, 1, 0));
    SAW(close(fd));
    SAW(unlink("once"));
}

static void shared_with_a_child(void)
{
    int fd = SAW(open("file", O_RDWR)), status;

    AT(0, read(fd, buffer, 5));
    pid_t child = fork();
    if (child == 0)
        _exit(read(fd, buffer, 6) != 6);
    waitpid(child, &status, 0);
    say("  child ended with %d\n", status);
    AT(11, read(fd, buffer, 5));
    AT(16, write(fd, "after", 5));
    SAW(close(fd));
}

static void inherited_number(void)
{
    int first = SAW(open("file", O_RDONLY));

    AT(0, read(first, buffer, 9));
    SAW(close(first));
    int second = SAW(open("other", O_RDWR | O_CREAT | O_TRUNC, 0600));
    say("  the same number: %d\n", first == second);
    AT(0, write(second, "x", 1));
    SAW(close(second));
}

int main(void)
{
    begin();
    int fd = SAW(open("file", O_RDWR | O_CREAT | O_TRUNC, 0644));
    sequential(fd);
    duplicates(fd);
    of_its_own(fd);
    SAW(close(fd));
    appending();
    vectors();
    appending_once();
    shared_with_a_child();
    inherited_number();
    end();
    return 0;
}
