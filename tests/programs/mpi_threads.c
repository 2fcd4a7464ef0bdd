/* MPI_THREAD_MULTIPLE: threads write while others talk, up to the last moment before MPI_Finalize. */
#include "mpi_program.h"
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 200 };
static int rank, size, provided;

static void *writes(void *arg)
{
    char name[32], record[RECORD] = "";
    snprintf(name, sizeof name, "thread.%d.%d", rank, (int)(long)arg);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0, name);
    for (int i = 0; i < ROUNDS; i++)
        must(write(fd, record, sizeof record) == RECORD, name);
    must(close(fd) == 0, name);
    return NULL;
}

static void *talks(void *arg)
{
    int got, from = (rank + size - 1) % size;
    for (int i = 0; provided == MPI_THREAD_MULTIPLE && i < ROUNDS; i++)
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS + 1];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    rank = my_rank();
    size = world_size();
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, writes, (void *)i);
    pthread_create(&threads[THREADS], NULL, talks, NULL);
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    if (rank == 0)
        printf("provided %d\n", provided);
    return MPI_Finalize();
}
