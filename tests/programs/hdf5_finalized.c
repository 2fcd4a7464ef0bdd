/* Each rank writes a dataset of its own before MPI_Finalize and after it, to a file that stays open. */
#include "hdf5_told.h"
#include <mpi.h>

enum { SIZE = 1000 };

int main(int argc, char **argv)
{
    static double values[SIZE];
    char path[32];
    int rank;
    hsize_t size = SIZE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sprintf(path, "rank%d.h5", rank);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &size, NULL);
    hid_t dataset = H5Dcreate2(file, "state", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) == 0, "H5Dwrite");
    MPI_Finalize();
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) == 0, "H5Dwrite");
    must(H5Dclose(dataset) == 0 && H5Fclose(file) == 0, "H5Fclose");
    H5Sclose(space);
    return 0;
}
