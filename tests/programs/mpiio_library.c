/* A library above MPI-IO, as HDF5 and NetCDF are: the calls of MPI-IO are its own. */
#include <mpi.h>

int library_write(const char *path, int rank)
{
    char block[1000] = {0};
    MPI_File file;
    int code = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    if (code != MPI_SUCCESS)
        return code;
    MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof block, block, sizeof block, MPI_BYTE, MPI_STATUS_IGNORE);
    return MPI_File_close(&file);
}
