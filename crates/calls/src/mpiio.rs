//! MPI-IO, and what completes its requests. The hooks call the function of the MPI that the program has (`PMPI_`), with
//! handles as words: no `mpi.h` is read, and one row is for every MPI.

calls! { Mpi;
    "MPI-IO: files" {
        MPI_File_open(comm: MPI_Comm, filename: *const c_char, amode: c_int, info: MPI_Info, fh: *mut MPI_File) -> c_int => MpiIo Open, mpi_open(comm, filename, amode, info, fh);
        MPI_File_close(fh: *mut MPI_File) -> c_int => MpiIo Close, mpi_close(fh);
        MPI_File_delete(filename: *const c_char, info: MPI_Info) -> c_int => MpiIo Meta, mpi_path(filename);
        MPI_File_set_size(fh: MPI_File, size: MPI_Offset) -> c_int => MpiIo Meta, mpi_sized(fh, size);
        MPI_File_preallocate(fh: MPI_File, size: MPI_Offset) -> c_int => MpiIo Meta, mpi_sized(fh, size);
        MPI_File_get_size(fh: MPI_File, size: *mut MPI_Offset) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_get_group(fh: MPI_File, group: *mut MPI_Group) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_get_amode(fh: MPI_File, amode: *mut c_int) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_set_info(fh: MPI_File, info: MPI_Info) -> c_int => MpiIo Meta, mpi_hints(fh);
        MPI_File_get_info(fh: MPI_File, info_used: *mut MPI_Info) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_set_view(fh: MPI_File, disp: MPI_Offset, etype: MPI_Datatype, filetype: MPI_Datatype, datarep: *const c_char, info: MPI_Info) -> c_int => MpiIo Meta, mpi_view(fh, disp, etype, filetype);
        MPI_File_get_view(fh: MPI_File, disp: *mut MPI_Offset, etype: *mut MPI_Datatype, filetype: *mut MPI_Datatype, datarep: *mut c_char) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_seek(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> c_int => MpiIo Seek, mpi_seek(fh, ONE, offset, whence);
        MPI_File_get_position(fh: MPI_File, offset: *mut MPI_Offset) -> c_int => MpiIo Seek, mpi_on(fh, ONE);
        MPI_File_get_byte_offset(fh: MPI_File, offset: MPI_Offset, disp: *mut MPI_Offset) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> c_int => MpiIo Seek, mpi_seek(fh, ALL, offset, whence);
        MPI_File_get_position_shared(fh: MPI_File, offset: *mut MPI_Offset) -> c_int => MpiIo Seek, mpi_on(fh, ONE);
        MPI_File_get_type_extent(fh: MPI_File, datatype: MPI_Datatype, extent: *mut MPI_Aint) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_set_atomicity(fh: MPI_File, flag: c_int) -> c_int => MpiIo Meta, mpi_on(fh, ALL);
        MPI_File_get_atomicity(fh: MPI_File, flag: *mut c_int) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
        MPI_File_sync(fh: MPI_File) -> c_int => MpiIo Sync, mpi_on(fh, ALL);
        MPI_File_get_type_extent_c(fh: MPI_File, datatype: MPI_Datatype, extent: *mut MPI_Count) -> c_int => MpiIo Meta, mpi_on(fh, ONE);
    }
    "MPI-IO: blocking transfers" {
        MPI_File_read_at(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, at(offset), count, datatype, status);
        MPI_File_read_at_all(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, at(offset), count, datatype, status);
        MPI_File_write_at(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, at(offset), count, datatype, status);
        MPI_File_write_at_all(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, at(offset), count, datatype, status);
        MPI_File_read(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, OWN, count, datatype, status);
        MPI_File_read_all(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, OWN, count, datatype, status);
        MPI_File_write(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, OWN, count, datatype, status);
        MPI_File_write_all(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, OWN, count, datatype, status);
        MPI_File_read_shared(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, SHARED, count, datatype, status);
        MPI_File_write_shared(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, SHARED, count, datatype, status);
        MPI_File_read_ordered(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, SHARED, count, datatype, status);
        MPI_File_write_ordered(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, SHARED, count, datatype, status);
        MPI_File_read_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, OWN, count, datatype, status);
        MPI_File_read_all_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, OWN, count, datatype, status);
        MPI_File_read_at_c(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, at(offset), count, datatype, status);
        MPI_File_read_at_all_c(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, at(offset), count, datatype, status);
        MPI_File_read_ordered_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ALL, SHARED, count, datatype, status);
        MPI_File_read_shared_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Read, mpi_transfer(fh, ONE, SHARED, count, datatype, status);
        MPI_File_write_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, OWN, count, datatype, status);
        MPI_File_write_all_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, OWN, count, datatype, status);
        MPI_File_write_at_c(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, at(offset), count, datatype, status);
        MPI_File_write_at_all_c(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, at(offset), count, datatype, status);
        MPI_File_write_ordered_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ALL, SHARED, count, datatype, status);
        MPI_File_write_shared_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, status: *mut MPI_Status) -> c_int => MpiIo Write, mpi_transfer(fh, ONE, SHARED, count, datatype, status);
    }
    "MPI-IO: nonblocking transfers" {
        MPI_File_iread_at(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, at(offset), count, datatype, request);
        MPI_File_iwrite_at(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, at(offset), count, datatype, request);
        MPI_File_iread(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, OWN, count, datatype, request);
        MPI_File_iwrite(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, OWN, count, datatype, request);
        MPI_File_iread_shared(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, SHARED, count, datatype, request);
        MPI_File_iwrite_shared(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, SHARED, count, datatype, request);
        MPI_File_iread_at_all(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ALL, at(offset), count, datatype, request);
        MPI_File_iwrite_at_all(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ALL, at(offset), count, datatype, request);
        MPI_File_iread_all(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ALL, OWN, count, datatype, request);
        MPI_File_iwrite_all(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ALL, OWN, count, datatype, request);
        MPI_File_iread_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, OWN, count, datatype, request);
        MPI_File_iread_all_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ALL, OWN, count, datatype, request);
        MPI_File_iread_at_c(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, at(offset), count, datatype, request);
        MPI_File_iread_at_all_c(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ALL, at(offset), count, datatype, request);
        MPI_File_iread_shared_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Read, mpi_starts(fh, ONE, SHARED, count, datatype, request);
        MPI_File_iwrite_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, OWN, count, datatype, request);
        MPI_File_iwrite_all_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ALL, OWN, count, datatype, request);
        MPI_File_iwrite_at_c(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, at(offset), count, datatype, request);
        MPI_File_iwrite_at_all_c(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ALL, at(offset), count, datatype, request);
        MPI_File_iwrite_shared_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype, request: *mut MPI_Request) -> c_int => MpiIo Write, mpi_starts(fh, ONE, SHARED, count, datatype, request);
    }
    "MPI-IO: split collectives" {
        MPI_File_read_at_all_begin(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, at(offset), count, datatype);
        MPI_File_read_at_all_end(fh: MPI_File, buf: *mut c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_write_at_all_begin(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, at(offset), count, datatype);
        MPI_File_write_at_all_end(fh: MPI_File, buf: *const c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_read_all_begin(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, OWN, count, datatype);
        MPI_File_read_all_end(fh: MPI_File, buf: *mut c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_write_all_begin(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, OWN, count, datatype);
        MPI_File_write_all_end(fh: MPI_File, buf: *const c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_read_ordered_begin(fh: MPI_File, buf: *mut c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, SHARED, count, datatype);
        MPI_File_read_ordered_end(fh: MPI_File, buf: *mut c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_write_ordered_begin(fh: MPI_File, buf: *const c_void, count: c_int, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, SHARED, count, datatype);
        MPI_File_write_ordered_end(fh: MPI_File, buf: *const c_void, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_ends(fh, status);
        MPI_File_read_all_begin_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, OWN, count, datatype);
        MPI_File_read_at_all_begin_c(fh: MPI_File, offset: MPI_Offset, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, at(offset), count, datatype);
        MPI_File_read_ordered_begin_c(fh: MPI_File, buf: *mut c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Read, mpi_begins(fh, SHARED, count, datatype);
        MPI_File_write_all_begin_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, OWN, count, datatype);
        MPI_File_write_at_all_begin_c(fh: MPI_File, offset: MPI_Offset, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, at(offset), count, datatype);
        MPI_File_write_ordered_begin_c(fh: MPI_File, buf: *const c_void, count: MPI_Count, datatype: MPI_Datatype) -> c_int => MpiIo Write, mpi_begins(fh, SHARED, count, datatype);
    }
    "MPI-IO: completion of requests" {
        MPI_Wait(request: *mut MPI_Request, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_one(request, status);
        MPI_Test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_one(request, status);
        MPI_Waitall(count: c_int, requests: *mut MPI_Request, statuses: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_all(count, requests, statuses);
        MPI_Testall(count: c_int, requests: *mut MPI_Request, flag: *mut c_int, statuses: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_all(count, requests, statuses);
        MPI_Waitany(count: c_int, requests: *mut MPI_Request, index: *mut c_int, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_any(count, requests, status);
        MPI_Testany(count: c_int, requests: *mut MPI_Request, index: *mut c_int, flag: *mut c_int, status: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_any(count, requests, status);
        MPI_Waitsome(count: c_int, requests: *mut MPI_Request, done: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_some(count, requests, done, indices, statuses);
        MPI_Testsome(count: c_int, requests: *mut MPI_Request, done: *mut c_int, indices: *mut c_int, statuses: *mut MPI_Status) -> c_int => MpiIo Other, mpi_waits_some(count, requests, done, indices, statuses);
        MPI_Request_free(request: *mut MPI_Request) -> c_int => MpiIo Other, mpi_frees(request);
    }
}
