/* Functions of the program's own, which no slot leads to: in_* can have a probe, no_* cannot. */
#include "program.h"
#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>

#define ALONE __attribute__((noinline, used))
#define STAYS __asm__ volatile("")

static jmp_buf back;
static volatile int handled;

ALONE static long in_fibonacci(long n)
{
    STAYS;
    return n < 2 ? n : in_fibonacci(n - 1) + in_fibonacci(n - 2);
}

ALONE static int in_zero(void)
{
    STAYS;
    return 0;
}

ALONE static void in_write(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        abort();
}

ALONE static long in_length(const char *text)
{
    long n = 0;

    while (*text++)
        n++;
    return n;
}

ALONE static int in_last(int a)
{
    STAYS;
    return a * 3;
}

ALONE static int in_first(int a)
{
    STAYS;
    return in_last(a + 1);
}

ALONE static void in_jumps(int depth)
{
    if (depth == 0)
        longjmp(back, 1);
    if (depth < 100)
        in_jumps(depth - 1);
    STAYS;
}

ALONE static double in_many(int a, double b, long c, int d, int e, int f, int g, int h, double i)
{
    STAYS;
    return a + b + c + d + e + f + g + h + i;
}

/* A table of jumps. */
ALONE static int in_switch(int which)
{
    switch (which) {
    case 0:
        return in_zero() + 11;
    case 1:
        return in_last(7);
    case 2:
        return 99;
    case 3:
        return in_first(5);
    case 4:
        return 1234;
    case 6:
        return 77;
    default:
        return -1;
    }
}

/* Labels whose addresses are taken. */
ALONE static int in_steps(const char *steps)
{
    static const void *const labels[] = {&&more, &&twice, &&end};
    int sum = 1;

    goto *labels[*steps - '0'];
more:
    sum++;
    goto *labels[*++steps - '0'];
twice:
    sum *= 2;
    goto *labels[*++steps - '0'];
end:
    return sum;
}

ALONE static int in_backtrace(void)
{
    void *frames[32];

    return backtrace(frames, 32) >= 3;
}

ALONE static int in_compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

ALONE static void in_handler(int signal)
{
    handled += in_zero() + signal;
}

ALONE static int in_forks(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0)
        _exit(in_zero());
    waitpid(child, &status, 0);
    return status;
}

ALONE static int in_vforks(void)
{
    int status = 0;
    pid_t child = vfork();

    if (child == 0)
        _exit(7);
    waitpid(child, &status, 0);
    return status;
}

ALONE static void *no_caller(void)
{
    STAYS;
    return __builtin_return_address(0);
}

#if defined __x86_64__
/* Where the function's last instruction is a jump to its first one, calls and turns cannot be told apart. */
__asm__(".text\n"
        ".type no_loop, @function\nno_loop:\n add %rdi, %rax\n dec %rdi\n jnz no_loop\n ret\n.size no_loop, . - no_loop\n"
        ".type no_inside, @function\nno_inside:\n xor %eax, %eax\n1: inc %eax\n dec %edi\n jnz 1b\n ret\n"
        ".size no_inside, . - no_inside\n"
        ".type no_room, @function\nno_room:\n xor %eax, %eax\n ret\n.size no_room, . - no_room\n"
        ".type no_pops, @function\nno_pops:\n mov 8(%rsp), %eax\n ret $8\n.size no_pops, . - no_pops\n"
        ".type in_calls, @function\nin_calls:\n call no_room\n add $5, %eax\n ret\n.size in_calls, . - in_calls\n"
        ".type in_far, @function\nin_far:\n cmp $3, %edi\n je 1f\n mov $10, %eax\n ret\n1: mov $20, %eax\n ret\n"
        ".size in_far, . - in_far\n"
        ".type in_leap, @function\nin_leap:\n jmp 1f\n nop\n nop\n nop\n1: mov $30, %eax\n ret\n.size in_leap, . - in_leap\n"
        ".type in_reads, @function\nin_reads:\n mov number(%rip), %eax\n ret\n.size in_reads, . - in_reads\n"
        /* Changes nothing but %eax; its caller knows. */
        ".type in_quiet, @function\nin_quiet:\n mov $1, %eax\n ret\n.size in_quiet, . - in_quiet\n");
static volatile int number __attribute__((used)) = 40;
long no_loop(long n, long more), no_inside(int n), no_room(void), no_pops(void);
int in_calls(void), in_far(int n), in_leap(void), in_reads(void);

/* What registers and flags are behind a call that leaves them alone, from a stack that is a multiple of 8. */
__asm__(".text\n"
        "keeps_all:\n push %rbx\n mov %rdi, %rbx\n lea -8(%rsp), %rsp\n mov $2, %ecx\n mov $3, %edx\n mov $5, %esi\n"
        " mov $7, %edi\n mov $11, %r8d\n mov $13, %r9d\n mov $17, %r10d\n mov $19, %r11d\n movq %r11, %xmm15\n"
        " movq %rsi, %xmm8\n movq %rdi, %xmm0\n cmp %ecx, %edx\n stc\n call in_quiet\n pushf\n popq (%rbx)\n"
        " movq %xmm15, 8(%rbx)\n movq %xmm8, 16(%rbx)\n movq %xmm0, 24(%rbx)\n cltq\n add %rcx, %rax\n add %rdx, %rax\n"
        " add %rsi, %rax\n add %rdi, %rax\n add %r8, %rax\n add %r9, %rax\n add %r10, %rax\n add %r11, %rax\n"
        " lea 8(%rsp), %rsp\n pop %rbx\n ret\n");
long keeps_all(long *others);

static void instructions(void)
{
    say("%ld %ld %ld ", no_loop(4, 0) * 0, no_inside(3), no_room());
    say("%d %d %d %d %d\n", in_calls(), in_far(3), in_far(4), in_leap(), in_reads());
    for (int i = 0; i < 2; i++) {
        long others[4], sum = keeps_all(others);
        say("kept %ld, %lx %ld %ld %ld\n", sum, others[0] & 0x8d5, others[1], others[2], others[3]);
    }
}
#else
static void instructions(void)
{
}
#endif

int main(int count, char **words)
{
    int numbers[] = {5, 3, 9, 1};

    signal(SIGUSR1, in_handler);
    say("%ld %d %ld %d\n", in_fibonacci(10), in_zero(), in_length("some text"), in_first(count));
    say("%.1f %d\n", in_many(1, 2, 3, 4, 5, 6, 7, 8, 9.5), in_steps("0101012"));
    in_write(1, "");
    if (!setjmp(back))
        in_jumps(3);
    for (int i = -1; i < 8; i++)
        say("%d ", in_switch(i));
    qsort(numbers, 4, sizeof *numbers, in_compare);
    say("%d %d %d\n", numbers[0], numbers[3], in_backtrace());
    raise(SIGUSR1);
    say("%d %d %d\n", in_forks(), in_vforks(), no_caller() != NULL);
    instructions();
    if (count > 1 && strcmp(words[1], "again") == 0) {
        tell();
        execl("/proc/self/exe", words[0], NULL);
    }
    tell();
    return 0;
}
