/* Goes on after MPI_Finalize: rank 0 writes its own file then. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = my_rank();
    write_shared(rank, world_size());
    MPI_Finalize();
    if (rank == 0)
        write_own(rank);
    return 0;
}
