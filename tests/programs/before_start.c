/* I/O before .init_array: in .preinit_array, and in a constructor of the first priority that there is. With -DRESOLVER also in
   the resolver of an IFUNC, where little of the C library can be used: a call that succeeds and waits for nothing. */
#include "program.h"

static int early_calls;

static void in_preinit_array(void)
{
    int fd = open("preinit", O_CREAT | O_WRONLY, 0600);
    early_calls += write(fd, "12345", 5) == 5;
    early_calls += close(fd) == 0;
}
/* A shared object may not have one, but a program may. */
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = in_preinit_array;

__attribute__((constructor(1))) static void before_others(void)
{
    int fd = open("constructor", O_CREAT | O_WRONLY, 0600);
    early_calls += write(fd, "1234567", 7) == 7;
    early_calls += close(fd) == 0;
}

#ifdef RESOLVER
static int resolved(void)
{
    return 77;
}

static int (*resolver(void))(void)
{
    access("/", F_OK);
    return resolved;
}
int chosen(void) __attribute__((ifunc("resolver")));
#else
static int chosen(void)
{
    return 77;
}
#endif

int main(void)
{
    say("%d %d\n", chosen(), early_calls);
    SAW(access("/", R_OK));
    tell();
    return 0;
}
