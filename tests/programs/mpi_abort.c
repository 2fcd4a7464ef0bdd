/* mpi_abort RANK: that rank calls MPI_Abort while the others wait for it. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == argument(argc, argv, 1, 1))
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
