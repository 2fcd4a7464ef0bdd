/* MPI 4: sessions instead of a world. Without them in the MPI it says so. */
#include "mpi_program.h"

#if MPI_VERSION >= 4
int main(void)
{
    MPI_Session session;
    MPI_Group group;
    int rank;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        return 3;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_free(&group);
    write_own(rank);
    return MPI_Session_finalize(&session);
}
#else
int main(void)
{
    puts("no sessions");
    return 0;
}
#endif
