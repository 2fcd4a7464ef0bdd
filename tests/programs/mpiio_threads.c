/* Four threads on one file of each rank, and one that completes what another began. */
#include "mpiio.h"
#include <pthread.h>

enum { THREADS = 4, CALLS = 50, INTS = 16, BYTES = INTS * sizeof(int) };
static MPI_File file;
static MPI_Request request;
static int numbers[INTS];

static void *write_part(void *number)
{
    long thread = (long)number;
    for (int i = 0; i < CALLS; i++)
        must(MPI_File_write_at(file, (thread * CALLS + i) * BYTES, numbers, INTS, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at");
    return NULL;
}

static void *wait_for_it(void *nothing)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return nothing;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    must(provided == MPI_THREAD_MULTIPLE, "MPI_THREAD_MULTIPLE");
    rank = my_rank();
    char name[32];
    snprintf(name, sizeof name, "threads.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    pthread_t threads[THREADS], other;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, write_part, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_File_iwrite_at(file, 1 << 20, numbers, INTS, MPI_INT, &request);
    pthread_create(&other, NULL, wait_for_it, NULL);
    pthread_join(other, NULL);
    MPI_File_close(&file);
    return MPI_Finalize();
}
