/* fcntl's third argument, whatever the command; ioctl's too. A tracer that knows only some commands drops it. */
#include "program.h"
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static void locks(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 20};
    int other = SAW(open("file", O_RDWR));

    SAW(fcntl(fd, F_OFD_SETLK, &lock));
    SAW(fcntl(other, F_OFD_GETLK, &lock));
    say("  held: type %d, start %ld, length %ld\n", lock.l_type, (long)lock.l_start, (long)lock.l_len);
    lock.l_pid = 0;
    SAW(fcntl(other, F_OFD_SETLK, &lock));
    lock.l_type = F_UNLCK;
    SAW(fcntl(fd, F_OFD_SETLKW, &lock));
    lock.l_type = F_RDLCK;
    SAW(fcntl(fd, F_SETLK, &lock));
    SAW(fcntl64(fd, F_SETLKW, &lock));
    SAW(close(other));
}

static void pipes(void)
{
    int ends[2];

    SAW(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
    SAW(fcntl(ends[0], F_SETPIPE_SZ, 65536));
    SAW(fcntl(ends[1], F_GETPIPE_SZ));
    SAW(fcntl(ends[0], F_GETFL));
    SAW(fcntl(ends[0], F_SETFL, 0));
    SAW(fcntl(ends[0], F_GETFL));
    SAW(close(ends[0]));
    SAW(close(ends[1]));
}

static void seals(void)
{
    int fd = SAW(memfd_create("sealed", MFD_ALLOW_SEALING));

    SAW(ftruncate(fd, 100));
    SAW(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL));
    SAW(fcntl(fd, F_GET_SEALS));
    SAW(ftruncate(fd, 10));
    SAW(close(fd));
}

static void descriptors(int fd)
{
    struct f_owner_ex owner = {F_OWNER_PID, getpid()};
    int other = SAW(fcntl(fd, F_DUPFD_CLOEXEC, 100));

    SAW(fcntl(other, F_GETFD));
    SAW(fcntl(other, F_SETFD, 0));
    SAW(fcntl(other, F_GETFD));
    SAW(fcntl(fd, F_DUPFD, 200));
    SAW(close(200));
    SAW(close(other));
    SAW(fcntl(fd, F_SETSIG, SIGUSR1));
    SAW(fcntl(fd, F_GETSIG));
    SAW(fcntl(fd, F_SETOWN_EX, &owner));
    owner.pid = 0;
    SAW(fcntl(fd, F_GETOWN_EX, &owner));
    say("  owner is me: %d\n", owner.pid == getpid());
    SAW(fcntl(fd, F_SETLEASE, F_UNLCK));
    SAW(fcntl(fd, 9999, 1));
}

static void controls(int fd)
{
    int flags = 0, waiting = 0;

    SAW(ioctl(fd, FIGETBSZ, &flags));
    SAW(ioctl(fd, FIONREAD, &waiting));
    say("  waiting %d\n", waiting);
    SAW(ioctl(fd, FIOCLEX));
    SAW(fcntl(fd, F_GETFD));
    SAW(ioctl(fd, 0xdead, 1));
}

int main(void)
{
    begin();
    int fd = SAW(open("file", O_RDWR | O_CREAT, 0600));
    SAW(write(fd, "hello", 5));
    SAW(lseek(fd, 0, SEEK_SET));
    locks(fd);
    pipes();
    seals();
    descriptors(fd);
    controls(fd);
    SAW(close(fd));
    end();
    return 0;
}
