/* A library that is loaded late and has all of MPI in it: mpi_host.c. */
#include "mpi_program.h"

int run(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    return MPI_Finalize();
}
