/* A loop of MPI-IO: NAME COUNT BYTES. Prints nanoseconds a call, of the rank that took longest. */
#include "mpiio.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    must(argc == 4, "mpiio_bench NAME COUNT BYTES");
    int count = argument(argc, argv, 2, 1), bytes = argument(argc, argv, 3, 8), together = !strcmp(argv[1], "write_at_all");
    char *data = calloc(1, bytes);
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "bench", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        // The same bytes again and again: the page cache takes them, and the disk does not count.
        MPI_Offset at = (MPI_Offset)(i % 16 * ranks + rank) * bytes;
        int code = together ? MPI_File_write_at_all(file, at, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE)
                            : MPI_File_write_at(file, at, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        must(code == MPI_SUCCESS, argv[1]);
    }
    double took = MPI_Wtime() - start, longest;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_File_close(&file);
    if (rank == 0)
        printf("%.1f\n", longest * 1e9 / count);
    return MPI_Finalize();
}
