//! What ranks on several nodes leave for each other: symbolic links beside the output. To make one, to rename it and to
//! remove it are each done wholly or not at all, on network file systems too.

use crate::group::GroupRank;
use crate::rendezvous::SharedDir;
use iota_runtime::output::{self, Path};
use iota_runtime::{clock, rank, sys};

/// More ranks than these would be too much for a server of metadata: each of them looks every few milliseconds.
const MOST_RANKS: u32 = 1024;
/// By how much the clocks of nodes may differ, in seconds.
const CLOCKS: u64 = 60;

const ALL: &[u8] = b"all";
const NOT_ALL: &[u8] = b"not all";

/// The names of the links, for one rank.
pub struct Links {
    rank: u32,
    launch: u32,
}

impl Links {
    /// None for too many ranks.
    pub fn new(me: GroupRank) -> Option<Links> {
        let launch = rank::launch();
        (me.size <= MOST_RANKS).then_some(Links {
            rank: me.rank,
            launch,
        })
    }

    /// `.iota-LAUNCH` with an ending, in the output's directory.
    fn name(&self, ending: &[u8]) -> Path {
        let base = output::base().bytes();
        let file = base.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let folder = base.len().saturating_sub(file.len());
        let mut name = Path::EMPTY;
        name.push(base.get(..folder).unwrap_or_default());
        name.push(b".iota-")
            .push_number(u64::from(self.launch))
            .push(ending);
        name
    }

    fn word(&self, rank: u32) -> Path {
        let mut name = self.name(b"-");
        name.push_number(u64::from(rank));
        name
    }

    fn taken(&self, rank: u32) -> Path {
        let mut name = self.word(rank);
        name.push(b"-taken");
        name
    }
}

fn seconds() -> u64 {
    clock::realtime_ns() / 1_000_000_000
}

fn says<'b>(link: &Path, room: &'b mut [u8]) -> Option<&'b [u8]> {
    sys::read_link(link.c_str(), room).ok()
}

fn is_there(link: &Path) -> bool {
    says(link, &mut [0; 32]).is_some()
}

/// A word may be of an earlier job, whose launcher had the same name, and that was killed.
fn is_of_now(word: &Path) -> bool {
    let mut room = [0; 32];
    let when = says(word, &mut room).and_then(rank::number);
    when.is_some_and(|when| when.saturating_add(CLOCKS) >= rank::began() / 1_000_000_000)
}

impl SharedDir for Links {
    fn arrive(&mut self) -> bool {
        let mut when: sys::Text<24> = sys::Text::EMPTY;
        when.push_number(seconds());
        for old in [self.word(self.rank), self.taken(self.rank)] {
            let _ = sys::unlink(old.c_str());
        }
        sys::symlink(when.c_str(), self.word(self.rank).c_str()).is_ok()
    }

    fn take(&mut self, rank: u32) -> bool {
        let word = self.word(rank);
        is_of_now(&word) && sys::rename(word.c_str(), self.taken(rank).c_str()).is_ok()
    }

    fn is_taken(&mut self) -> bool {
        is_there(&self.taken(self.rank))
    }

    fn cancel(&mut self) -> bool {
        sys::unlink(self.word(self.rank).c_str()).is_ok()
    }

    fn announce(&mut self, all: bool) -> bool {
        let what = if all { c"all" } else { c"not all" };
        sys::symlink(what, self.name(b"").c_str()).is_ok()
    }

    fn announced(&mut self) -> Option<bool> {
        match says(&self.name(b""), &mut [0; 32])? {
            ALL => Some(true),
            NOT_ALL => Some(false),
            _ => None,
        }
    }

    fn leave(&mut self) {
        let _ = sys::unlink(self.taken(self.rank).c_str());
    }

    fn has_left(&mut self, rank: u32) -> bool {
        !is_there(&self.taken(rank))
    }

    fn clear(&mut self) {
        let _ = sys::unlink(self.name(b"").c_str());
    }
}
