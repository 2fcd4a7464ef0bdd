/* Each rank writes ten times to the same file by MPI-IO. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_File file;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "shared", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    for (i = 0; i < 10; i++)
        MPI_File_write_at(file, 80 * rank + 8 * i, &i, sizeof i, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
