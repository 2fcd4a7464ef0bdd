/* A file that is written and closed as MPI_Finalize frees MPI_COMM_SELF. */
#include "mpiio.h"

static MPI_File file;
static int number;

static int last(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    must(MPI_File_write_at(file, rank * 4, &number, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at");
    return MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int key;
    begin(&argc, &argv);
    char name[32];
    snprintf(name, sizeof name, "last.%d", rank);
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    return MPI_Finalize();
}
