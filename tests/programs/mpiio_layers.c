/* Four ranks write one file together five times; rank 2 comes 40 ms late to each. Then each writes through a view with holes, by
   itself. Then one of them alone writes a second file that all have opened. */
#include "mpiio.h"
#include <unistd.h>

enum { PIECE = 1 << 16, ROUNDS = 5, HOLES = 64, PIECE_OF_VIEW = 512 };
static char bytes[PIECE];

static void together(MPI_File file)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 2)
            usleep(40000);
        MPI_Offset at = (MPI_Offset)(round * ranks + rank) * PIECE;
        must(MPI_File_write_at_all(file, at, bytes, PIECE, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at_all");
    }
}

/* ROMIO reads what lies between the blocks, and writes all of it. */
static void with_holes(MPI_File file)
{
    MPI_Datatype view;
    MPI_Type_vector(HOLES, PIECE_OF_VIEW, PIECE_OF_VIEW * ranks, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, rank * PIECE_OF_VIEW, MPI_BYTE, view, "native", MPI_INFO_NULL);
    must(MPI_File_write_at(file, 0, bytes, HOLES * PIECE_OF_VIEW, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at");
    MPI_Type_free(&view);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    memset(bytes, 'a' + rank, sizeof bytes);
    MPI_File file, second;
    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR;
    must(MPI_File_open(MPI_COMM_WORLD, "shared", amode, MPI_INFO_NULL, &file) == MPI_SUCCESS, "shared");
    together(file);
    MPI_Barrier(MPI_COMM_WORLD);
    with_holes(file);
    MPI_File_close(&file);
    must(MPI_File_open(MPI_COMM_WORLD, "second", amode, MPI_INFO_NULL, &second) == MPI_SUCCESS, "second");
    if (rank == 1)
        MPI_File_write_at(second, 0, bytes, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&second);
    return MPI_Finalize();
}
