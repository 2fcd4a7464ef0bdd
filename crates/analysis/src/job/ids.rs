//! Numbers that hold in all parts of a job, and parts of paths.

/// A file's number in the job.
pub type FileId = u32;

/// A function's number in the job.
pub type OpId = u16;

/// The file of a call on none, and of one whose path was lost.
pub const NO_FILE: FileId = 0;

/// The directory that a path is in; `-` for what is in none, as a pipe or a socket.
pub fn directory(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) => &path[..end.max(1)],
        None => b"-",
    }
}

/// The last part of a path.
pub fn file_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// An object's number in the job.
pub type ObjectId = u32;

/// The object of a call that names none.
pub const NO_OBJECT: ObjectId = 0;

/// A site's number in the job.
pub type SiteId = u32;

/// The site of a call whose stack is not known.
pub const NO_SITE: SiteId = 0;

/// A rank's number, or the place of a process in the order in which processes began.
pub type TaskId = u32;
