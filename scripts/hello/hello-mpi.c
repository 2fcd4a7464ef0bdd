/* Every rank writes its part of one file, by pwrite and by a collective call: hello-mpi [FILE] */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { PART = 4096, PARTS = 4 };

static int write_parts(const char *path, int rank, int size, const char *part)
{
    int fd = open(path, O_WRONLY | O_CREAT, 0644), good = fd >= 0;

    for (int i = 0; good && i < PARTS; i++)
        good = pwrite(fd, part, PART, (off_t)(i * size + rank) * PART) == PART;
    return fd >= 0 && close(fd) == 0 && good;
}

static int write_together(const char *path, int rank, const char *part)
{
    MPI_File file;
    MPI_Status status;

    if (MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        return 0;
    int good = MPI_File_write_at_all(file, (MPI_Offset)rank * PART, part, PART, MPI_CHAR, &status) == MPI_SUCCESS;
    return MPI_File_close(&file) == MPI_SUCCESS && good;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "hello-mpi.out";
    char part[PART];
    int rank, size, good;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < PART; i++)
        part[i] = (char)('a' + rank % 26);
    good = write_parts(path, rank, size, part);
    MPI_Barrier(MPI_COMM_WORLD);
    good = write_together(path, rank, part) && good;
    if (rank == 0 && good)
        printf("hello-mpi: %d ranks wrote %d bytes to %s\n", size, size * PARTS * PART, path);
    MPI_Finalize();
    return !good;
}
