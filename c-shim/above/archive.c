/* Functions of libraries above MPI-IO that the tracer asks, in the archive. A program is linked with one of each, or none.
 * Each library's are named in a member of the archive (c-shim/above/members), which the members with its entries bring along. */
#include <stddef.h>
#include <stdint.h>

#define OURS __attribute__((visibility("hidden")))

typedef void *finder(const char *name);
extern finder iota_hdf5_find __attribute__((weak));
OURS void *iota_library_find(const void *real, const char *name);
OURS uintptr_t iota_library_of(const void *real);

void *iota_library_find(const void *real, const char *name)
{
    (void)real;
    return iota_hdf5_find ? iota_hdf5_find(name) : NULL;
}

uintptr_t iota_library_of(const void *real)
{
    (void)real;
    return 1;
}
