//! The `iota` command.
fn main() {}
