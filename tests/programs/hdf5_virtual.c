/* A virtual dataset, whose halves are datasets of two other files. Each call is told as the trace must have it. */
#include "hdf5_told.h"

enum { HALF = 100 };
static double values[2 * HALF];

#define WHOLE(layout, elements)                                                                                        \
    "array{object=\"/state\" elements=" elements " element=8 stored=8 converted=0 selection=\"all\" layout=\"" layout   \
    "\" chunk=0 filters=- collective=0 done=-}"
#define MADE(layout) "dataset{object=\"/state\" stored=8 layout=\"" layout "\" chunk=0 filters=-}"

static hid_t create(const char *path)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file > 0, "H5Fcreate");
    told("H5Fcreate", 0, 0, OPENED("2"));
    return file;
}

static hid_t dataset_in(hid_t file, hid_t space, hid_t how, const char *made)
{
    hid_t dataset = H5Dcreate2(file, "state", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    told("H5Dcreate2", 0, 0, made);
    return dataset;
}

static void close_both(hid_t dataset, hid_t file)
{
    told("H5Dclose", 0, H5Dclose(dataset), "object{object=\"/state\"}");
    told("H5Fclose", 0, H5Fclose(file), "object{object=\"/\"}");
}

static void half(const char *path, hid_t space)
{
    hid_t file = create(path), dataset = dataset_in(file, space, H5P_DEFAULT, MADE("contiguous"));
    told("H5Dwrite", 8 * HALF, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), WHOLE("contiguous", "100"));
    close_both(dataset, file);
}

int main(void)
{
    hsize_t small = HALF, large = 2 * HALF, start = 0;
    hid_t part = H5Screate_simple(1, &small, NULL), whole = H5Screate_simple(1, &large, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const char *paths[] = {"one.h5", "two.h5"};
    for (int i = 0; i < 2; i++, start += HALF) {
        half(paths[i], part);
        H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, NULL, &small, NULL);
        must(H5Pset_virtual(how, whole, paths[i], "state", part) == 0, "H5Pset_virtual");
    }
    H5Sselect_all(whole);
    hid_t file = create("data.h5"), dataset = dataset_in(file, whole, how, MADE("virtual"));
    told("H5Dread", 16 * HALF, H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), WHOLE("virtual", "200"));
    told("H5Dwrite", 16 * HALF, H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), WHOLE("virtual", "200"));
    close_both(dataset, file);
    H5Sclose(part);
    H5Sclose(whole);
    H5Pclose(how);
    return 0;
}
