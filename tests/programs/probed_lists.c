/* Calls functions of libraries that are not here. */
#include <stdio.h>

long cuFileRead(void *handle, void *to, unsigned long size, long offset, long into);
int dfs_write(void *system, void *object, void *list, unsigned long offset, void *event);
int adios2_put(void *engine, void *variable, const void *data, int mode);
int ncmpi_inq_nreqs(int file, int *count);
int nc_inq_nvars(int file, int *count);
unsigned long H5Dget_storage_size(long dataset);

int main(void)
{
    printf("%ld %d %d", cuFileRead("", "", 5, 6, 7), dfs_write(0, 0, 0, 8, 0), adios2_put(0, 0, 0, 9));
    printf(" %d %d %lu\n", ncmpi_inq_nreqs(10, 0), nc_inq_nvars(11, 0), H5Dget_storage_size(12));
    return 0;
}
