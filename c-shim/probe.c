/* What the trampolines of c-shim/probe must know of the processor. */

#if defined(__x86_64__)
#include <cpuid.h>

enum { ASK = 1u << 31 };

/* Which parts of vectors to keep, as bits of XCR0: 4 the upper halves, 64 the upper halves of those. With ASK the processor
 * tells which are in use (XGETBV with 1), as every one with AVX-512 does. */
unsigned iota_probe_parts __attribute__((visibility("hidden")));

static unsigned kept_by_system(void)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low & (4 | 64);
}

void iota_probe_look(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return;
    iota_probe_parts = kept_by_system();
    if (__get_cpuid_count(13, 1, &a, &b, &c, &d) && a & 4)
        iota_probe_parts = (unsigned)ASK;
}
#else
void iota_probe_look(void)
{
}
#endif
