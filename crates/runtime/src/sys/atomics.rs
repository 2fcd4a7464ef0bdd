//! The atomics of what several threads change without a lock: tests/models.rs puts a model checker's in their place.

pub use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
