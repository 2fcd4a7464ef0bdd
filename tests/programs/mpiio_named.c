/* Files with the name of a file system before their paths, which not every MPI takes for one. */
#include "mpiio.h"

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    static const char *const paths[] = {"ufs:small", "UFS:capital", "nfs:other"};
    for (int i = 0; i < 3; i++) {
        MPI_File file;
        must(MPI_File_open(MPI_COMM_SELF, paths[i], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS, paths[i]);
        must(MPI_File_write_at(file, 0, &rank, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at");
        MPI_File_close(&file);
    }
    return MPI_Finalize();
}
