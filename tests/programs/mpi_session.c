/* mpi_session [WHAT [SECONDS]]: MPI 4's sessions instead of a world, or beside one. Every rank writes own.R in a session, and
   its stripes of `shared` later. Without sessions in the MPI it says so.
     one     one session
     turns   a second one after the first
     two     a second one inside the first
     beside  a session that ends inside the world of MPI_Init
     late    as one, but rank 0 comes SECONDS later to its end */
#include "mpi_program.h"

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static int rank, size;

static MPI_Session begin(void)
{
    MPI_Session session;
    MPI_Group group;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS)
        exit(3);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_rank(group, &rank);
    MPI_Group_size(group, &size);
    MPI_Group_free(&group);
    return session;
}

static void end(MPI_Session session)
{
    if (MPI_Session_finalize(&session) != MPI_SUCCESS)
        exit(4);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "one";
    int beside = !strcmp(what, "beside");
    if (beside)
        MPI_Init(&argc, &argv);
    MPI_Session first = begin();
    write_own(rank);
    if (!strcmp(what, "late") && rank == 0)
        sleep((unsigned)argument(argc, argv, 2, 2));
    if (!strcmp(what, "two"))
        end(begin());
    if (!strcmp(what, "turns") || beside)
        end(first);
    MPI_Session second = !strcmp(what, "turns") ? begin() : first;
    write_shared(rank, size);
    if (beside)
        return MPI_Finalize();
    end(second);
    return 0;
}
#else
int main(void)
{
    puts("no sessions");
    return 0;
}
#endif
