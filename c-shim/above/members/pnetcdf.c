/* Every function of PnetCDF that the tracer asks (crates/netcdf/src/asks.rs; a test compares the two). */
#include "find.h"

#define NEEDS(EACH, SOME) \
    EACH(ncmpi_inq_var) \
    EACH(ncmpi_inq_dimlen) \
    EACH(ncmpi_inq_unlimdim) \
    EACH(ncmpi_inq_path)

FIND(iota_pnetcdf_find, NEEDS)
