/* What the MPI programs have in common. Their names tell what is in the trace: rank R writes 10 + R records of 100 bytes
   to own.R, and 5 blocks of 64 KiB to its stripes of `shared`. Unchecked results are not asked for by the tests. */
#ifndef MPI_PROGRAM_H
#define MPI_PROGRAM_H
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 100, RECORDS = 10, BLOCK = 65536, BLOCKS = 5 };

static inline void must(int good, const char *what)
{
    if (!good) {
        perror(what);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static inline void write_own(int rank)
{
    char name[32], record[RECORD];
    snprintf(name, sizeof name, "own.%d", rank);
    memset(record, 'a' + rank % 26, sizeof record);
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    must(fd >= 0, name);
    for (int i = 0; i < RECORDS + rank; i++)
        must(write(fd, record, sizeof record) == RECORD, name);
    must(close(fd) == 0, name);
}

static inline void write_shared(int rank, int size)
{
    static char block[BLOCK];
    memset(block, 'A' + rank % 26, sizeof block);
    int fd = open("shared", O_WRONLY | O_CREAT, 0600);
    must(fd >= 0, "shared");
    for (int i = 0; i < BLOCKS; i++)
        must(pwrite(fd, block, sizeof block, (off_t)(i * size + rank) * BLOCK) == BLOCK, "shared");
    must(close(fd) == 0, "shared");
}

static inline int my_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static inline int world_size(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

static inline void work(void)
{
    write_own(my_rank());
    write_shared(my_rank(), world_size());
}

/* A number on the command line. */
static inline int argument(int argc, char **argv, int n, int otherwise)
{
    return argc > n ? atoi(argv[n]) : otherwise;
}

#endif
