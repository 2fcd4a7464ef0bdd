/* Each rank writes and reads blocks of 1 MiB of one file, in turn with the others: mpiio_striped FILE */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20, BLOCKS = 8 };

static void check(int result, const char *what) {
    if (result != MPI_SUCCESS) {
        fprintf(stderr, "%s failed\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char *block = malloc(BLOCK);
    memset(block, 'a' + rank, BLOCK);
    MPI_File file;
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open");
    for (int n = 0; n < BLOCKS; n++) {
        MPI_Offset at = (MPI_Offset)(n * ranks + rank) * BLOCK;
        check(MPI_File_write_at(file, at, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    }
    check(MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    int next = (rank + 1) % ranks;
    for (int n = 0; n < BLOCKS; n++) {
        MPI_Offset at = (MPI_Offset)(n * ranks + next) * BLOCK;
        check(MPI_File_read_at_all(file, at, block, BLOCK, MPI_BYTE, MPI_STATUS_IGNORE), "read");
        if (block[0] != 'a' + next || block[BLOCK - 1] != 'a' + next) {
            fprintf(stderr, "rank %d read another block\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    check(MPI_File_close(&file), "close");
    free(block);
    MPI_Finalize();
    return 0;
}
