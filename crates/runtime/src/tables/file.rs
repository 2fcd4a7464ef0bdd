//! Files as events name them.

/// The file of an event: its id, or why there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileId(u32);

impl FileId {
    /// No path is known.
    pub const NONE: FileId = FileId(0);
    /// The user left this file out.
    pub const FILTERED: FileId = FileId(u32::MAX);
    /// There is one, but the names of this part do not hold it yet.
    pub const STALE: FileId = FileId(u32::MAX - 1);

    /// The id as recorded.
    pub fn id(self) -> u32 {
        self.0
    }

    /// From what `id` gave.
    pub fn from_id(id: u32) -> FileId {
        FileId(id)
    }

    /// True when the part holds its name.
    #[inline(always)]
    pub fn is_named(self) -> bool {
        self != FileId::NONE && !self.is_filtered() && self != FileId::STALE
    }

    /// True when events on it are not recorded.
    #[inline(always)]
    pub fn is_filtered(self) -> bool {
        self == FileId::FILTERED
    }
}
