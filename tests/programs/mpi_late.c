/* mpi_late SECONDS: rank 0 comes to MPI_Finalize so much later than the others. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == 0)
        sleep((unsigned)argument(argc, argv, 1, 2));
    return MPI_Finalize();
}
