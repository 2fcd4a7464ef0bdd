/* For programs that tell of each call of HDF5 as the trace must have it. */

/* The header is of 1.10. HDF5 says which version the library has: 114 is 1.14, 200 is 2.0. There these functions have
 * other names for the linker. */
#ifndef HDF5
#define HDF5 110
#endif
#if HDF5 >= 114
#define H5Lget_info H5Lget_info1
#define H5Literate H5Literate1
#endif
#if HDF5 >= 200
#define H5Dread_chunk H5Dread_chunk1
#endif
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if HDF5 > 110
/* It compares the versions of header and library. */
#undef H5CHECK
#define H5CHECK
#endif

/* A function as the linker calls it. */
#define NAME(function) NAME_OF(function)
#define NAME_OF(function) #function

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
