/* The trampoline of c-shim/probe alone, with another tracer behind it: arguments and results of every kind pass, whatever
   the tracer does to the registers, also for a processor that is only emulated. */
#include "probed.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { STUB = 16, ROOM = 128, BYTES = 1024, UNTRACED = -1, FIRST = -2 };
enum { AT_ONCE, AFTER_A_FIRST_LOOK, NOT_AT_ALL };

struct notes {
    void *real;
    char rest[ROOM - sizeof(void *)];
};

extern char iota_probe_stubs[] __attribute__((visibility("hidden")));
extern char iota_probe_asking[] __attribute__((visibility("hidden")));
extern char ways[] __attribute__((visibility("hidden")));
/* Of x86_64's trampoline: all parts of vectors are in the lower ones. */
unsigned iota_probe_parts __attribute__((visibility("hidden")));

/* As first instructions lead to the other trampoline, by way of an island; and a call between two looks at the registers
   that a callee may leave alone. */
#if defined __aarch64__
__asm__(".text\n .balign 16\nways:\n .set number, 0\n .rept 16\n mov w16, #number\n b iota_probe_inner\n .balign 16\n"
        " .set number, number + 1\n .endr\n"
        " .globl leaves_all\n .globl keeps_all\nleaves_all: ret\n"
        "keeps_all: stp x29, x30, [sp, #-32]!\n str x0, [sp, #16]\n mov x2, #2\n mov x7, #7\n mov x8, #8\n mov x9, #9\n"
        " mov x15, #15\n fmov d0, x2\n fmov d16, x7\n fmov d31, x8\n cmp x2, x7\n bl ways + 240\n cset x0, lo\n"
        " add x0, x0, x2\n add x0, x0, x7\n add x0, x0, x8\n add x0, x0, x9\n add x0, x0, x15\n fmov x1, d0\n"
        " add x0, x0, x1\n fmov x1, d16\n add x0, x0, x1\n fmov x1, d31\n add x0, x0, x1\n ldp x29, x30, [sp], #32\n"
        " ret\n");
#else
__asm__(".text\n .balign 16\nways:\n .set number, 0\n .rept 16\n push $number\n jmp iota_probe_inner\n .balign 16\n"
        " .set number, number + 1\n .endr\n"
        " .globl leaves_all\n .globl keeps_all\nleaves_all: ret\n"
        "keeps_all: mov $2, %edx\n mov $7, %r8d\n mov $8, %r9d\n mov $9, %r10d\n mov $15, %r11d\n movq %rdx, %xmm0\n"
        " movq %r8, %xmm8\n movq %r9, %xmm15\n cmp %r8, %rdx\n lea -8(%rsp), %rsp\n call ways + 240\n lea 8(%rsp), %rsp\n mov $0, %eax\n setb %al\n"
        " add %rdx, %rax\n add %r8, %rax\n add %r9, %rax\n add %r10, %rax\n add %r11, %rax\n movq %xmm0, %rdx\n"
        " add %rdx, %rax\n movq %xmm8, %rdx\n add %rdx, %rax\n movq %xmm15, %rdx\n add %rdx, %rax\n ret\n");
#endif
void leaves_all(void);
long keeps_all(void);

static char *stubs = iota_probe_stubs;
static void *functions[16];
static int mode;
static long begun, ended, left;

static void spoil(void)
{
#if defined __aarch64__
    __asm__ volatile("movi v0.16b, #1\n movi v1.16b, #2\n movi v2.16b, #3\n movi v3.16b, #4\n movi v4.16b, #5\n"
                     "movi v5.16b, #6\n movi v6.16b, #7\n movi v7.16b, #8\n mov x1, #1\n mov x2, #2\n mov x3, #3\n"
                     "mov x4, #4\n mov x5, #5\n mov x6, #6\n mov x7, #70\n mov x8, #80\n mov x9, #90\n mov x15, #0\n"
                     "movi v16.16b, #1\n movi v31.16b, #1\n cmp x7, x2\n" ::
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v31", "x1", "x2", "x3", "x4", "x5", "x6",
                           "x7", "x8", "x9", "x15", "cc");
#else
    __asm__ volatile("pxor %%xmm0, %%xmm0\n pxor %%xmm1, %%xmm1\n pxor %%xmm2, %%xmm2\n pxor %%xmm3, %%xmm3\n"
                     "pxor %%xmm4, %%xmm4\n pxor %%xmm5, %%xmm5\n pxor %%xmm6, %%xmm6\n pxor %%xmm7, %%xmm7\n"
                     "mov $1, %%edi\n mov $2, %%esi\n mov $3, %%edx\n mov $4, %%ecx\n mov $5, %%r8d\n mov $6, %%r9d\n"
                     "mov $7, %%r10d\n mov $8, %%r11d\n pxor %%xmm8, %%xmm8\n pxor %%xmm15, %%xmm15\n cmp %%edi, %%esi\n" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm15", "rdi", "rsi",
                           "rdx", "rcx", "r8", "r9", "r10", "r11", "cc");
#endif
}

long iota_probe_begin(struct notes *call, unsigned stub, uintptr_t arguments)
{
    memset(call, 0xee, sizeof *call);
    call->real = functions[stub];
    begun += mode == AT_ONCE && arguments % 16 == 0;
    spoil();
    return mode == AT_ONCE ? BYTES : FIRST;
}

long iota_probe_begin_first(struct notes *call, uintptr_t arguments)
{
    memset(call->rest, 0xdd, sizeof call->rest);
    begun += mode == AFTER_A_FIRST_LOOK && arguments % 16 == 0;
    spoil();
    return mode == NOT_AT_ALL ? UNTRACED : BYTES - 8;
}

void iota_probe_end(struct notes *call, long result)
{
    left += result == -1 && call->real == functions[14];
    memset(call, (int)result, sizeof *call);
    ended++;
    spoil();
}

uintptr_t iota_probe_asked(void *handle, const char *name, const char *version, unsigned number)
{
    uintptr_t function = handle && name && version ? (uintptr_t)functions[number] : 0;

    spoil();
    return function;
}

static long answer(const char *handle, const char *name, const char *version)
{
    return (long)(strlen(handle) + strlen(name) + strlen(version));
}

/* The function by way of its stub. */
#define VIA(n, function) ((__typeof__(&function))(functions[n] = (void *)function, (void *)(stubs + STUB * (n))))

static void numbers(void)
{
    char text[100];
    int printed = VIA(3, p_prints)(text, sizeof text, "%s %d %g %g %Lg %ld", "some", 7, 1.5, 2.25, 3.125L, 1L << 40);
    double complex product = VIA(5, p_complex)(1 + 2 * I, 3 - 4 * I);
    long double complex twice = VIA(6, p_long_complex)(1.5L + 2.5L * I);
    __int128 wide = VIA(10, p_wide)((__int128)1 << 65, -3);

    printf("%ld %.1f", VIA(0, p_ints)(1, 2, 3, 4, 5, 6, 7, 8, 9), VIA(1, p_doubles)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf(" %.2f %d %s", VIA(2, p_variadic)(12, 1, 2.5, 3, 4.5, 5, 6.5, 7, 8.5, 9, 10.5, 11, 12.25), printed, text);
    printf(" %Lf %.1f %.1f", VIA(4, p_long_double)(1.25L, 3, 0.5L), __real__ product, __imag__ product);
    printf(" %.1Lf %.1Lf %ld %ld\n", __real__ twice, __imag__ twice, (long)(wide >> 64), (long)wide);
}

static void structures(void)
{
    struct two_doubles two = VIA(7, p_two_doubles)((struct two_doubles){1, 2});
    struct mixed mixed = VIA(8, p_mixed)((struct mixed){5, 1.5});
    struct large large;

    for (int i = 0; i < 20; i++)
        large.all[i] = i;
    large = VIA(9, p_large)(large, 3);
    printf("%.1f %.1f %ld %.1f %ld %ld", two.a, two.b, mixed.a, mixed.b, large.all[1], large.all[19]);
    printf(" %ld\n", VIA(11, p_many)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                     25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40));
}

/* The unwinder, which c-shim/left.c looks for. */
uintptr_t _Unwind_GetGR(void *frame, int number), _Unwind_GetIP(void *frame);

void *iota_probe_beside(const void *beside, const char *name)
{
    return !beside ? NULL : strcmp(name, "_Unwind_GetGR") == 0 ? (void *)_Unwind_GetGR : (void *)_Unwind_GetIP;
}

static void leave(void *unused)
{
    pthread_exit(unused);
}

static void *thread(void *unused)
{
    VIA(13, p_call)((void (*)(void *))(functions[14] = (void *)leave, stubs + STUB * 14), unused);
    return unused;
}

/* A thread that ends in a call inside a call. */
static void leave_twice(void)
{
    pthread_t ends;

    pthread_create(&ends, NULL, thread, NULL);
    pthread_join(ends, NULL);
}

int main(void)
{
    for (int n = 0; n < 2; n++, stubs = ways)
        for (mode = AT_ONCE; mode <= NOT_AT_ALL; mode++) {
            numbers();
            structures();
        }
    functions[15] = (void *)leaves_all;
    for (mode = AT_ONCE; mode <= NOT_AT_ALL; mode++)
        printf("%ld ", keeps_all());
    functions[2] = (void *)answer;
    __typeof__(&answer) asking = (void *)(iota_probe_asking + 2 * STUB);
    printf("%ld, begun %ld, ended %ld\n", asking("a", "bc", "def"), begun, ended);
    begun = ended = 0;
    for (mode = AT_ONCE; mode <= NOT_AT_ALL; mode++) {
        stubs = iota_probe_stubs, leave_twice();
        stubs = ways, leave_twice();
    }
    printf("ended %ld, left %ld\n", ended, left);
    return 0;
}
