//! What a guest has instead of a standard library: raw system calls, which no hook can see and which leave `errno` alone,
//! and text, cells and lists that need no allocation.

pub mod atomics;
mod call;
mod claim;
mod directory;
mod file;
mod free_list;
mod keyed;
mod mapping;
mod memory;
mod once;
mod own;
mod process;
mod query;
mod seq_lock;
mod signal_guard;
pub mod signals;
mod task_io;
mod text;

pub use call::{Errno, KeptErrno, Result, errno, quietly, set_errno};
pub use claim::Claim;
pub use directory::Directory;
pub use file::{File, rename, symlink, unlink};
pub use free_list::FreeList;
pub use keyed::CheckedSlot;
pub use mapping::{Zeroed, map_behind, map_code, map_private, map_table, populate, protect, unmap};
pub use memory::{
    copy_in, ends_in_its_page, gather_in, is_in_one_page, is_readable, is_writable, string_length,
    touch,
};
pub use once::{Once, Starting};
pub use own::own_traffic;
pub use process::*;
pub use query::*;
pub use seq_lock::{SeqLock, fill};
pub use signal_guard::SignalsBlocked;
pub use task_io::traffic;
pub use text::{Text, move_within};
