/* A loop of HDF5: COUNT writes of one double each, by hyperslabs. Prints nanoseconds a call. */
#include "hdf5_told.h"
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv)
{
    must(argc == 2, "hdf5_bench COUNT");
    int count = atoi(argv[1]);
    hsize_t size = 4096, one = 1;
    double value = 1.5;
    hid_t file = H5Fcreate("bench.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &size, NULL), memory = H5Screate_simple(1, &one, NULL);
    hid_t dataset = H5Dcreate2(file, "data", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    double start = now();
    for (int i = 0; i < count; i++) {
        hsize_t at = (hsize_t)i % size;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
        must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) == 0, "H5Dwrite");
    }
    printf("%.1f\n", (now() - start) / count);
    H5Dclose(dataset);
    H5Fclose(file);
    return 0;
}
