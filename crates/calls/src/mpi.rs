//! MPI: which functions start and end a trace, and what becomes of the others that have to do with files. Their hooks
//! call `PMPI_` names and are entered from c-shim; none is wrapped by the linker.

use crate::LeftOut;

/// What c-shim hooks, a name on each line, those of the profiling interface (`PMPI_`) among them
pub const ENTRIES: &str = include_str!("../../../c-shim/mpi/names.txt");

/// Functions that have a hook and make no event: they start and end the trace of a rank
pub fn starts_and_ends() -> impl Iterator<Item = &'static str> {
    ENTRIES.lines().filter(|name| name.starts_with("MPI_"))
}

/// Every other function of MPI that opens, moves, syncs, starts or ends
pub const LEFT_OUT_MPI: &[LeftOut] = &[
    LeftOut {
        planned: true,
        reason: "MPI-IO: will be a layer, with the POSIX calls that each of its calls makes",
        names: "MPI_File_open MPI_File_close MPI_File_delete MPI_File_read* MPI_File_write* MPI_File_iread* \
                MPI_File_iwrite* MPI_File_seek MPI_File_seek_shared MPI_File_sync MPI_File_preallocate \
                MPI_File_set_size MPI_File_get_size MPI_File_set_view MPI_File_get_view MPI_File_set_info \
                MPI_File_get_info MPI_File_set_atomicity MPI_File_get_atomicity MPI_File_get_position \
                MPI_File_get_position_shared MPI_File_get_byte_offset MPI_File_get_type_extent* \
                MPI_File_get_amode MPI_File_get_group MPI_Register_datarep*",
    },
    LeftOut {
        planned: true,
        reason: "completes nonblocking transfers",
        names: "MPI_Wait* MPI_Test MPI_Testall MPI_Testany MPI_Testsome MPI_Request_free MPI_Cancel",
    },
    LeftOut {
        planned: true,
        reason: "starts processes: the trace will say which rank started which",
        names: "MPI_Comm_spawn MPI_Comm_spawn_multiple",
    },
    LeftOut {
        planned: false,
        reason: "queries the state of MPI, converts handles, or handles errors: no I/O",
        names: "MPI_Initialized MPI_Finalized MPI_File_c2f MPI_File_f2c MPI_File_fromint MPI_File_toint \
                MPI_File_*errhandler MPI_Session_c2f MPI_Session_f2c MPI_Session_fromint MPI_Session_toint \
                MPI_Session_*errhandler MPI_Session_get_info MPI_Session_get_nth_pset \
                MPI_Session_get_num_psets MPI_Session_get_pset_info MPI_Session_*_buffer \
                MPI_Test_cancelled",
    },
    LeftOut {
        planned: false,
        reason: "the program may start another session later, so the trace ends with the process",
        names: "MPI_Session_finalize",
    },
];
