//! From options to a plan: which threads move what, where. Everything that can be known to be wrong is said before
//! any file is made.

mod check;
mod free;
mod layout;
mod pieces;
mod probe;

pub use free::CreatedFiles;
pub use layout::{Plan, World};
pub use pieces::Piece;
pub use probe::replay as probe_replay;

use crate::api::{self, Api};
use crate::options::Options;
use anyhow::bail;
use std::path::PathBuf;

impl Plan {
    /// Checks all that can be checked without touching the machine.
    ///
    /// # Errors
    /// Options that contradict each other, are out of bounds, or name an interface that is not there.
    pub fn new(
        options: Options,
        words: String,
        world: World,
        apis: &[&'static dyn Api],
    ) -> anyhow::Result<Plan> {
        let Some(api) = apis
            .iter()
            .find(|api| api.name() == options.io_api)
            .copied()
        else {
            bail!(
                "-io_api {}: there is no such interface{}",
                options.io_api,
                api::known(apis)
            );
        };
        check::numbers(&options)?;
        check::contradictions(&options, api, world)?;
        let pieces = pieces::divide(options.bufsz, options.npieces, options.remainder)?;
        let (blocks, nops) = extent(&options)?;
        let first_file = if options.share_files {
            0
        } else {
            world.rank * options.nfiles
        };
        let paths = (first_file..).take(options.nfiles as usize);
        let mut plan = Plan {
            name: None,
            paths: paths.map(|number| path(&options, number)).collect(),
            first_file,
            pieces,
            blocks,
            nops,
            alignment: page(),
            warnings: Vec::new(),
            world,
            api,
            options,
            words,
        };
        check::reach(&plan)?;
        plan.warnings = check::warnings(&plan);
        Ok(plan)
    }

    /// Holds the plan against the machine: directory, files, space, descriptors, memory, O_DIRECT. `made` are the files
    /// that phases before this one leave.
    ///
    /// # Errors
    /// What the machine does not have or allow, and which option asks for it.
    pub fn hold_against_machine(&mut self, made: &mut free::CreatedFiles) -> anyhow::Result<()> {
        probe::interface(self.api)?;
        probe::descriptors(self)?;
        probe::memory(self)?;
        probe::directory(self)?;
        free::files(self, made)
    }
}

/// Places in a file, and operations.
fn extent(options: &Options) -> anyhow::Result<(u64, Option<u64>)> {
    let Options { bufsz, .. } = options;
    let step = options.stride.unwrap_or(*bufsz);
    let room = options
        .fsize
        .map(|size| size.checked_sub(*bufsz).map(|rest| rest / step + 1));
    let nops = match (options.nops, options.time) {
        (Some(n), _) => Some(n),
        (None, Some(_)) => None,
        (None, None) => Some(room.flatten().unwrap_or(1)),
    };
    match (room, nops) {
        (Some(Some(blocks)), _) => Ok((blocks, nops)),
        (Some(None), _) => {
            bail!("-fsize: less than one buffer of {bufsz} bytes (-bufsz)")
        }
        (None, Some(n)) => Ok((n, nops)),
        (None, None) => bail!("-time without -nops needs -fsize, the bytes of each file to use"),
    }
}

/// The name of a file.
pub fn path(options: &Options, number: u32) -> PathBuf {
    let mut name = options.file.clone().into_os_string();
    name.push(format!(".filen.{number:05}"));
    name.into()
}

fn page() -> usize {
    // SAFETY: asks for a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests;
