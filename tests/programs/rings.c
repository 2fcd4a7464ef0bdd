/* A ring of io_uring by hand: by syscall(2) and mmap, as language runtimes have it. Lines as in liburing.c. With the argument
   "inline" it is entered by an instruction of the program's own, as fio does; with "unmapped" as well, its memory is given
   back before it is closed. */
#include "program.h"
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { MANY = 8 };

static char buffers[MANY][64];

/* io_uring_enter, past the C library. */
static long enter_inline(int ring, unsigned submit, unsigned wait, unsigned flags)
{
#if defined __x86_64__
    long result;
    register long r10 __asm__("r10") = flags, r8 __asm__("r8") = 0, r9 __asm__("r9") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_io_uring_enter), "D"(ring), "S"(submit), "d"(wait), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long x8 __asm__("x8") = SYS_io_uring_enter, x0 __asm__("x0") = ring, x1 __asm__("x1") = submit;
    register long x2 __asm__("x2") = wait, x3 __asm__("x3") = flags, x4 __asm__("x4") = 0, x5 __asm__("x5") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
#else
#error "an instruction for this machine"
#endif
}

int main(int argc, char **argv)
{
    int is_inline = argc > 1, is_unmapped = argc > 2 && !strcmp(argv[2], "unmapped");
    struct io_uring_params params;
    int fd = open("requests", O_CREAT | O_RDWR | O_TRUNC, 0600);

    memset(&params, 0, sizeof params);
    int ring = (int)syscall(SYS_io_uring_setup, MANY, &params);
    size_t size = params.sq_off.array + params.sq_entries * sizeof(unsigned);
    size_t completions = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
    if (completions > size)
        size = completions;
    char *rings = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    struct io_uring_sqe *requests = mmap(NULL, params.sq_entries * sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
                                         IORING_OFF_SQES);
    unsigned *tail = (unsigned *)(rings + params.sq_off.tail), *array = (unsigned *)(rings + params.sq_off.array);
    unsigned *seen = (unsigned *)(rings + params.cq_off.head);
    struct io_uring_cqe *ends = (struct io_uring_cqe *)(rings + params.cq_off.cqes);

    say("ring %d\n", ring >= 0);
    memset(buffers, 'a', sizeof buffers);
    for (int round = 0; round < 5; round++) {
        for (unsigned i = 0; i < MANY; i++) {
            struct io_uring_sqe *one = &requests[i];
            memset(one, 0, sizeof *one);
            one->opcode = round % 2 ? IORING_OP_READ : IORING_OP_WRITE;
            one->fd = fd;
            one->addr = (unsigned long)buffers[i];
            one->len = 64;
            one->off = 64 * (MANY * (unsigned)round + i);
            one->user_data = i;
            array[(*tail + i) & (params.sq_entries - 1)] = i;
        }
        __atomic_store_n(tail, *tail + MANY, __ATOMIC_RELEASE);
        say("entered %ld\n", is_inline ? enter_inline(ring, MANY, MANY, IORING_ENTER_GETEVENTS)
                                       : syscall(SYS_io_uring_enter, ring, MANY, MANY, IORING_ENTER_GETEVENTS, NULL, 0));
        int results[MANY];
        for (unsigned i = 0; i < MANY; i++) {
            struct io_uring_cqe *end = &ends[(*seen + i) & (params.cq_entries - 1)];
            results[end->user_data] = end->res;
        }
        for (unsigned i = 0; i < MANY; i++)
            say("= io_uring_prep_%s %u 64 %d\n", round % 2 ? "read" : "write", 64 * (MANY * (unsigned)round + i), results[i]);
        __atomic_store_n(seen, *seen + MANY, __ATOMIC_RELEASE);
    }
    say("nothing %ld\n", syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0));
    if (is_unmapped)
        munmap(rings, size);
    close(ring);
    tell();
    return 0;
}
