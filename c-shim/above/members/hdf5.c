/* Every function and variable of HDF5 that the tracer asks (crates/hdf5/src/functions.rs; a test compares the two): those of each version
 * since 1.8, and those that only some have. */
#include "find.h"

#define NEEDS(EACH, SOME) \
    EACH(H5get_libversion) \
    EACH(H5Eauto_is_v2) \
    SOME(H5Eget_auto1) \
    SOME(H5Eset_auto1) \
    EACH(H5Eget_auto2) \
    EACH(H5Eset_auto2) \
    EACH(H5Eclear2) \
    EACH(H5Iis_valid) \
    EACH(H5Iget_name) \
    EACH(H5Fget_name) \
    EACH(H5Fget_access_plist) \
    EACH(H5Dget_type) \
    EACH(H5Dget_space) \
    EACH(H5Dget_create_plist) \
    EACH(H5Tget_size) \
    EACH(H5Tequal) \
    EACH(H5Tclose) \
    EACH(H5Sget_select_npoints) \
    EACH(H5Sget_simple_extent_npoints) \
    EACH(H5Sget_select_type) \
    SOME(H5Sis_regular_hyperslab) \
    EACH(H5Sclose) \
    EACH(H5Pget_layout) \
    EACH(H5Pget_chunk) \
    EACH(H5Pget_nfilters) \
    EACH(H5Pget_filter2) \
    EACH(H5Pget_driver) \
    SOME(H5Pget_all_coll_metadata_ops) \
    SOME(H5Pget_coll_metadata_write) \
    SOME(H5Pget_dxpl_mpio) \
    SOME(H5Pget_mpio_actual_io_mode) \
    EACH(H5Pclose) \
    EACH(H5Aget_name) \
    EACH(H5Aget_type) \
    EACH(H5Aget_space) \
    SOME(H5Dget_chunk_storage_size) \
    SOME(H5ESget_count) \
    SOME(H5VLget_connector_name) \
    SOME(H5FD_sec2_init) \
    SOME(H5FD_mpio_init) \
    SOME(H5FD_core_init) \
    SOME(H5FD_stdio_init) \
    SOME(H5FD_family_init) \
    SOME(H5FD_log_init) \
    SOME(H5FD_multi_init) \
    SOME(H5FD_direct_init) \
    SOME(H5FD_SEC2_id_g) \
    SOME(H5FD_MPIO_id_g) \
    SOME(H5FD_CORE_id_g) \
    SOME(H5FD_STDIO_id_g) \
    SOME(H5FD_FAMILY_id_g) \
    SOME(H5FD_LOG_id_g) \
    SOME(H5FD_MULTI_id_g) \
    SOME(H5FD_DIRECT_id_g)

FIND(iota_hdf5_find, NEEDS)
