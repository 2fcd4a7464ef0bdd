//! The atomics of what several threads change without a lock: a model checker's stand in their place where it is modelled.

pub(crate) use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
