/* Every rank writes its own file and its stripes of a shared one, then all of them one file together; in the directory
   that is named, if one is. */
#include "mpi_program.h"

static void write_together(int rank)
{
    MPI_File file;
    char part[4096];
    memset(part, '0' + rank % 10, sizeof part);
    must(MPI_File_open(MPI_COMM_WORLD, "together", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS,
         "together");
    MPI_File_write_at_all(file, (MPI_Offset)rank * (int)sizeof part, part, sizeof part, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    must(argc < 2 || !chdir(argv[1]), "directory");
    work();
    write_together(my_rank());
    if (my_rank() == 0)
        printf("%d ranks\n", world_size());
    return MPI_Finalize();
}
