//! What the shared object alone has: there the dynamic linker is asked what a link editor says in the archive.

mod above;
mod mpi;
mod probes;
mod ways;
