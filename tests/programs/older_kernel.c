/* older_kernel WHAT PROGRAM ARGUMENTS: runs a program as on another kernel. 4.18: what Linux 4.18 did not have is not there.
   statx, membarrier: that system call is not there. wipeonfork: no memory that a forked child finds empty. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The last system call of Linux 4.18, by number as well; MADV_COLD is the first advice that came later. */
enum { LAST = __NR_rseq, FIRST_NEW_ADVICE = 20 };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define JUMP(how, value, yes, no) BPF_JUMP(BPF_JMP | how | BPF_K, value, yes, no)
#define ANSWER(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter linux_4_18[] = {
    LOAD(nr),
    JUMP(BPF_JGT, LAST, 3, 0),
    JUMP(BPF_JEQ, SYS_madvise, 0, 4),
    LOAD(args[2]),
    JUMP(BPF_JGE, FIRST_NEW_ADVICE, 1, 2),
    ANSWER(ENOSYS),
    ANSWER(EINVAL),
    ALLOW,
};
static struct sock_filter no_statx[] = {LOAD(nr), JUMP(BPF_JEQ, SYS_statx, 0, 1), ANSWER(ENOSYS), ALLOW};
static struct sock_filter no_membarrier[] = {LOAD(nr), JUMP(BPF_JEQ, SYS_membarrier, 0, 1), ANSWER(ENOSYS), ALLOW};
static struct sock_filter no_wipeonfork[] = {
    LOAD(nr), JUMP(BPF_JEQ, SYS_madvise, 0, 3), LOAD(args[2]), JUMP(BPF_JEQ, MADV_WIPEONFORK, 0, 1), ANSWER(EINVAL), ALLOW,
};

#define KERNEL(name, filter) {name, {sizeof filter / sizeof *filter, filter}}
static struct {
    const char *name;
    struct sock_fprog filter;
} kernels[] = {
    KERNEL("4.18", linux_4_18),
    KERNEL("statx", no_statx),
    KERNEL("membarrier", no_membarrier),
    KERNEL("wipeonfork", no_wipeonfork),
};

int main(int argc, char **argv)
{
    size_t i = 0;

    while (argc > 2 && i < sizeof kernels / sizeof *kernels && strcmp(kernels[i].name, argv[1]) != 0)
        i++;
    if (argc < 3 || i == sizeof kernels / sizeof *kernels)
        return 2;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &kernels[i].filter) != 0) {
        perror("seccomp");
        return 3;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 4;
}
