/* Functions of libraries above MPI-IO that the tracer asks, in the archive. A program is linked with one of each, or none.
 * Each library's are named in a member of the archive (c-shim/above/members), which the members with its entries bring along. */
#include <stddef.h>
#include <stdint.h>

#define OURS __attribute__((visibility("hidden")))

typedef void *finder(const char *name);
extern finder iota_hdf5_find __attribute__((weak)), iota_netcdf_find __attribute__((weak)), iota_pnetcdf_find __attribute__((weak));
OURS void *iota_library_find(const void *real, const char *name);
OURS uintptr_t iota_library_of(const void *real);

void *iota_library_find(const void *real, const char *name)
{
    finder *const all[] = {iota_hdf5_find, iota_netcdf_find, iota_pnetcdf_find};
    (void)real;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *found = all[i] ? all[i](name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

uintptr_t iota_library_of(const void *real)
{
    (void)real;
    return 1;
}
