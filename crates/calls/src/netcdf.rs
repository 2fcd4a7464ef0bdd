//! NetCDF (`nc_*`). The hooks know no header of it: a file or group is a number.

use crate::LeftOut;

/// Every other function of PnetCDF and NetCDF
pub const LEFT_OUT_NETCDF: &[LeftOut] = &[
    LeftOut {
        reason: "asks what the library knows",
        names: "nc_inq nc_inq_* ncmpi_inq ncmpi_inq_* ncmpi_get_file_info nc_strerror ncmpi_strerror ncmpi_strerrno nc_show_metadata",
    },
    LeftOut {
        reason: "changes settings, or types that are not in a file yet, or memory",
        names: "nc_set_alignment nc_get_alignment nc_set_chunk_cache nc_get_chunk_cache nc_set_var_chunk_cache \
                nc_get_var_chunk_cache nc_set_default_format ncmpi_set_default_format nc_set_log_level nc_log_level \
                nc_set_base_pe nc_advise nc_initialize nc_finalize nc_def_user_format nc_def_compound nc_def_enum \
                nc_def_opaque nc_def_vlen nc_insert_compound nc_insert_array_compound nc_insert_enum nc_free_string \
                nc_free_vlen nc_free_vlens nc_get_vlen_element nc_put_vlen_element nc_copy_data nc_copy_data_all \
                nc_dump_data nc_reclaim_data nc_reclaim_data_all",
    },
    LeftOut {
        reason: "calls one that is recorded",
        names: "nc__create_mp nc__open_mp nc_delete_mp nc_create_par_fortran nc_open_par_fortran nc_def_var_blosc \
                nc_def_var_bzip2 nc_def_var_zstandard",
    },
];

calls! { Netcdf;
    "NetCDF: files" {
        nc_create(path: *const c_char, cmode: c_int, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc__create(path: *const c_char, cmode: c_int, initialsz: size_t, chunksizehintp: *mut size_t, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc_create_mem(path: *const c_char, mode: c_int, initialsize: size_t, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc_create_par(path: *const c_char, cmode: c_int, comm: MPI_Comm, info: MPI_Info, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, on(comm), ncidp);
        nc_open(path: *const c_char, mode: c_int, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc__open(path: *const c_char, mode: c_int, chunksizehintp: *mut size_t, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc_open_mem(path: *const c_char, mode: c_int, size: size_t, memory: *mut c_void, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc_open_memio(path: *const c_char, mode: c_int, info: *mut NC_memio, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, ALONE, ncidp);
        nc_open_par(path: *const c_char, mode: c_int, comm: MPI_Comm, info: MPI_Info, ncidp: *mut c_int) -> c_int => Netcdf Open, nc_opens(path, on(comm), ncidp);
        nc_close(ncid: c_int) -> c_int => Netcdf Close, nc_closes(ncid);
        nc_close_memio(ncid: c_int, info: *mut NC_memio) -> c_int => Netcdf Close, nc_closes(ncid);
        nc_abort(ncid: c_int) -> c_int => Netcdf Close, nc_closes(ncid);
        nc_delete(path: *const c_char) -> c_int => Netcdf Meta, nc_path(path);
        nc_redef(ncid: c_int) -> c_int => Netcdf Meta, nc_redefines(ncid, AS_OPENED);
        nc_enddef(ncid: c_int) -> c_int => Netcdf Meta, nc_redefines(ncid, AS_OPENED);
        nc__enddef(ncid: c_int, h_minfree: size_t, v_align: size_t, v_minfree: size_t, r_align: size_t) -> c_int => Netcdf Meta, nc_redefines(ncid, AS_OPENED);
        nc_sync(ncid: c_int) -> c_int => Netcdf Sync, nc_on(ncid, AS_OPENED);
        nc_set_fill(ncid: c_int, fillmode: c_int, old_modep: *mut c_int) -> c_int => Netcdf Meta, nc_on(ncid, ONE);
    }
    "NetCDF: groups, dimensions, variables and attributes" {
        nc_def_grp(ncid: c_int, name: *const c_char, new_ncid: *mut c_int) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_rename_grp(ncid: c_int, name: *const c_char) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_def_dim(ncid: c_int, name: *const c_char, length: size_t, idp: *mut c_int) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_rename_dim(ncid: c_int, dimid: c_int, name: *const c_char) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_def_var(ncid: c_int, name: *const c_char, xtype: c_int, ndims: c_int, dimids: *const c_int, varidp: *mut c_int) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_rename_var(ncid: c_int, varid: c_int, name: *const c_char) -> c_int => Netcdf Meta, nc_named(ncid, name);
        nc_def_var_fill(ncid: c_int, varid: c_int, no_fill: c_int, fill_value: *const c_void) -> c_int => Netcdf Meta, nc_variable(ncid, varid, ONE);
        nc_def_var_chunking(ncid: c_int, varid: c_int, storage: c_int, chunksizes: *const size_t) -> c_int => Netcdf Meta, nc_variable(ncid, varid, ONE);
        nc_def_var_deflate(ncid: c_int, varid: c_int, shuffle: c_int, deflate: c_int, deflate_level: c_int) -> c_int => Netcdf Meta, nc_filters(ncid, varid, shuffle | deflate);
        nc_def_var_fletcher32(ncid: c_int, varid: c_int, fletcher32: c_int) -> c_int => Netcdf Meta, nc_filters(ncid, varid, fletcher32);
        nc_def_var_szip(ncid: c_int, varid: c_int, options_mask: c_int, pixels_per_block: c_int) -> c_int => Netcdf Meta, nc_filters(ncid, varid, 1);
        nc_def_var_endian(ncid: c_int, varid: c_int, endian: c_int) -> c_int => Netcdf Meta, nc_variable(ncid, varid, ONE);
        nc_def_var_quantize(ncid: c_int, varid: c_int, quantize_mode: c_int, nsd: c_int) -> c_int => Netcdf Meta, nc_variable(ncid, varid, ONE);
        nc_def_var_filter(ncid: c_int, varid: c_int, id: c_uint, nparams: size_t, parms: *const c_uint) -> c_int => Netcdf Meta, nc_filters(ncid, varid, 1);
        nc_var_par_access(ncid: c_int, varid: c_int, par_access: c_int) -> c_int => Netcdf Meta, nc_access(ncid, varid, par_access);
        nc_copy_var(ncid: c_int, varid: c_int, ncid_out: c_int) -> c_int => Netcdf Meta, nc_variable(ncid, varid, ONE);
        nc_copy_att(ncid: c_int, varid: c_int, name: *const c_char, ncid_out: c_int, varid_out: c_int) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_rename_att(ncid: c_int, varid: c_int, name: *const c_char, newname: *const c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_del_att(ncid: c_int, varid: c_int, name: *const c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_put_att(ncid: c_int, varid: c_int, name: *const c_char, xtype: c_int, length: size_t, value: *const c_void) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_put_att_text(ncid: c_int, varid: c_int, name: *const c_char, length: size_t, value: *const c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_put_att_string(ncid: c_int, varid: c_int, name: *const c_char, length: size_t, value: *mut *const c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_get_att(ncid: c_int, varid: c_int, name: *const c_char, value: *mut c_void) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_get_att_text(ncid: c_int, varid: c_int, name: *const c_char, value: *mut c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
        nc_get_att_string(ncid: c_int, varid: c_int, name: *const c_char, value: *mut *mut c_char) -> c_int => Netcdf Meta, nc_attribute(ncid, varid, name);
    }
    "NetCDF: transfers, of any type" {
        nc_put_var1(ncid: c_int, varid: c_int, index: *const size_t, buf: *const c_void) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, AS_STORED);
        nc_put_var1_string(ncid: c_int, varid: c_int, index: *const size_t, buf: *mut *const c_char) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, AS_STORED);
        nc_put_var(ncid: c_int, varid: c_int, buf: *const c_void) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, WHOLE, AS_STORED);
        nc_put_var_string(ncid: c_int, varid: c_int, buf: *mut *const c_char) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, WHOLE, AS_STORED);
        nc_put_vara(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, buf: *const c_void) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_put_vara_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, buf: *mut *const c_char) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_put_vars(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, buf: *const c_void) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_put_vars_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, buf: *mut *const c_char) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_put_varm(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t, buf: *const c_void) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_put_varm_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t, buf: *mut *const c_char) -> c_int => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_var1(ncid: c_int, varid: c_int, index: *const size_t, buf: *mut c_void) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, AS_STORED);
        nc_get_var1_string(ncid: c_int, varid: c_int, index: *const size_t, buf: *mut *mut c_char) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, AS_STORED);
        nc_get_var(ncid: c_int, varid: c_int, buf: *mut c_void) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, WHOLE, AS_STORED);
        nc_get_var_string(ncid: c_int, varid: c_int, buf: *mut *mut c_char) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, WHOLE, AS_STORED);
        nc_get_vara(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, buf: *mut c_void) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_vara_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, buf: *mut *mut c_char) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_vars(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, buf: *mut c_void) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_vars_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, buf: *mut *mut c_char) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_varm(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t, buf: *mut c_void) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
        nc_get_varm_string(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t, buf: *mut *mut c_char) -> c_int => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), AS_STORED);
    }
}

calls_of_types! { Netcdf [text: c_char, schar: c_schar, uchar: c_uchar, ubyte: c_uchar, short: c_short, ushort: c_ushort, int: c_int, uint: c_uint, long: c_long, float: c_float, double: c_double, longlong: c_longlong, ulonglong: c_ulonglong];
    "NetCDF: transfers" {
        nc_put_var1_ TYPE(ncid: c_int, varid: c_int, index: *const size_t; buf: "*const " TYPE; ) => Netcdf Write, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, of_size(SIZE));
        nc_put_var_ TYPE(ncid: c_int, varid: c_int; buf: "*const " TYPE; ) => Netcdf Write, nc_moves(ncid, varid, AS_SET, WHOLE, of_size(SIZE));
        nc_put_vara_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t; buf: "*const " TYPE; ) => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
        nc_put_vars_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t; buf: "*const " TYPE; ) => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
        nc_put_varm_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t; buf: "*const " TYPE; ) => Netcdf Write, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
        nc_get_var1_ TYPE(ncid: c_int, varid: c_int, index: *const size_t; buf: "*mut " TYPE; ) => Netcdf Read, nc_moves(ncid, varid, AS_SET, ONE_ELEMENT, of_size(SIZE));
        nc_get_var_ TYPE(ncid: c_int, varid: c_int; buf: "*mut " TYPE; ) => Netcdf Read, nc_moves(ncid, varid, AS_SET, WHOLE, of_size(SIZE));
        nc_get_vara_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t; buf: "*mut " TYPE; ) => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
        nc_get_vars_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t; buf: "*mut " TYPE; ) => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
        nc_get_varm_ TYPE(ncid: c_int, varid: c_int, start: *const size_t, count: *const size_t, stride: *const ptrdiff_t, imap: *const ptrdiff_t; buf: "*mut " TYPE; ) => Netcdf Read, nc_moves(ncid, varid, AS_SET, block(count.cast()), of_size(SIZE));
    }
}

/// Attributes of these types: text has no external type
pub(crate) mod attributes {
    calls_of_types! { Netcdf [schar: c_schar, uchar: c_uchar, ubyte: c_uchar, short: c_short, ushort: c_ushort, int: c_int, uint: c_uint, long: c_long, float: c_float, double: c_double, longlong: c_longlong, ulonglong: c_ulonglong];
        "NetCDF: attributes" {
            nc_put_att_ TYPE(ncid: c_int, varid: c_int, name: *const c_char, xtype: c_int, length: size_t; value: "*const " TYPE; ) => Netcdf Meta, nc_attribute(ncid, varid, name);
            nc_get_att_ TYPE(ncid: c_int, varid: c_int, name: *const c_char; value: "*mut " TYPE; ) => Netcdf Meta, nc_attribute(ncid, varid, name);
        }
    }
}
