/* The first and the last word of a traced process. */

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>

void iota_start(void);
void iota_finish(void);

__attribute__((constructor(101))) static void first(void)
{
    iota_start();
}

bool iota_is_shared(void)
{
#ifdef IOTA_PRELOAD
    return true;
#else
    return false;
#endif
}

/* By the program's own headers: the kernel says nothing of a loader that the user started by name. */
bool iota_has_loader(void)
{
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned long count = header ? getauxval(AT_PHNUM) : 0;
    for (unsigned long n = 0; n < count; n++)
        if (header[n].p_type == PT_INTERP)
            return true;
    return false;
}

#ifdef IOTA_PRELOAD
/* AddressSanitizer's runtime asks for this, and ends a program that has a library before it in the order of lookup.
 * The tracer stands there, and hands every call on to it. */
const char *__asan_default_options(void)
{
    return "verify_asan_link_order=0";
}
#endif

__attribute__((destructor(101))) static void last(void)
{
    iota_finish();
}
