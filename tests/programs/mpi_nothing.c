/* MPI's start and end, and nothing else of it: what a configure script runs. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int started = MPI_Init(&argc, &argv) == MPI_SUCCESS;
    puts(started ? "started" : "no MPI");
    return MPI_Finalize() == MPI_SUCCESS && started ? 0 : 1;
}
