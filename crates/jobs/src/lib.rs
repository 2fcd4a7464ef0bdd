//! Many jobs as a table: the traces below some directories, a row of figures for each job, and an index that keeps them.

mod files;
mod groups;
mod index;
mod row;
mod user;

pub use files::{FileStamp, JobFiles, find};
pub use groups::{GroupBy, GroupRow, groups};
pub use index::{Entry, Index};
pub use row::JobRow;
