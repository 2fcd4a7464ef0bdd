/* Functions of libraries that are not here, by their names. */
long cuFileRead(void *handle, void *to, unsigned long size, long offset, long into)
{
    return handle && to ? (long)size + offset + into : -1;
}

int dfs_write(void *system, void *object, void *list, unsigned long offset, void *event)
{
    return system && object && list && event ? 0 : (int)offset;
}

int adios2_put(void *engine, void *variable, const void *data, int mode)
{
    return engine && variable && data ? 0 : mode;
}

int ncmpi_inq_nreqs(int file, int *count)
{
    return count ? 0 : file;
}

int nc_inq_nvars(int file, int *count)
{
    return count ? 0 : file;
}

/* One of those that iota does not record anyway */
unsigned long H5Dget_storage_size(long dataset)
{
    return dataset;
}
