/* Jobs of MPI, each with one cause for which it waits, which its argument names; and one that has none. */
#include "mpi_program.h"

enum { PIECE = 1 << 20, SMALL = 4096, STEPS = 20 };

static char piece[4 * PIECE];

static MPI_File opened_by(MPI_Comm ranks, const char *name)
{
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    must(MPI_File_open(ranks, name, mode, MPI_INFO_NULL, &file) == MPI_SUCCESS, name);
    return file;
}

static MPI_File opened(const char *name)
{
    return opened_by(MPI_COMM_WORLD, name);
}

static void write_together(int late)
{
    int rank = my_rank(), size = world_size();
    MPI_File file = opened("together");
    for (int step = 0; step < STEPS; step++) {
        if (rank == late)
            usleep(100000);
        MPI_Offset at = (MPI_Offset)(step * size + rank) * PIECE;
        MPI_File_write_at_all(file, at, piece, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

static void healthy(void)
{
    int rank = my_rank(), size = world_size();
    /* Who starts late shall not be waited for in a call of MPI-IO. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File file = opened("healthy");
    for (int step = 0; step < 5; step++) {
        /* What the program is for. */
        usleep(200000);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Offset at = (MPI_Offset)(step * size + rank) * sizeof piece;
        MPI_File_write_at_all(file, at, piece, sizeof piece, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

/* Records of all ranks in turn, each written by itself. */
static void independent(void)
{
    int rank = my_rank(), size = world_size();
    MPI_File file = opened("records");
    for (int n = 0; n < 5000; n++) {
        MPI_Offset at = (MPI_Offset)(n * size + rank) * SMALL;
        MPI_File_write_at(file, at, piece, SMALL, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
}

static void one_rank(void)
{
    if (my_rank() == 0) {
        int fd = open("all", O_WRONLY | O_CREAT, 0600);
        must(fd >= 0, "all");
        for (int n = 0; n < 100; n++)
            must(write(fd, piece, sizeof piece) == sizeof piece, "all");
        must(close(fd) == 0, "all");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_per_access(void)
{
    char name[32];
    snprintf(name, sizeof name, "log.%d", my_rank());
    for (int n = 0; n < 5000; n++) {
        int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
        must(fd >= 0, name);
        must(write(fd, piece, 100) == 100, name);
        must(close(fd) == 0, name);
    }
}

/* A collective call that nobody leaves before all have come: MPI_File_sync alone need not wait. */
static void sync_all(MPI_File file, MPI_Comm ranks)
{
    MPI_File_sync(file);
    MPI_Barrier(ranks);
}

/* Rank 1 overwrites what rank 0 wrote: after a collective call of both, or whenever. Others have no part in it. */
static void overwrite(int ordered)
{
    MPI_Comm both;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank() < 2, 0, &both);
    if (my_rank() >= 2)
        return;
    MPI_File file = opened_by(both, "overwritten");
    for (int n = 0; n < 20; n++) {
        if (my_rank() == 0)
            MPI_File_write_at(file, n * PIECE, piece, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
        if (ordered)
            sync_all(file, both);
        if (my_rank() == 1)
            MPI_File_write_at(file, n * PIECE, piece, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
        if (ordered)
            sync_all(file, both);
    }
    MPI_File_close(&file);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    const char *job = count > 1 ? words[1] : "";
    if (!strcmp(job, "late"))
        write_together(2);
    else if (!strcmp(job, "independent"))
        independent();
    else if (!strcmp(job, "one-rank"))
        one_rank();
    else if (!strcmp(job, "open-per-access"))
        open_per_access();
    else if (!strcmp(job, "ordered") || !strcmp(job, "overwrites"))
        overwrite(!strcmp(job, "ordered"));
    else
        healthy();
    MPI_Finalize();
    return 0;
}
