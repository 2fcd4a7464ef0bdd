/* mpi_exit RANK: that rank calls exit(0) instead of MPI_Finalize. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == argument(argc, argv, 1, 1))
        exit(0);
    return MPI_Finalize();
}
