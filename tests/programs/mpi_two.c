/* mpi_two LIBRARY: another MPI lies in the same process, loaded and not used. */
#include "mpi_program.h"
#include <dlfcn.h>

int main(int argc, char **argv)
{
    if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))
        return 2;
    MPI_Init(&argc, &argv);
    work();
    return MPI_Finalize();
}
