/* The other program of a coupled model, for `mpiexec -n 2 mpi_files : -n 1 mpi_partner`. */
#include "mpi_program.h"

int main(int argc, char **argv)
{
    MPI_File file;
    MPI_Init(&argc, &argv);
    work();
    if (MPI_File_open(MPI_COMM_WORLD, "together", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_write_at_all(file, 0, NULL, 0, MPI_CHAR, MPI_STATUS_IGNORE);
        MPI_File_close(&file);
    }
    return MPI_Finalize();
}
