/* The first and the last word of a traced process. */

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern char **__environ;

unsigned long iota_auxiliary(unsigned long);
void iota_start(void);
void iota_finish(void);
/* Of the shared object (src/shared, and rendered) */
void iota_probe_start(void);
void iota_find_all(void);

/* The program's arguments as the kernel put them there, one behind the other. */
static const char *arguments;
static size_t arguments_length;

static void keep_arguments(char **words, size_t count)
{
    const char *end = words[0];

    for (size_t n = 0; n < count; n++) {
        if (words[n] != end)
            return;
        end += strlen(end) + 1;
    }
    arguments = words[0];
    arguments_length = end - words[0];
}

/* Where they lie, if that is known; else their length is 0. */
const char *iota_arguments(size_t *length)
{
    *length = arguments_length;
    return arguments;
}

/* glibc passes what main gets; musl passes nothing, and then these are any numbers: they are looked at only if they fit
 * together. */
__attribute__((constructor(101))) static void first(int count, char **words, char **environment)
{
    uintptr_t behind = (uintptr_t)words + ((uintptr_t)count + 1) * sizeof *words;

    if (count > 0 && environment && environment == __environ && behind == (uintptr_t)environment)
        keep_arguments(words, count);
    iota_start();
#ifdef IOTA_PRELOAD
    iota_probe_start();
#endif
}

#ifdef IOTA_PRELOAD
__attribute__((constructor)) static void find_all(void)
{
    iota_find_all();
}
#endif

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
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)iota_auxiliary(AT_PHDR);
    unsigned long count = header ? iota_auxiliary(AT_PHNUM) : 0;
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

/* Of quick_exit's handlers the one that was registered first is called last. musl does not have this name. */
extern int __cxa_at_quick_exit(void (*)(void *), void *) __attribute__((weak));
extern void *__dso_handle;

static void quickly(void *unused)
{
    (void)unused;
    iota_finish();
}

bool iota_watch_quick_exit(void)
{
    return __cxa_at_quick_exit && __cxa_at_quick_exit(quickly, &__dso_handle) == 0;
}

__attribute__((destructor(101))) static void last(void)
{
    iota_finish();
}
