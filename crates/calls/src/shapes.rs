//! The shapes: how a call is recorded. `iota_runtime::shape` has a function for each, which takes the operation, the
//! real call and these arguments; a test holds every row to them.

/// A shape
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The function's name
    pub name: &'static str,
    /// Types of its arguments
    pub args: &'static [&'static str],
    /// What the real call may return
    pub returns: &'static [&'static str],
    /// What is recorded
    pub records: &'static str,
}
