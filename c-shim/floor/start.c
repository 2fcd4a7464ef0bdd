/* A start file of glibc 2.34 or later leaves it to the C library to call a program's constructors. An older library calls
 * what it is given for that, as a newer one does for programs that were linked before. */
#include <stddef.h>

typedef void constructor(int, char **, char **);
typedef int main_function(int, char **, char **);
extern constructor *__preinit_array_start[] __attribute__((visibility("hidden")));
extern constructor *__preinit_array_end[] __attribute__((visibility("hidden")));
extern constructor *__init_array_start[] __attribute__((visibility("hidden")));
extern constructor *__init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

static void construct(int argc, char **argv, char **environment)
{
    for (constructor **each = __preinit_array_start; each < __preinit_array_end; each++)
        (*each)(argc, argv, environment);
    _init();
    for (constructor **each = __init_array_start; each < __init_array_end; each++)
        (*each)(argc, argv, environment);
}

extern int __real___libc_start_main(main_function *, int, char **, constructor *, void (*)(void), void (*)(void), void *);
int __wrap___libc_start_main(main_function *, int, char **, constructor *, void (*)(void), void (*)(void), void *);
int __wrap___libc_start_main(main_function *main, int argc, char **argv, constructor *init, void (*fini)(void),
                             void (*rtld_fini)(void), void *stack_end)
{
    return __real___libc_start_main(main, argc, argv, init ? init : construct, fini, rtld_fini, stack_end);
}
