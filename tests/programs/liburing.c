/* Requests of liburing: each line "= NAME OFFSET LENGTH RESULT" is what the trace shall have of one that ended. */
#include "program.h"
#include <liburing.h>

enum { MANY = 200 };

static struct io_uring ring;
static char buffers[MANY][64];

static struct io_uring_sqe *next(void)
{
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

    if (!sqe) {
        io_uring_submit(&ring);
        sqe = io_uring_get_sqe(&ring);
    }
    return sqe;
}

/* The result of the one request that is under way. */
static int result(void)
{
    struct io_uring_cqe *cqe = NULL;
    int got = io_uring_wait_cqe(&ring, &cqe);

    if (got < 0)
        return got;
    got = cqe->res;
    io_uring_cqe_seen(&ring, cqe);
    return got;
}

#define ONE(name, offset, length, prepare)                                                                     \
    do {                                                                                                       \
        struct io_uring_sqe *sqe = next();                                                                     \
        prepare;                                                                                               \
        io_uring_submit(&ring);                                                                                \
        int got = result();                                                                                    \
        say("= %s %ld %ld %d\n", name, (long)(offset), (long)(length), got < 0 ? -1 : got);                    \
        last = got;                                                                                            \
    } while (0)

int main(int argc, char **argv)
{
    int last, fd, seen = 0;
    struct iovec vector[2] = {{buffers[0], 10}, {buffers[1], 20}};
    struct statx status;

    say("init %d\n", io_uring_queue_init(32, &ring, argc > 1 && !strcmp(argv[1], "wide") ? IORING_SETUP_SQE128 | IORING_SETUP_CQE32 : 0));
    memset(buffers, 'a', sizeof buffers);
    ONE("io_uring_prep_openat", -1, -1, io_uring_prep_openat(sqe, AT_FDCWD, "requests", O_CREAT | O_RDWR | O_TRUNC, 0600));
    fd = last;
    /* Many at once, more than the ring holds, most of them seen without a call; all of one user_data. */
    for (int i = 0; i < MANY; i++) {
        struct io_uring_cqe *cqe;
        io_uring_prep_write(next(), fd, buffers[i], 64, 64UL * i);
        while (io_uring_peek_cqe(&ring, &cqe) == 0) {
            io_uring_cqe_seen(&ring, cqe);
            seen++;
        }
    }
    say("last %d\n", io_uring_submit_and_wait(&ring, 1) > 0);
    for (; seen < MANY; seen++)
        result();
    for (int i = 0; i < MANY; i++)
        say("= io_uring_prep_write %d 64 64\n", 64 * i);
    ONE("io_uring_prep_readv", 100, 30, io_uring_prep_readv(sqe, fd, vector, 2, 100));
    ONE("io_uring_prep_writev", 8192, 30, io_uring_prep_writev(sqe, fd, vector, 2, 8192));
    ONE("io_uring_prep_read", 1L << 40, 64, io_uring_prep_read(sqe, fd, buffers[0], 64, 1UL << 40));
    lseek(fd, 10, SEEK_SET);
    ONE("io_uring_prep_read", 10, 64, io_uring_prep_read(sqe, fd, buffers[0], 64, -1));
    ONE("io_uring_prep_write", 74, 6, io_uring_prep_write(sqe, fd, buffers[0], 6, -1));
    ONE("io_uring_prep_write", 64 * MANY, 6, (io_uring_prep_write(sqe, fd, buffers[0], 6, 0), sqe->rw_flags = RWF_APPEND));
    ONE("io_uring_prep_fsync", -1, 0, io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC));
    ONE("io_uring_prep_read", 0, 64, io_uring_prep_read(sqe, -1, buffers[0], 64, 0));
    ONE("io_uring_prep_writev", 0, 0, io_uring_prep_writev(sqe, fd, (struct iovec *)8, 2, 0));
    ONE("io_uring_prep_fallocate", 0, 100000, io_uring_prep_fallocate(sqe, fd, 0, 0, 100000));
    ONE("io_uring_prep_statx", -1, -1, io_uring_prep_statx(sqe, AT_FDCWD, "requests", 0, STATX_SIZE, &status));
    /* A transfer that is registered: which file it is, nobody says. */
    say("registered %d\n", io_uring_register_files(&ring, &fd, 1));
    ONE("io_uring_prep_read", 3, 5, (io_uring_prep_read(sqe, 0, buffers[0], 5, 3), sqe->flags |= IOSQE_FIXED_FILE));
    ONE("io_uring_prep_close", -1, 0, io_uring_prep_close(sqe, fd));
    ONE("io_uring_prep_unlinkat", -1, -1, io_uring_prep_unlinkat(sqe, AT_FDCWD, "requests", 0));
    io_uring_prep_nop(next());
    say("submitted %d\n", io_uring_submit(&ring));
    say("nop %d\n", result());
    io_uring_queue_exit(&ring);
    tell();
    return 0;
}
