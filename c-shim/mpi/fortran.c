/* Fortran's own entries (mpif.h, use mpi, use mpi_f08), for the shared object. They are needed only where an MPI's
 * Fortran layer reaches the rest by a way that the hooks of C do not see, because both lie in one library: with MPICH
 * and Open MPI the call arrives at PMPI_Init as well, and the second time nothing is done.
 *
 * The Fortran library may be out of sight (loaded by an interpreter, for one module): then C's function does. */
#define _GNU_SOURCE
#include "hooks.h"
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

typedef void one(MPI_Fint *ierr);
typedef void three(MPI_Fint *a, MPI_Fint *b, MPI_Fint *ierr);

static void started(void)
{
    int yes = 0;
    if (PMPI_Initialized(&yes) == MPI_SUCCESS && yes)
        iota_mpi_quietly(iota_mpi_started);
}

/* In mpi_f08 the argument is optional. */
static void give(MPI_Fint *ierr, int ret)
{
    if (ierr)
        *ierr = ret;
}

static void init(one *real, MPI_Fint *ierr)
{
    if (real)
        real(ierr);
    else
        give(ierr, PMPI_Init(NULL, NULL));
    started();
}

static void init_thread(three *real, MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierr)
{
    int got = 0;
    if (real) {
        real(required, provided, ierr);
    } else {
        give(ierr, PMPI_Init_thread(NULL, NULL, *required, &got));
        *provided = got;
    }
    started();
}

static void finalize(one *real, MPI_Fint *ierr)
{
    iota_mpi_quietly(iota_mpi_finalizing);
    if (real)
        real(ierr);
    else
        give(ierr, PMPI_Finalize());
    iota_mpi_quietly(iota_mpi_finalized);
}

/* A communicator of mpi_f08 is a structure of one number, passed by its address like the number itself. */
static void aborting(three *real, MPI_Fint *comm, MPI_Fint *code, MPI_Fint *ierr)
{
    iota_mpi_quietly(iota_mpi_aborting);
    if (real)
        real(comm, code, ierr);
    else
        give(ierr, PMPI_Abort(PMPI_Comm_f2c(*comm), *code));
}

#define ONE(entry, does)                                \
    void entry(MPI_Fint *ierr);                         \
    void entry(MPI_Fint *ierr)                          \
    {                                                   \
        does((one *)dlsym(RTLD_NEXT, #entry), ierr);    \
    }
#define THREE(entry, does)                                 \
    void entry(MPI_Fint *a, MPI_Fint *b, MPI_Fint *ierr);  \
    void entry(MPI_Fint *a, MPI_Fint *b, MPI_Fint *ierr)   \
    {                                                      \
        does((three *)dlsym(RTLD_NEXT, #entry), a, b, ierr); \
    }
/* The spellings of the compilers that the MPI was built for. */
#define SPELLINGS(define, lower, upper, does) \
    define(lower, does) define(lower##_, does) define(lower##__, does) define(upper, does) \
    define(lower##_f08, does) define(lower##_f08_, does)

SPELLINGS(ONE, mpi_init, MPI_INIT, init)
SPELLINGS(THREE, mpi_init_thread, MPI_INIT_THREAD, init_thread)
SPELLINGS(ONE, mpi_finalize, MPI_FINALIZE, finalize)
SPELLINGS(THREE, mpi_abort, MPI_ABORT, aborting)
