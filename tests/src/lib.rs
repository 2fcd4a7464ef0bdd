//! Builds, links, runs and reads back real programs.
//!
//! A test names a program of `tests/programs`, a way of linking it and what the tracer is told, and looks at what came
//! of it:
//!
//! ```no_run
//! use iota_tests::{Case, Way};
//! let ran = Case::new("data.c").way(Way::Static).env("IOTA_FILES", "*.dat").run();
//! assert!(ran.trace().calls().all(|call| call.path.ends_with(b".dat")));
//! ```
//!
//! Nothing is skipped in silence: a test asks [`machine`] for what may be wanting, and is listed where it was left out.

mod asked;
mod build;
mod canonical;
mod case;
mod limits;
mod lustre_like;
pub mod machine;
pub mod mpi;
mod nodes;
mod ordinary;
mod program;
mod ran;
mod released;
mod report;
mod scratch;
pub mod sites;
pub mod slurm;
pub mod soak;
mod sql;
pub mod strace;
pub mod symbols;
pub mod tables;
mod tools;
mod trace;
mod uncalled;
pub mod way;

pub use asked::asked_in_archives;
pub use build::{Build, root};
pub use canonical::canonical;
pub use case::Case;
pub use limits::{Limited, command_output, ended, limited};
pub use lustre_like::{Mounted, layout};
pub use machine::{debian_libraries, wanted};
pub use mpi::{mpi_is_wanted, mpi_of_version_is_wanted, static_mpi};
pub use ordinary::{bounded, ordinary};
pub use program::Program;
pub use ran::{Left, Ran};
pub use released::released;
pub use report::Expected;
pub use scratch::Scratch;
pub use sql::SQL;
pub use tools::find;
pub use trace::{Call, Part, Trace};
pub use way::Way;
