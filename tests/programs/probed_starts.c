/* A library that starts a thread in its constructor, and functions that only program and library themselves call. */
#include <stdio.h>

int st_library(int times);

__attribute__((noinline)) static int st_own(int a)
{
    __asm__ volatile("");
    return a * 3;
}

int main(void)
{
    printf("%d %d\n", st_own(2), st_library(5));
    return 0;
}
