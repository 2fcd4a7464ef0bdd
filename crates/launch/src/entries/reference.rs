//! What instructions refer to.

/// What an instruction refers to
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    Call,
    Jump,
    /// The address, for whatever purpose
    Address,
}

/// A direct reference
pub struct Reference {
    pub from: u64,
    pub to: u64,
    pub way: ReferenceKind,
}
