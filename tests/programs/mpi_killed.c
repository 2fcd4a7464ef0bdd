/* mpi_killed RANK: that rank is killed while the others wait for it. */
#include "mpi_program.h"
#include <signal.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == argument(argc, argv, 1, 1))
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
