/* Datasets of HDF5, written and read in several ways. Each call is told as the trace must have it. */
#include "hdf5_told.h"

enum { ROWS = 64, COLUMNS = 32 };
static int ints[ROWS][COLUMNS];
static double doubles[ROWS][COLUMNS];

static void transfers(hid_t dataset, hid_t space)
{
    const char *data = "stored=8 converted=%d selection=\"%s\" layout=\"chunked\" chunk=2048 filters=\"shuffle;deflate\"";
    char text[512], line[1024];
#define TOLD(op, count, element, converted, kind)                                                          \
    (snprintf(text, sizeof text, data, converted, kind),                                                   \
     snprintf(line, sizeof line, "array{object=\"/group/data\" elements=%d element=%d %s collective=0 done=-}", count, element, text), \
     told(op, (long)(count) * (element), 0, line))

    must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints) == 0, "H5Dwrite");
    TOLD("H5Dwrite", ROWS * COLUMNS, 4, 1, "all");
    must(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles) == 0, "H5Dread");
    TOLD("H5Dread", ROWS * COLUMNS, 8, 0, "all");

    hsize_t start[] = {0, 0}, stride[] = {2, 4}, count[] = {4, 8}, block[] = {1, 2};
    must(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block) == 0, "H5Sselect_hyperslab");
    hsize_t all = 64;
    hid_t memory = H5Screate_simple(1, &all, NULL);
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, doubles) == 0, "H5Dwrite");
    TOLD("H5Dwrite", 64, 8, 0, "hyperslab");

    hsize_t other[] = {50, 3}, one[] = {1, 1}, rest[] = {3, 5};
    must(H5Sselect_hyperslab(space, H5S_SELECT_OR, other, NULL, one, rest) == 0, "H5Sselect_hyperslab");
    all = 79;
    must(H5Sset_extent_simple(memory, 1, &all, NULL) == 0, "H5Sset_extent_simple");
    must(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, doubles) == 0, "H5Dread");
    TOLD("H5Dread", 79, 8, 0, "irregular");

    hsize_t points[3][2] = {{1, 1}, {7, 7}, {63, 31}};
    must(H5Sselect_elements(space, H5S_SELECT_SET, 3, points[0]) == 0, "H5Sselect_elements");
    all = 3;
    must(H5Sset_extent_simple(memory, 1, &all, NULL) == 0, "H5Sset_extent_simple");
    must(H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, ints) == 0, "H5Dread");
    TOLD("H5Dread", 3, 4, 1, "points");

    must(H5Sselect_none(space) == 0 && H5Sselect_none(memory) == 0, "H5Sselect_none");
    must(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, doubles) == 0, "H5Dwrite");
    TOLD("H5Dwrite", 0, 8, 0, "none");
    H5Sclose(memory);
}

int main(void)
{
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    must(file > 0, "H5Fcreate");
    told("H5Fcreate", 0, 0, OPENED("2"));

    hsize_t sizes[] = {ROWS, COLUMNS}, chunk[] = {16, 16};
    hid_t space = H5Screate_simple(2, sizes, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
    hid_t lcpl = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(lcpl, 1);
    H5Pset_chunk(dcpl, 2, chunk);
    H5Pset_shuffle(dcpl);
    H5Pset_deflate(dcpl, 1);
    hid_t dataset = H5Dcreate2(file, "group/data", H5T_IEEE_F64LE, space, lcpl, dcpl, H5P_DEFAULT);
    must(dataset > 0, "H5Dcreate2");
    const char *made = "dataset{object=\"/group/data\" stored=8 layout=\"chunked\" chunk=2048 filters=\"shuffle;deflate\"}";
    told("H5Dcreate2", 0, 0, made);
    transfers(dataset, space);
    must(H5Dclose(dataset) == 0, "H5Dclose");
    told("H5Dclose", 0, 0, "object{object=\"/group/data\"}");

    /* A file is closed before what is open in it. */
    dataset = H5Dopen2(file, "/group/data", H5P_DEFAULT);
    told("H5Dopen2", 0, 0, made);
    must(H5Fclose(file) == 0, "H5Fclose");
    told("H5Fclose", 0, 0, "object{object=\"/\"}");
    must(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles) == 0, "H5Dread");
    told("H5Dread", sizeof doubles, 0,
         "array{object=\"/group/data\" elements=2048 element=8 stored=8 converted=0 selection=\"all\" layout=\"chunked\" "
         "chunk=2048 filters=\"shuffle;deflate\" collective=0 done=-}");
    must(H5Dclose(dataset) == 0, "H5Dclose");
    told("H5Dclose", 0, 0, "object{object=\"/group/data\"}");

    /* What fails: the program finds its errors, and no other. */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    must(H5Fopen("absent.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0, "no H5Fopen");
    told("H5Fopen", 0, -1, "");
    printf("errors %ld\n", (long)H5Eget_num(H5E_DEFAULT));
    H5Sclose(space);
    H5Pclose(dcpl);
    H5Pclose(lcpl);
    return 0;
}
