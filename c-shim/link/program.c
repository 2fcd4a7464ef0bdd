/* What every program gets that is linked with wraps.txt, and no shared library: an archive with this object stands in
 * libiota.rsp, and the linker takes it for the function that the C library's start files call first.
 *
 * Its purpose is the name below. The program's calls of MPI_Init and MPI_Finalize are wrapped, and no longer count as a
 * use of the MPI library that the linker has been given. With --as-needed, which is the default of some compilers, a
 * program that calls nothing else of MPI would lose it. Nothing is relocated to that name, so that a link without MPI is
 * no error; but a shared library would keep it, and GNU ld would refuse to link a program with that library. */
__asm__(".globl MPI_Comm_rank");

typedef int program(int, char **, char **);
typedef int starting(program *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*of_loader)(void),
                     void *stack_end);

starting __real___libc_start_main, __wrap___libc_start_main;

int __wrap___libc_start_main(program *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                             void (*of_loader)(void), void *stack_end)
{
    return __real___libc_start_main(main, argc, argv, init, fini, of_loader, stack_end);
}
