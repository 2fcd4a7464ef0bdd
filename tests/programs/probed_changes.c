/* Puts a library in the place of its own, and starts itself again: probed_changes NEW OLD. With LIBRARY, the library, of which STEP makes several. */
#ifdef LIBRARY
__attribute__((noinline)) static int ch_inner(int a)
{
    __asm__ volatile("");
    return a + STEP * 100000;
}

int ch_outer(int a)
{
    return ch_inner(a) + ch_inner(a);
}
#else
#include <stdio.h>
#include <unistd.h>

int ch_outer(int a);

int main(int argc, char **argv)
{
    printf("%d\n", ch_outer(1));
    fflush(stdout);
    if (argc < 3)
        return 0;
    /* The one that is mapped stays as it is. */
    if (rename(argv[1], argv[2]) != 0)
        return 1;
    return execl(argv[0], argv[0], (char *)0);
}
#endif
