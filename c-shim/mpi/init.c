/* Where a program starts and ends MPI: the names of C, above whatever the program meant to call.
 *
 * Each is hooked twice, as MPI_X and as PMPI_X. Fortran's layer of MPICH (for mpi_f08) and of Open MPI (always) calls
 * PMPI_X from a library or an object of its own, so that the second name is where every language passes.
 *
 * Linked in, the hooks are __wrap_MPI_Init and so on, above __real_MPI_Init; names.txt lists what to give to --wrap.
 * In a shared object (IOTA_PRELOAD) they carry the public names as well, and what lies below is asked of the dynamic
 * linker. */
#define _GNU_SOURCE
#include "hooks.h"
#include <dlfcn.h>
#include <mpi.h>

#ifdef IOTA_PRELOAD
#define HOOK(name, parameters)                                          \
    extern __typeof__(name) __wrap_##name __attribute__((alias(#name))); \
    int name parameters
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#else
#define HOOK(name, parameters)                            \
    extern __typeof__(name) __real_##name, __wrap_##name; \
    int __wrap_##name parameters
#define REAL(name) __real_##name
#endif

static int started(int ret)
{
    if (ret == MPI_SUCCESS)
        iota_mpi_quietly(iota_mpi_started);
    return ret;
}

#define INIT(name)                              \
    HOOK(name, (int *argc, char ***argv))       \
    {                                           \
        return started(REAL(name)(argc, argv)); \
    }
INIT(MPI_Init)
INIT(PMPI_Init)

#define INIT_THREAD(name)                                                 \
    HOOK(name, (int *argc, char ***argv, int required, int *provided))    \
    {                                                                     \
        return started(REAL(name)(argc, argv, required, provided));       \
    }
INIT_THREAD(MPI_Init_thread)
INIT_THREAD(PMPI_Init_thread)

#define FINALIZE(name)                             \
    HOOK(name, (void))                             \
    {                                              \
        iota_mpi_quietly(iota_mpi_finalizing);     \
        return REAL(name)();                       \
    }
FINALIZE(MPI_Finalize)
FINALIZE(PMPI_Finalize)

#define ABORT(name)                                \
    HOOK(name, (MPI_Comm comm, int errorcode))     \
    {                                              \
        iota_mpi_quietly(iota_mpi_aborting);       \
        return REAL(name)(comm, errorcode);        \
    }
ABORT(MPI_Abort)
ABORT(PMPI_Abort)

#if MPI_VERSION >= 4
/* A session has no world to gather over, but every process has a number in it. All of this is local. */
static int joined(int ret, MPI_Session session)
{
    int left = errno, rank, size;
    MPI_Group world;
    if (ret != MPI_SUCCESS || PMPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS)
        return ret;
    if (PMPI_Group_rank(world, &rank) == MPI_SUCCESS && PMPI_Group_size(world, &size) == MPI_SUCCESS)
        iota_mpi_joined(rank, size);
    PMPI_Group_free(&world);
    errno = left;
    return ret;
}

#define SESSION(name)                                                            \
    HOOK(name, (MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)) \
    {                                                                            \
        int ret = REAL(name)(info, errhandler, session);                         \
        return joined(ret, *session);                                            \
    }
SESSION(MPI_Session_init)
SESSION(PMPI_Session_init)
#endif
