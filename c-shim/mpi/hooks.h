/* What the hooks of MPI tell the tracer (mpi/src/hooks.rs). Each does its work once, however often it is called.
 *
 * No mpi.h is read: one library is for every MPI. A handle is a number or an address, and goes on as it came. */
#ifndef IOTA_MPI_HOOKS_H
#define IOTA_MPI_HOOKS_H
#include <errno.h>
#include <stdint.h>

#define OURS __attribute__((visibility("hidden")))

typedef void *handle;
typedef int init(int *argc, char ***argv);
typedef int init_thread(int *argc, char ***argv, int required, int *provided);
typedef int finalize(void);
typedef int aborting(handle comm, int code);
typedef int session_init(handle info, handle errhandler, handle *session);
typedef int session_finalize(handle *session);
typedef int spawn(const char *command, char **arguments, int most, handle info, int root, handle comm, handle *children,
                  int *codes);
typedef int spawn_multiple(int count, char **commands, char ***arguments, const int *most, const handle *infos, int root,
                           handle comm, handle *children, int *codes);

/* In every MPI */
enum { SUCCESS = 0 };
/* What a function answers that could not be found; no MPI has an error of this number. */
enum { ABSENT = -1 };

/* MPI_Init is about to begin, and is over. */
OURS void iota_mpi_starting(void);
OURS void iota_mpi_start_is_over(void);
/* MPI can be used: MPI_Init or MPI_Init_thread succeeded. */
OURS void iota_mpi_started(void);
/* MPI_Finalize is about to begin. */
OURS void iota_mpi_finalizing(void);
/* MPI_Finalize returned. */
OURS void iota_mpi_finalized(void);
/* MPI_Abort is about to begin. */
OURS void iota_mpi_aborting(void);
/* There may be no MPI_COMM_WORLD, but there is a session. */
OURS void iota_mpi_session_started(const handle *session);
/* MPI_Session_finalize is about to begin. */
OURS void iota_mpi_session_finalizing(const handle *session);
/* The time of now, and that processes were started since. */
OURS uint64_t iota_mpi_now(void);
OURS void iota_mpi_spawned(uint64_t since, int root, handle comm, const handle *children);

#ifdef IOTA_PRELOAD
/* The function that a call of this name would have reached without us, from this place of the program (src/shared). */
OURS void *iota_mpi_next(const char *name, const void *caller);
/* The one that is meant by a call which the linker wrapped: the program's own, if it has one. */
OURS void *iota_mpi_meant(const char *name, const void *caller);
/* A function of the MPI whose functions were asked for last. */
OURS void *iota_mpi_find(const char *name);

#define CALLER __builtin_return_address(0)
#endif

/* The program finds errno as its own call left it. */
static inline void iota_mpi_quietly(void (*tell)(void))
{
    int left = errno;
    tell();
    errno = left;
}

#endif
