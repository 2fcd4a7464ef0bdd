/* mpi_killed RANK [MICROSECONDS]: that rank is killed while the others wait for it; or so long after it began to finalize. */
#include "mpi_program.h"
#include <pthread.h>
#include <signal.h>

static void *kill_later(void *microseconds)
{
    usleep((useconds_t)(long)microseconds);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv)
{
    long later = argument(argc, argv, 2, 0);
    pthread_t thread;

    MPI_Init(&argc, &argv);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    if (my_rank() == argument(argc, argv, 1, 1)) {
        if (later == 0)
            raise(SIGKILL);
        pthread_create(&thread, NULL, kill_later, (void *)later);
    }
    if (later == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
