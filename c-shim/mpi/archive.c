/* The functions and variables of the MPI that a program is linked with, for the archive: weak, because one archive is for
 * every MPI and for programs without. A function of MPI-IO is wrapped, here as well: the one of MPI is __real_. */
#include <stddef.h>

#define NEED(name) extern char name[] __attribute__((weak)), __real_##name[] __attribute__((weak));
#include "needs.h"
#undef NEED

static int same(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

void *iota_mpi_find(const char *name)
{
#define NEED(needed) \
    if (same(name, #needed)) \
        return __real_##needed ? __real_##needed : needed;
#include "needs.h"
    return NULL;
}

/* A program is linked with one MPI. */
int iota_mpi_libraries(void)
{
    return 1;
}
