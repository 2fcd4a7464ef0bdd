//! A log of Darshan, which darshan-parser, PyDarshan and what builds upon them read: the modules POSIX, MPI-IO, STDIO and
//! LUSTRE with their counters, and each transfer in DXT_POSIX and DXT_MPIIO. Of version 3.21, which every Darshan since 3.2
//! reads.
//!
//! <https://github.com/darshan-hpc/darshan>, `include/darshan-*-log-format.h`

mod counted;
mod log;
mod modules;
mod record;
mod segments;
mod values;

use super::Format;
use crate::job::Job;
use anyhow::bail;
use iota_calls::Layer;
use iota_output::OutputFile;
use log::{Log, Module};
use modules::Modules;
use segments::Segments;

/// The log
pub struct Darshan;

impl Format for Darshan {
    fn bytes_per_call(&self) -> u64 {
        12
    }

    fn is_text(&self) -> bool {
        false
    }

    fn write(&self, job: &Job, to: &mut OutputFile) -> anyhow::Result<()> {
        if !to.is_new_file() {
            bail!(
                "a log of Darshan begins with what is known at its end; give the name of a file with -o"
            );
        }
        let modules = Modules::of(job)?;
        let mut log = Log::begin(to)?;
        log.job(job)?;
        log.names(&modules.names(job))?;
        let transfers = [
            (Module::Posix, Module::DxtPosix, Layer::Posix),
            (Module::Mpiio, Module::DxtMpiio, Layer::MpiIo),
        ]
        .map(|(counts, module, layer)| modules.has(counts).then_some((module, layer)));
        modules.write(job, &mut log)?;
        for (module, layer) in transfers.into_iter().flatten() {
            Segments::write(job, &mut log, module, layer)?;
        }
        log.end()
    }
}
