/* Every function of NetCDF that the tracer asks (crates/netcdf/src/asks.rs; a test compares the two). */
#include "find.h"

#define NEEDS(EACH, SOME) \
    EACH(nc_inq_var) \
    EACH(nc_inq_dimlen) \
    SOME(nc_inq_unlimdims) \
    SOME(nc_inq_path) \
    SOME(nc_inq_type) \
    SOME(nc_inq_var_chunking) \
    SOME(nc_inq_grpname_full) \
    SOME(nc_inq_grp_parent) \
    SOME(nc_inq_format)

FIND(iota_netcdf_find, NEEDS)
