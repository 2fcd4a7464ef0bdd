//! What is known of the program's files: the ids of paths, the descriptors and what they share, transfers under way, and what waits under a key.

pub mod below;
pub mod description;
pub mod descriptors;
pub mod directory;
mod file;
mod keyed;
pub mod layouts;
pub mod lookup;
pub mod paths;
pub mod pending;
pub mod probed;
pub mod rings;

pub use description::Description;
pub use file::FileId;
pub use keyed::Keyed;

use crate::sys::Starting;

/// Maps all tables; false where there is no memory for them.
pub fn start(starting: &mut Starting) -> bool {
    directory::start();
    below::start();
    paths::start(starting)
        && descriptors::start(starting)
        && pending::start(starting)
        && rings::start(starting)
        && layouts::start(starting)
}

/// A part ended: what is named in it has no name in the next.
pub fn begin_part() {
    paths::begin_part();
    descriptors::begin_part();
    layouts::begin_part();
}
