//! MPI: which functions start and end a trace, or start ranks, and which of the others that have to do with files have no row
//! (`mpiio.rs` has those of the rest).

use crate::LeftOut;

/// What c-shim hooks, a name on each line, those of the profiling interface (`PMPI_`) among them
pub const ENTRIES: &str = include_str!("../../../c-shim/mpi/names.txt");

/// Functions that have a hook and make no event: they start and end the trace of a rank, or start further ranks
pub fn without_events() -> impl Iterator<Item = &'static str> {
    ENTRIES.lines().filter(|name| name.starts_with("MPI_"))
}

/// Those of them that start further ranks
pub fn starts_ranks(name: &str) -> bool {
    name.starts_with("MPI_Comm_spawn")
}

/// Every other function of MPI that opens, moves, syncs, starts or ends
pub const LEFT_OUT_MPI: &[LeftOut] = &[
    LeftOut {
        reason: "queries the state of MPI, converts handles, or handles errors: no I/O",
        names: "MPI_Initialized MPI_Finalized MPI_File_c2f MPI_File_f2c MPI_File_fromint MPI_File_toint \
                MPI_File_*errhandler MPI_Session_c2f MPI_Session_f2c MPI_Session_fromint MPI_Session_toint \
                MPI_Session_*errhandler MPI_Session_get_info MPI_Session_get_nth_pset \
                MPI_Session_get_num_psets MPI_Session_get_pset_info MPI_Session_*_buffer MPI_Request_c2f \
                MPI_Request_f2c MPI_Request_fromint MPI_Request_toint MPI_Test_cancelled \
                MPI_Request_get_status* MPI_Register_datarep*",
    },
    LeftOut {
        reason: "the request still has to be waited for, or freed: then it ends",
        names: "MPI_Cancel",
    },
];
