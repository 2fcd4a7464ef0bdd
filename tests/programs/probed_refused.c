/* Starts itself again where the kernel does not let it write to its own code: probed_refused open|write. Then it calls a
   function of its own, and one of its library. */
#include "probed.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What is opened for reading and writing, and was there before. */
static struct sock_filter opens[] = {
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
    LOAD(args[2]),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_CREAT),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_RDWR, 1, 0),
    ALLOW,
    REFUSE,
};

/* Writes far behind the end of any file: where programs and libraries are. */
static struct sock_filter writes[] = {
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]) + 4),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x1000, 1, 0),
    ALLOW,
    REFUSE,
};

__attribute__((noinline)) static long rf_inner(int a)
{
    __asm__ volatile("");
    return a * 2;
}

int main(int argc, char **argv)
{
    struct sock_fprog filter = {sizeof writes / sizeof *writes, writes};

    if (argc < 2) {
        printf("%ld %ld\n", rf_inner(4), p_ints(1, 2, 3, 4, 5, 6, 7, 8, 9));
        return 0;
    }
    if (strcmp(argv[1], "open") == 0)
        filter = (struct sock_fprog){sizeof opens / sizeof *opens, opens};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("seccomp");
        return 3;
    }
    execl(argv[0], argv[0], (char *)0);
    return 4;
}
