/* For programs that tell of each call of HDF5 as the trace must have it. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((unused)) static void must(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s failed\n", what);
        exit(1);
    }
}

/* A call: the bytes that it asks for, what it returned, and its details. */
__attribute__((unused)) static void told(const char *op, long bytes, long ret, const char *details)
{
    printf("call %s %ld %ld %s\n", op, bytes, ret, details);
}

/* The details of the open of a file that one process uses. */
#define OPENED(flags) \
    "hdf5_open{object=\"/\" flags=0x" flags " driver=\"sec2\" vol=\"native\" metadata_reads=0 metadata_writes=0}"
