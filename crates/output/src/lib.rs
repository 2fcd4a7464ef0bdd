//! What commands write: files that appear under their names when they are whole, that never take the place of what is read,
//! and of which nothing is left behind if a command ends early.

mod draft;
mod inputs;
mod output_directory;
mod output_file;
pub mod temp_guard;

pub use draft::{Draft, free};
pub use inputs::Inputs;
pub use output_directory::OutputDirectory;
pub use output_file::{Closed, OutputFile};
pub use temp_guard::TempGuard;
