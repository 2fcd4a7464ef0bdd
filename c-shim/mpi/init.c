/* Where a program starts and ends MPI, and starts further ranks: the names of C, above whatever the program meant to call.
 *
 * Each is hooked twice, as MPI_X and as PMPI_X. Fortran's layer of MPICH (for mpi_f08) and of Open MPI (always) calls
 * PMPI_X from a library or an object of its own, so that the second name is where every language passes.
 *
 * Linked in, the hooks are __wrap_MPI_Init and so on; names.txt lists what to give to --wrap. They are in programs without
 * MPI as well, so that they refer weakly to what lies below; what the link flags ask for by its name (MPI_Init, of which
 * PMPI_Init is another name) must not be referred to at all, or a program without it could not be linked.
 * In a shared object (IOTA_PRELOAD) they carry the public names as well, and what lies below is looked up at each call. */
#include "hooks.h"

#ifdef IOTA_PRELOAD
#define HOOK(define, type, name)                                  \
    type name, __wrap_##name;                                     \
    define(name, (type *)iota_mpi_next(#name, CALLER))            \
    define(__wrap_##name, (type *)iota_mpi_meant(#name, CALLER))
#define HOOKS(define, type, name) HOOK(define, type, MPI_##name) HOOK(define, type, PMPI_##name)
#else
#define HOOKS(define, type, name)                               \
    extern type __real_PMPI_##name __attribute__((weak));       \
    type __wrap_MPI_##name, __wrap_PMPI_##name;                 \
    define(__wrap_MPI_##name, &__real_PMPI_##name)              \
    define(__wrap_PMPI_##name, &__real_PMPI_##name)
#endif

static int started(int ret)
{
    iota_mpi_start_is_over();
    if (ret == SUCCESS)
        iota_mpi_quietly(iota_mpi_started);
    return ret;
}

#define INIT(hook, found)                                 \
    int hook(int *argc, char ***argv)                     \
    {                                                     \
        init *real = found;                               \
        iota_mpi_starting();                              \
        return started(real ? real(argc, argv) : ABSENT); \
    }
HOOKS(INIT, init, Init)

#define INIT_THREAD(hook, found)                                              \
    int hook(int *argc, char ***argv, int required, int *provided)            \
    {                                                                         \
        init_thread *real = found;                                            \
        iota_mpi_starting();                                                  \
        return started(real ? real(argc, argv, required, provided) : ABSENT); \
    }
HOOKS(INIT_THREAD, init_thread, Init_thread)

#define FINALIZE(hook, found)                  \
    int hook(void)                             \
    {                                          \
        finalize *real = found;                \
        iota_mpi_quietly(iota_mpi_finalizing); \
        int ret = real ? real() : ABSENT;      \
        iota_mpi_quietly(iota_mpi_finalized);  \
        return ret;                            \
    }
HOOKS(FINALIZE, finalize, Finalize)

#define ABORT(hook, found)                       \
    int hook(handle comm, int code)              \
    {                                            \
        aborting *real = found;                  \
        iota_mpi_quietly(iota_mpi_aborting);     \
        return real ? real(comm, code) : ABSENT; \
    }
HOOKS(ABORT, aborting, Abort)

static void with_session(void (*tell)(const handle *), const handle *session)
{
    int left = errno;
    tell(session);
    errno = left;
}

static int session_started(int ret, const handle *session)
{
    if (ret == SUCCESS)
        with_session(iota_mpi_session_started, session);
    return ret;
}

#define SESSION(hook, found)                                                                  \
    int hook(handle info, handle errhandler, handle *session)                                 \
    {                                                                                         \
        session_init *real = found;                                                           \
        return real ? session_started(real(info, errhandler, session), session) : ABSENT;     \
    }
HOOKS(SESSION, session_init, Session_init)

#define SESSION_END(hook, found)                                \
    int hook(handle *session)                                   \
    {                                                           \
        session_finalize *real = found;                         \
        with_session(iota_mpi_session_finalizing, session);     \
        int ret = real ? real(session) : ABSENT;                \
        iota_mpi_quietly(iota_mpi_finalized);                   \
        return ret;                                             \
    }
HOOKS(SESSION_END, session_finalize, Session_finalize)

static int spawned(int ret, uint64_t since, int root, handle comm, const handle *children)
{
    int left = errno;
    if (ret == SUCCESS)
        iota_mpi_spawned(since, root, comm, children);
    errno = left;
    return ret;
}

#define SPAWN(hook, found)                                                                                           \
    int hook(const char *command, char **arguments, int most, handle info, int root, handle comm, handle *children,  \
             int *codes)                                                                                             \
    {                                                                                                                \
        spawn *real = found;                                                                                         \
        if (!real)                                                                                                   \
            return ABSENT;                                                                                           \
        uint64_t since = iota_mpi_now();                                                                             \
        int ret = real(command, arguments, most, info, root, comm, children, codes);                                 \
        return spawned(ret, since, root, comm, children);                                                            \
    }
HOOKS(SPAWN, spawn, Comm_spawn)

#define SPAWN_MULTIPLE(hook, found)                                                                                  \
    int hook(int count, char **commands, char ***arguments, const int *most, const handle *infos, int root,          \
             handle comm, handle *children, int *codes)                                                              \
    {                                                                                                                \
        spawn_multiple *real = found;                                                                                \
        if (!real)                                                                                                   \
            return ABSENT;                                                                                           \
        uint64_t since = iota_mpi_now();                                                                             \
        int ret = real(count, commands, arguments, most, infos, root, comm, children, codes);                        \
        return spawned(ret, since, root, comm, children);                                                            \
    }
HOOKS(SPAWN_MULTIPLE, spawn_multiple, Comm_spawn_multiple)
