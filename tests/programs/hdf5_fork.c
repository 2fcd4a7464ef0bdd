/* A child that uses a dataset which its parent has opened. */
#include "hdf5_told.h"
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    hsize_t size = 100;
    double values[100] = {0};
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dataset = H5Dcreate2(file, "state", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) == 0, "H5Dwrite");
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    pid_t child = fork();
    if (child == 0) {
        must(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) == 0, "H5Dread");
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    H5Dclose(dataset);
    H5Fclose(file);
    return status;
}
