//! What stands in a job's file before its parts do: when it was made, and by whom.

/// Who made the file, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobMark {
    /// In ns since 1970.
    pub when: u64,
    /// The process.
    pub pid: u32,
    /// Its parent.
    pub ppid: u32,
}

impl JobMark {
    /// Bytes of a mark.
    pub const SIZE: usize = 16;

    /// As it stands in the file.
    pub fn bytes(&self) -> [u8; JobMark::SIZE] {
        let who = u64::from(self.pid) << 32 | u64::from(self.ppid);
        (u128::from(who) << 64 | u128::from(self.when)).to_le_bytes()
    }

    /// From a file.
    pub fn parse(bytes: [u8; JobMark::SIZE]) -> JobMark {
        let both = u128::from_le_bytes(bytes);
        JobMark {
            when: both as u64,
            pid: (both >> 96) as u32,
            ppid: (both >> 64) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_comes_back() {
        let mark = JobMark {
            when: u64::MAX - 1,
            pid: 7,
            ppid: u32::MAX,
        };
        assert_eq!(JobMark::parse(mark.bytes()), mark);
        assert_eq!(mark.bytes()[12..], [7, 0, 0, 0]);
    }
}
