/* What the hooks of MPI tell the tracer (mpi/src/hooks.rs). Each does its work once, however often it is told. */
#ifndef IOTA_MPI_HOOKS_H
#define IOTA_MPI_HOOKS_H
#include <errno.h>

#define OURS __attribute__((visibility("hidden")))

/* MPI can be used: MPI_Init or MPI_Init_thread succeeded. */
OURS void iota_mpi_started(void);
/* MPI_Finalize is about to begin. */
OURS void iota_mpi_finalizing(void);
/* MPI_Finalize returned. */
OURS void iota_mpi_finalized(void);
/* MPI_Abort is about to begin. */
OURS void iota_mpi_aborting(void);
/* There is no MPI_COMM_WORLD, but a session of so many processes. */
OURS void iota_mpi_joined(int rank, int size);

/* The program finds errno as its own call left it. */
static inline void iota_mpi_quietly(void (*tell)(void))
{
    int left = errno;
    tell();
    errno = left;
}

#endif
