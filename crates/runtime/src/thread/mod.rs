//! What each thread has: a state with a ring for its records, which it alone fills, and how the ring becomes blocks.

mod adopt;
mod aliases;
mod recorded;
mod refused;
mod regions;
mod seal;
mod sealing;
mod sharing;
mod silence;
mod spare;
mod state;
mod store;
mod work;

pub use adopt::forget_all;
pub use recorded::ended;
pub use seal::seal_all;
pub use sharing::{in_library, is_in_library};
pub use silence::{is_silent, quietly, resume, silence};
pub use spare::{keep_spare, take_spare};
pub use state::{
    LibraryCall, Numbers, PATH_ROOM, Region, Thread, all, is_only, mark, own, recorded, slots,
};
