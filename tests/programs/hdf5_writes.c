/* Writes a dataset by HDF5 1.10 or newer, of which only the library is needed. */
#include <stdint.h>
#include <stdio.h>

typedef int64_t hid_t;
typedef int herr_t;
typedef unsigned long long hsize_t;

herr_t H5open(void);
hid_t H5Fcreate(const char *name, unsigned flags, hid_t how, hid_t access);
herr_t H5Fclose(hid_t file);
hid_t H5Screate_simple(int rank, const hsize_t *size, const hsize_t *most);
herr_t H5Sclose(hid_t space);
hid_t H5Dcreate2(hid_t file, const char *name, hid_t type, hid_t space, hid_t links, hid_t how, hid_t access);
herr_t H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t space, hid_t how, const void *from);
herr_t H5Dclose(hid_t dataset);
extern hid_t H5T_NATIVE_DOUBLE_g;

enum { TRUNCATE = 2, USUAL = 0, ALL = 0, COUNT = 100000 };

int main(void)
{
    static double state[COUNT];
    hsize_t size = COUNT;

    H5open();
    hid_t file = H5Fcreate("out.h5", TRUNCATE, USUAL, USUAL);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t dataset = H5Dcreate2(file, "state", H5T_NATIVE_DOUBLE_g, space, USUAL, USUAL, USUAL);
    herr_t wrote = H5Dwrite(dataset, H5T_NATIVE_DOUBLE_g, ALL, ALL, USUAL, state);

    H5Dclose(dataset);
    H5Sclose(space);
    printf("%d %d\n", wrote, H5Fclose(file));
    return 0;
}
