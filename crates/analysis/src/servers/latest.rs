//! Which call moved each byte of a file last.

use std::collections::BTreeMap;

/// Ranges without gaps or overlaps between them where the calls have none: start to end and the call.
#[derive(Clone, Debug, Default)]
pub(super) struct LatestCalls(BTreeMap<u64, (u64, u32)>);

impl LatestCalls {
    /// A call moves a range.
    pub fn set(&mut self, start: u64, end: u64, call: u32) {
        if end <= start {
            return;
        }
        let before = self.0.range(..start).next_back();
        if let Some((&from, &(to, known))) = before.filter(|(_, (to, _))| *to > start) {
            self.0.insert(from, (start, known));
            if to > end {
                self.0.insert(end, (to, known));
            }
        }
        let covered: Vec<u64> = self.0.range(start..end).map(|(from, _)| *from).collect();
        for from in covered {
            if let Some((to, known)) = self.0.remove(&from).filter(|(to, _)| *to > end) {
                self.0.insert(end, (to, known));
            }
        }
        self.0.insert(start, (end, call));
    }

    /// The call that moved most of a range.
    pub fn most_of(&self, start: u64, end: u64) -> Option<u32> {
        let before = self.0.range(..start).next_back();
        let within = self.0.range(start..end);
        let common = |(from, (to, call)): (&u64, &(u64, u32))| {
            (end.min(*to).saturating_sub(start.max(*from)), *call)
        };
        let all = before.into_iter().chain(within).map(common);
        let most = all.max_by_key(|(bytes, call)| (*bytes, std::cmp::Reverse(*call)));
        most.filter(|(bytes, _)| *bytes > 0).map(|(_, call)| call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As an array that has the call of each byte.
        #[test]
        fn each_byte_has_its_last_call(calls in prop::collection::vec((0u64..40, 0u64..20), 0..30), asked in (0u64..40, 1u64..30)) {
            let (mut latest, mut bytes) = (LatestCalls::default(), [None; 80]);
            for (call, (start, length)) in (0..).zip(&calls) {
                latest.set(*start, start + length, call);
                bytes[*start as usize..(start + length) as usize].fill(Some(call));
            }
            let (start, end) = (asked.0, asked.0 + asked.1);
            let mut parts = BTreeMap::<(u64, u32), u64>::new();
            let mut from = start;
            for at in start..end {
                if at > start && bytes[at as usize] != bytes[at as usize - 1] {
                    from = at;
                }
                if let Some(call) = bytes[at as usize] {
                    *parts.entry((from, call)).or_default() += 1;
                }
            }
            let most = parts.values().max().copied();
            let found = latest.most_of(start, end);
            let of_found = parts.iter().filter(|((_, call), _)| Some(*call) == found);
            prop_assert_eq!(of_found.map(|(_, bytes)| *bytes).max(), most);
        }
    }
}
