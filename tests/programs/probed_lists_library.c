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

int ncmpi_put_vara_all(int file, int variable, const long *start, const long *count, const void *from, long n, int type)
{
    return start && count && from ? 0 : file + variable + (int)n + type;
}

int nc_put_vara(int file, int variable, const long *start, const long *count, const void *from)
{
    return start && count && from ? 0 : file + variable;
}
