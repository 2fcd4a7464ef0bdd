/* HDF5 in a handler of atexit and in a destructor, after main has ended. Each call is told as the trace must have it. */
#include "hdf5_told.h"

enum { SIZE = 1000 };
static double values[SIZE];
static hid_t file, dataset;

#define STATE(element, converted)                                                                                      \
    "array{object=\"/state\" elements=1000 element=" element " stored=8 converted=" converted                          \
    " selection=\"all\" layout=\"contiguous\" chunk=0 filters=- collective=0 done=-}"

static void at_exit(void)
{
    told("H5Dwrite", 8 * SIZE, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), STATE("8", "0"));
    told("H5Dclose", 0, H5Dclose(dataset), "object{object=\"/state\"}");
    told("H5Fclose", 0, H5Fclose(file), "object{object=\"/\"}");
}

__attribute__((destructor)) static void at_the_end(void)
{
    static float few[SIZE];
    hid_t again = H5Fopen("data.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    must(again > 0, "H5Fopen");
    told("H5Fopen", 0, 0, OPENED("0"));
    hid_t state = H5Dopen2(again, "state", H5P_DEFAULT);
    told("H5Dopen2", 0, 0, "dataset{object=\"/state\" stored=8 layout=\"contiguous\" chunk=0 filters=-}");
    told("H5Dread", 4 * SIZE, H5Dread(state, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, few), STATE("4", "1"));
    told("H5Dclose", 0, H5Dclose(state), "object{object=\"/state\"}");
    told("H5Fclose", 0, H5Fclose(again), "object{object=\"/\"}");
}

int main(void)
{
    hsize_t size = SIZE;
    /* Else HDF5 would end itself before the destructor. */
    H5dont_atexit();
    file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file > 0, "H5Fcreate");
    told("H5Fcreate", 0, 0, OPENED("2"));
    hid_t space = H5Screate_simple(1, &size, NULL);
    dataset = H5Dcreate2(file, "state", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    told("H5Dcreate2", 0, 0, "dataset{object=\"/state\" stored=8 layout=\"contiguous\" chunk=0 filters=-}");
    H5Sclose(space);
    return atexit(at_exit);
}
