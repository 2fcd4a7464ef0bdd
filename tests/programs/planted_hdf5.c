/* Jobs of HDF5, each with one cause for which it waits, which its argument names; and one that has none. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 1024 };

static double values[SIDE * SIDE];

static hid_t created(const char *name)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        exit(3);
    return file;
}

static hid_t dataset(hid_t file, const char *name, hsize_t side, hsize_t chunk, H5D_fill_time_t fill)
{
    hsize_t size[2] = {side, side}, chunks[2] = {chunk, chunk};
    hid_t space = H5Screate_simple(2, size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(how, 2, chunks);
    else
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(how, fill);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(how);
    return set;
}

static void write_all(hid_t set)
{
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
}

static void datasets(hsize_t chunk, H5D_fill_time_t fill)
{
    hid_t file = created("sets.h5");
    for (int n = 0; n < 10; n++) {
        char name[16];
        snprintf(name, sizeof name, "set%d", n);
        write_all(dataset(file, name, SIDE, chunk, fill));
    }
    H5Fclose(file);
}

/* A column at a time out of chunks, of which the cache holds one. */
static void chunk_cache(void)
{
    hid_t how = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_cache(how, 0, 521, 200000, 0.75);
    hid_t file = H5Fcreate("columns.h5", H5F_ACC_TRUNC, H5P_DEFAULT, how);
    hid_t set = dataset(file, "set", SIDE, 128, H5D_FILL_TIME_NEVER);
    write_all(set);
    set = H5Dopen2(file, "set", H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    hsize_t start[2] = {0, 0}, count[2] = {SIDE, 1};
    hid_t memory = H5Screate_simple(2, count, NULL);
    for (start[1] = 0; start[1] < SIDE; start[1]++) {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
    }
    H5Dclose(set);
    H5Fclose(file);
}

static void attributes(void)
{
    hid_t file = created("attributes.h5"), space = H5Screate(H5S_SCALAR);
    for (int n = 0; n < 3000; n++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", n);
        hid_t attribute =
            H5Acreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT, &n);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Fclose(file);
}

int main(int count, char **words)
{
    const char *job = count > 1 ? words[1] : "";
    if (!strcmp(job, "fill-values"))
        datasets(0, H5D_FILL_TIME_ALLOC);
    else if (!strcmp(job, "chunk-cache"))
        chunk_cache();
    else if (!strcmp(job, "small-chunks"))
        datasets(16, H5D_FILL_TIME_NEVER);
    else if (!strcmp(job, "many-attributes"))
        attributes();
    else
        datasets(0, H5D_FILL_TIME_NEVER);
    return 0;
}
