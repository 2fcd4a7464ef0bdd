/* Fortran's own entries (mpif.h, use mpi, use mpi_f08), for the shared object. They are needed only where an MPI's
 * Fortran layer reaches the rest by a way that the hooks of C do not see, because both lie in one library: with MPICH
 * and Open MPI the call arrives at PMPI_Init as well, and the second time nothing is done.
 *
 * The Fortran library may be out of sight (loaded by an interpreter, for one module): then C's function does. */
#include "hooks.h"
#include <stddef.h>

typedef void one(int *ierr);
typedef void three(int *a, int *b, int *ierr);

static void started(void)
{
    iota_mpi_start_is_over();
    int (*initialized)(int *) = (int (*)(int *))iota_mpi_find("PMPI_Initialized");
    int yes = 0;
    if (initialized && initialized(&yes) == SUCCESS && yes)
        iota_mpi_quietly(iota_mpi_started);
}

/* In mpi_f08 the argument is optional. */
static void give(int *ierr, int ret)
{
    if (ierr)
        *ierr = ret;
}

static void init_of_fortran(one *real, int *ierr)
{
    init *of_c = (init *)iota_mpi_find("PMPI_Init");
    iota_mpi_starting();
    if (real)
        real(ierr);
    else
        give(ierr, of_c ? of_c(NULL, NULL) : ABSENT);
    started();
}

static void init_thread_of_fortran(three *real, int *required, int *provided, int *ierr)
{
    init_thread *of_c = (init_thread *)iota_mpi_find("PMPI_Init_thread");
    iota_mpi_starting();
    if (real)
        real(required, provided, ierr);
    else
        give(ierr, of_c ? of_c(NULL, NULL, *required, provided) : ABSENT);
    started();
}

static void finalize_of_fortran(one *real, int *ierr)
{
    finalize *of_c = (finalize *)iota_mpi_find("PMPI_Finalize");
    iota_mpi_quietly(iota_mpi_finalizing);
    if (real)
        real(ierr);
    else
        give(ierr, of_c ? of_c() : ABSENT);
    iota_mpi_quietly(iota_mpi_finalized);
}

/* A communicator of mpi_f08 is a structure of one number, passed by its address like the number itself. An MPI without
 * the conversion has handles that are these numbers. */
static handle communicator(int number)
{
    handle (*converted)(int) = (handle (*)(int))iota_mpi_find("PMPI_Comm_f2c");
    return converted ? converted(number) : (handle)(size_t)(unsigned)number;
}

static void abort_of_fortran(three *real, int *comm, int *code, int *ierr)
{
    aborting *of_c = (aborting *)iota_mpi_find("PMPI_Abort");
    iota_mpi_quietly(iota_mpi_aborting);
    if (real)
        real(comm, code, ierr);
    else
        give(ierr, of_c ? of_c(communicator(*comm), *code) : ABSENT);
}

#define ONE(entry, does)                                   \
    void entry(int *ierr);                                 \
    void entry(int *ierr)                                  \
    {                                                      \
        does((one *)iota_mpi_next(#entry, CALLER), ierr);  \
    }
#define THREE(entry, does)                                       \
    void entry(int *a, int *b, int *ierr);                       \
    void entry(int *a, int *b, int *ierr)                        \
    {                                                            \
        does((three *)iota_mpi_next(#entry, CALLER), a, b, ierr); \
    }
/* The spellings of the compilers that the MPI was built for. */
#define SPELLINGS(define, lower, upper, does) \
    define(lower, does) define(lower##_, does) define(lower##__, does) define(upper, does) \
    define(lower##_f08, does) define(lower##_f08_, does)

SPELLINGS(ONE, mpi_init, MPI_INIT, init_of_fortran)
SPELLINGS(THREE, mpi_init_thread, MPI_INIT_THREAD, init_thread_of_fortran)
SPELLINGS(ONE, mpi_finalize, MPI_FINALIZE, finalize_of_fortran)
SPELLINGS(THREE, mpi_abort, MPI_ABORT, abort_of_fortran)
