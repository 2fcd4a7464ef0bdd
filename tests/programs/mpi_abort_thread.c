/* mpi_abort_thread RANK: a thread of that rank calls MPI_Abort while the rank itself, and all others, wait. */
#include "mpi_program.h"
#include <pthread.h>

static void *aborts(void *arg)
{
    MPI_Abort(MPI_COMM_WORLD, 7);
    return arg;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == argument(argc, argv, 1, 1)) {
        pthread_create(&thread, NULL, aborts, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
