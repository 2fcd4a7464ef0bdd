/* In a session, without a world: each rank opens a file for itself, then every second rank opens one with others. */
#include "mpiio.h"

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static void write_on(MPI_Comm comm, const char *path)
{
    MPI_File file;
    must(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS, path);
    must(MPI_File_write_at_all(file, rank * 100, &rank, 1, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS, "write_at_all");
    MPI_File_close(&file);
}

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm all, own, half;
    must(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS, "session");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    must(MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all) == MPI_SUCCESS, "communicator");
    MPI_Group_free(&group);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_split(all, rank, 0, &own);
    MPI_Comm_split(all, rank % 2, rank, &half);
    write_on(own, "shared");
    write_on(half, "shared");
    MPI_Comm_free(&half);
    MPI_Comm_free(&own);
    MPI_Comm_free(&all);
    return MPI_Session_finalize(&session);
}
#else
int main(void)
{
    return 0;
}
#endif
