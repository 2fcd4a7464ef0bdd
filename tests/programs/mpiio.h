/* What the programs of MPI-IO have in common. Each rank tells on its output what it calls, in the order in which the calls begin:
   `call RANK NAME OFFSET LENGTH RET EXTENT COLLECTIVE`; a test compares that with the trace. OFFSET is the first byte in the file, RET
   what the status says, EXTENT how far the bytes reach, COLLECTIVE 1 if all ranks make the call together. */
#ifndef MPIIO_H
#define MPIIO_H
#include "mpi_program.h"

static int rank, ranks;

static inline void tell(const char *name, MPI_Offset offset, long long length, long long ret, long long extent, int collective)
{
    char line[160];
    int n = snprintf(line, sizeof line, "call %d %s %lld %lld %lld %lld %d\n", rank, name, (long long)offset, length, ret, extent,
                     collective);
    must(write(1, line, n) == n, "stdout");
}

/* A call that moves nothing. */
static inline void told(int code, const char *name, int collective)
{
    must(code == MPI_SUCCESS, name);
    tell(name, -1, 0, 0, 0, collective);
}

static inline long long bytes_of(MPI_Status *status)
{
    int bytes;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes;
}

/* A transfer of contiguous bytes at an offset, of which the status tells. */
static inline void moved(int code, const char *name, MPI_Offset offset, long long length, MPI_Status *status, int collective)
{
    must(code == MPI_SUCCESS, name);
    tell(name, offset, length, bytes_of(status), length, collective);
}

static inline MPI_File opened(const char *path, int amode)
{
    MPI_File file;
    told(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file), "MPI_File_open", 1);
    return file;
}

static inline void closed(MPI_File *file)
{
    told(MPI_File_close(file), "MPI_File_close", 1);
}

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    rank = my_rank();
    ranks = world_size();
}

#endif
