/* Calls functions of libraries that are not here. */
#include <stdio.h>

long cuFileRead(void *handle, void *to, unsigned long size, long offset, long into);
int dfs_write(void *system, void *object, void *list, unsigned long offset, void *event);
int adios2_put(void *engine, void *variable, const void *data, int mode);
int ncmpi_put_vara_all(int file, int variable, const long *start, const long *count, const void *from, long n, int type);
int nc_put_vara(int file, int variable, const long *start, const long *count, const void *from);

int main(void)
{
    printf("%ld %d %d", cuFileRead("", "", 5, 6, 7), dfs_write(0, 0, 0, 8, 0), adios2_put(0, 0, 0, 9));
    printf(" %d %d\n", ncmpi_put_vara_all(1, 2, 0, 0, 0, 3, 4), nc_put_vara(5, 6, 0, 0, 0));
    return 0;
}
