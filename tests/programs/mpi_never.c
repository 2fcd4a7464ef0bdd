/* MPI is started and never ended. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
