//! Follows processes that no hook can be put into: static programs, and system calls that a program makes without the C
//! library. A seccomp filter stops only calls that are I/O, and ptrace shows them: when each began and ended, its arguments, its
//! result. Whoever follows is a process of its own, because the kernel refuses the calls of a filter that nobody answers: it
//! must not end before the last of them.

mod call;
mod files;
mod filter;
mod follower;
mod numbers;
mod process;
mod thread;
mod tracee;

pub use filter::Filter;
pub use follower::{Follower, Settings};
pub use process::Hooks;
pub use thread::Image;
pub use tracee::Tracee;
