/* What the programs of PnetCDF and NetCDF have in common. Each process tells on its output what it calls:
   `call RANK NAME VARIABLE BYTES ELEMENTS COLLECTIVE RECORD`; a test compares that with the trace. A request is told when it is
   waited for. */
#ifndef NETCDF_PROGRAM_H
#define NETCDF_PROGRAM_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks __attribute__((unused));

static inline void tell(const char *name, const char *variable, long long bytes, long long elements, int collective, int record)
{
    char line[200];
    int n = snprintf(line, sizeof line, "call %d %s %s %lld %lld %d %d\n", rank, name, variable, bytes, elements, collective, record);
    if (write(1, line, n) != n)
        abort();
}

static inline void good(int code, const char *name)
{
    if (code != 0) {
        fprintf(stderr, "%s: %d\n", name, code);
        abort();
    }
}

/* A transfer that worked. */
#define MOVED(call, name, variable, elements, element, collective, record) \
    (good((call), name), tell(name, variable, (long long)(elements) * (long long)(element), elements, collective, record))
#endif
