/* Functions of a library by version: one of two versions, one that is hidden, and one that is not. With LIBRARY, the library. */
#ifdef LIBRARY
int both_0(void)
{
    return 0;
}

int both_1(void)
{
    return 1;
}

int old_0(void)
{
    return 2;
}

int p_new(void)
{
    return 3;
}

__asm__(".symver both_0, p_both@V0\n .symver both_1, p_both@@V1\n .symver old_0, p_old@V0");
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int p_both(void), both_before(void), p_new(void), old_alone(void);
__asm__(".symver both_before, p_both@V0\n .symver old_alone, p_old@V0");

int main(void)
{
    void *library = dlopen("./libversions.so", RTLD_NOW);
    int (*asked)(void) = (int (*)(void))dlvsym(library, "p_both", "V0");
    int (*hidden)(void) = (int (*)(void))dlvsym(library, "p_old", "V0");

    printf("%d %d %d %d", p_both(), both_before(), p_new(), old_alone());
    printf(" %d %d\n", asked(), hidden());
    return 0;
}
#endif
