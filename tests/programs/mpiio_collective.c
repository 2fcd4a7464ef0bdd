/* All ranks write one file together, by two of them (cb_nodes): every rank has one of every `ranks` blocks of 1,000 bytes. Then
   two files that are open at the same time, one of which half of the ranks open; and one that is opened again. */
#include "mpiio.h"

enum { BLOCK_BYTES = 1000, COUNT = 500, ROUNDS = 4 };
static char blocks[COUNT * BLOCK_BYTES];

static MPI_Info hints(void)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_nodes", "2");
    MPI_Info_set(info, "romio_cb_write", "enable");
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Info_set(info, "cb_config_list", "*:*");
    return info;
}

static void interleaved(void)
{
    MPI_File file;
    MPI_Info info = hints();
    must(MPI_File_open(MPI_COMM_WORLD, "interleaved", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS, "interleaved");
    MPI_Info_free(&info);
    MPI_Datatype block, view;
    MPI_Type_contiguous(BLOCK_BYTES, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, ranks * BLOCK_BYTES, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(file, rank * BLOCK_BYTES, MPI_BYTE, view, "native", MPI_INFO_NULL);
    for (int round = 0; round < ROUNDS; round++)
        must(MPI_File_write_all(file, blocks, sizeof blocks, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_all");
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    for (int round = 0; round < ROUNDS; round++)
        must(MPI_File_read_all(file, blocks, sizeof blocks, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS, "read_all");
    MPI_File_close(&file);
    MPI_Type_free(&block);
    MPI_Type_free(&view);
}

static void several(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_File all, some;
    MPI_File_open(MPI_COMM_WORLD, "all", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &all);
    MPI_File_open(half, rank % 2 ? "odd" : "even", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &some);
    MPI_File_write_at_all(all, rank * 10, blocks, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(some, rank * 10, blocks, 10, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&some);
    MPI_File_close(&all);
    MPI_Comm_free(&half);
    for (int i = 0; i < 3; i++) {
        MPI_File_open(MPI_COMM_WORLD, "all", MPI_MODE_WRONLY, MPI_INFO_NULL, &all);
        MPI_File_write_at_all(all, rank * 10, blocks, 10, MPI_BYTE, MPI_STATUS_IGNORE);
        MPI_File_close(&all);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    memset(blocks, 'a' + rank, sizeof blocks);
    interleaved();
    several();
    return MPI_Finalize();
}
