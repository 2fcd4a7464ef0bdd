/* Writes a file with the HDF5 that it is linked with. */
#include "hdf5_told.h"

void write_file(const char *path);

void write_file(const char *path)
{
    hsize_t size = 10;
    int values[10] = {0};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file > 0, "H5Fcreate");
    told("H5Fcreate", 0, 0, OPENED("2"));
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dataset = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    told("H5Dcreate2", 0, 0, "dataset{object=\"/data\" stored=4 layout=\"contiguous\" chunk=0 filters=-}");
    told("H5Dwrite", 40, H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values),
         "array{object=\"/data\" elements=10 element=4 stored=4 converted=0 selection=\"all\" layout=\"contiguous\" chunk=0 "
         "filters=- collective=0 done=-}");
    told("H5Dclose", 0, H5Dclose(dataset), "object{object=\"/data\"}");
    H5Sclose(space);
    told("H5Fclose", 0, H5Fclose(file), "object{object=\"/\"}");
    fflush(stdout);
}
