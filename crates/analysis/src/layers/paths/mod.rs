//! Which calls called which, over all layers, summed up by path: `write_checkpoint`, below it `H5Dwrite` of a dataset,
//! below it `MPI_File_write_at_all`, below it `pwrite64`.
//!
//! Calls count together if they are of the same function and object, and if all their callers are. Memory grows with the
//! number of different paths, and with how deep calls enclose each other, not with calls.

mod branch;
mod collect;
mod process_calls;
mod rows;
mod thread_calls;

pub use branch::{Branch, BranchFiles, BranchKey, Forest, PathSum};
pub use rows::{Folded, PathRow};

use crate::filter::Bound;
use crate::servers::ServerTies;
use crate::{Job, Media, Process};
use process_calls::ProcessCalls;

/// What has been found out so far.
pub struct Paths<'j> {
    job: &'j Job<'j>,
    wanted: &'j Bound,
    media: Media,
    /// The layer that the filter is about.
    layer: u8,
    servers: Option<&'j ServerTies>,
    process: Process,
    thread: u32,
    /// Processes that may have more calls.
    kins: Vec<ProcessCalls>,
    /// Calls that nobody called.
    pub roots: Forest,
    /// Calls whose callers are not in the trace.
    pub orphans: u64,
}

impl<'j> Paths<'j> {
    /// Nothing of this job. Calls of the layer that are not wanted are marked; the pass must be one of all calls.
    pub fn new(job: &'j Job<'j>, wanted: &'j Bound, layer: u8) -> Paths<'j> {
        Paths {
            job,
            wanted,
            media: job.files.media(),
            layer,
            servers: None,
            process: Process::default(),
            thread: 0,
            kins: Vec::new(),
            roots: Forest::new(),
            orphans: 0,
        }
    }

    /// The same with what servers did.
    #[must_use]
    pub fn with_servers(self, servers: Option<&'j ServerTies>) -> Paths<'j> {
        Paths { servers, ..self }
    }

    fn close(&mut self, at: usize) {
        let (roots, orphans) = self.kins.remove(at).close();
        branch::merge(&mut self.roots, roots);
        self.orphans += orphans;
    }
}
