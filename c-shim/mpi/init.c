/* Where a program starts and ends MPI: the names of C, above whatever the program meant to call.
 *
 * Each is hooked twice, as MPI_X and as PMPI_X. Fortran's layer of MPICH (for mpi_f08) and of Open MPI (always) calls
 * PMPI_X from a library or an object of its own, so that the second name is where every language passes.
 *
 * Linked in, the hooks are __wrap_MPI_Init and so on, above __real_MPI_Init; names.txt lists what to give to --wrap.
 * In a shared object (IOTA_PRELOAD) they carry the public names as well, and what lies below is asked of the dynamic
 * linker: the next definition below a public name, the first one below a wrapped name, which may be the program's own. */
#define _GNU_SOURCE
#include "hooks.h"
#include <dlfcn.h>
#include <mpi.h>

#ifdef IOTA_PRELOAD
#define BELOW(where, name) ((__typeof__(&name))dlsym(where, #name))
#define HOOK(define, name)                  \
    extern __typeof__(name) __wrap_##name;  \
    define(name, BELOW(RTLD_NEXT, name))    \
    define(__wrap_##name, BELOW(RTLD_DEFAULT, name))
#else
#define HOOK(define, name)                                \
    extern __typeof__(name) __real_##name, __wrap_##name; \
    define(__wrap_##name, __real_##name)
#endif

static int started(int ret)
{
    if (ret == MPI_SUCCESS)
        iota_mpi_quietly(iota_mpi_started);
    return ret;
}

#define INIT(hook, real)                \
    int hook(int *argc, char ***argv)   \
    {                                   \
        return started(real(argc, argv)); \
    }
HOOK(INIT, MPI_Init)
HOOK(INIT, PMPI_Init)

#define INIT_THREAD(hook, real)                                     \
    int hook(int *argc, char ***argv, int required, int *provided)  \
    {                                                               \
        return started(real(argc, argv, required, provided));       \
    }
HOOK(INIT_THREAD, MPI_Init_thread)
HOOK(INIT_THREAD, PMPI_Init_thread)

#define FINALIZE(hook, real)                   \
    int hook(void)                             \
    {                                          \
        iota_mpi_quietly(iota_mpi_finalizing); \
        int ret = real();                      \
        iota_mpi_quietly(iota_mpi_finalized);  \
        return ret;                            \
    }
HOOK(FINALIZE, MPI_Finalize)
HOOK(FINALIZE, PMPI_Finalize)

#define ABORT(hook, real)                    \
    int hook(MPI_Comm comm, int errorcode)   \
    {                                        \
        iota_mpi_quietly(iota_mpi_aborting); \
        return real(comm, errorcode);        \
    }
HOOK(ABORT, MPI_Abort)
HOOK(ABORT, PMPI_Abort)

#if MPI_VERSION >= 4
/* A session has no world to gather over, but every process has a number in it. All of this is local. */
static void join(MPI_Session session)
{
    int rank, size;
    MPI_Group world;
    if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS)
        return;
    if (PMPI_Group_rank(world, &rank) == MPI_SUCCESS && PMPI_Group_size(world, &size) == MPI_SUCCESS)
        iota_mpi_joined(rank, size);
    PMPI_Group_free(&world);
}

static int joined(int ret, const MPI_Session *session)
{
    int left = errno;
    if (ret == MPI_SUCCESS)
        join(*session);
    errno = left;
    return ret;
}

#define SESSION(hook, real)                                                      \
    int hook(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)     \
    {                                                                            \
        return joined(real(info, errhandler, session), session);                 \
    }
HOOK(SESSION, MPI_Session_init)
HOOK(SESSION, PMPI_Session_init)
#endif
