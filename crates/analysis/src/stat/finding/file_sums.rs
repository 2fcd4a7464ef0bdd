//! What findings ask of the files that are judged, found in one pass: each file is unpacked once.

use super::per_access::{PerAccess, Unused, cost};
use super::surplus::Surplus;
use crate::FileId;
use crate::job::directory;
use crate::stat::{FileStat, Tally, TimeCategory};
use crate::sums::add;
use std::cmp::Reverse;
use std::collections::HashMap;

/// Sums over files, and the files that have most of something.
#[derive(Default)]
pub(super) struct FileSums<'a> {
    /// Of all calls.
    pub all: Tally,
    /// Files that one task used.
    pub of_one: u64,
    /// Files that several tasks used.
    pub of_several: u64,
    /// Those that are opened for a transfer or two.
    pub per_access: PerAccess,
    /// Those that are opened and closed again.
    pub unused: Unused,
    /// Bytes that were moved again, by direction.
    pub again: [Surplus; 2],
    most: [Option<(u64, Reverse<FileId>)>; MostOf::COUNT],
    directories: HashMap<&'a [u8], DirectorySum>,
}

/// Files in a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DirectorySum {
    /// Those that were opened.
    pub files: u64,
    /// Time of metadata.
    pub time: u64,
}

/// What one file has more of than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MostOf {
    SmallReads,
    SmallWrites,
    RandomReads,
    RandomWrites,
    /// Of files that several tasks share.
    UnalignedWrites,
    /// By one process.
    Opens,
    /// Time that opening it for each access costs.
    PerAccess,
    /// Opens without a transfer.
    Unused,
}

impl MostOf {
    const COUNT: usize = 8;

    /// Small transfers.
    pub fn small(class: TimeCategory) -> MostOf {
        match class {
            TimeCategory::Read => MostOf::SmallReads,
            _ => MostOf::SmallWrites,
        }
    }

    /// Random transfers.
    pub fn random(class: TimeCategory) -> MostOf {
        match class {
            TimeCategory::Read => MostOf::RandomReads,
            _ => MostOf::RandomWrites,
        }
    }
}

impl<'a> FileSums<'a> {
    /// The file that has most of something, and how much; none where no file has any.
    pub fn most(&self, of: MostOf) -> Option<(FileId, u64)> {
        let (value, Reverse(file)) = self.most[of as usize].filter(|(value, _)| *value > 0)?;
        Some((file, value))
    }

    /// The directory with most files.
    pub fn fullest(&self) -> Option<(&'a [u8], DirectorySum)> {
        let all = self.directories.iter().map(|(path, sum)| (*path, *sum));
        all.max_by_key(|(path, sum)| (sum.files, Reverse(*path)))
    }

    /// One more, in a directory; it was opened for few transfers, or not.
    pub fn add(&mut self, id: FileId, file: &FileStat, path: &'a [u8], opened_for_few: bool) {
        let of = &file.tally;
        self.all.merge(of);
        match file.tasks > 1 {
            true => self.of_several += 1,
            false => self.of_one += 1,
        }
        if opened_for_few {
            self.per_access.add(of);
        }
        self.unused.add(of);
        for (again, class) in self
            .again
            .iter_mut()
            .zip([TimeCategory::Read, TimeCategory::Write])
        {
            again.add(id, file, class);
        }
        if of.opens > 0 {
            let sum = self.directories.entry(directory(path));
            let sum = sum.or_default();
            sum.files += 1;
            add(&mut sum.time, of.time[TimeCategory::Meta as usize]);
        }
        let mut value = |of: MostOf, value: u64| {
            let most = &mut self.most[of as usize];
            *most = (*most).max(Some((value, Reverse(id))));
        };
        value(MostOf::SmallReads, of.small_time[0]);
        value(MostOf::SmallWrites, of.small_time[1]);
        value(MostOf::RandomReads, of.random_time[0]);
        value(MostOf::RandomWrites, of.random_time[1]);
        if file.tasks > 1 {
            value(MostOf::UnalignedWrites, of.unaligned_time[1]);
        }
        value(MostOf::Opens, file.opener.1);
        if opened_for_few {
            value(MostOf::PerAccess, cost(of));
        }
        if Unused::is_unused(of) {
            value(MostOf::Unused, of.opens);
        }
    }
}
