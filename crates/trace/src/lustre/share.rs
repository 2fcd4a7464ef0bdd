//! From an extent of a file to the OSTs that hold it: stripe n of a component is the n-th `stripe_size` bytes of the
//! file, counted from offset 0, and lies on OST number n modulo `stripe_count` of the component (RAID 0, as the
//! client's `lov_offset.c` has it).

use super::component::{Component, Storage};
use super::layout::Layout;

/// What holds bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An OST, by its index.
    Ost(u32),
    /// The file's metadata target.
    Mdt,
    /// Not known: the component had no objects when the layout was read, or there is none for these bytes.
    Unknown,
}

impl Layout<'_> {
    /// Tells how many of the bytes from `start` up to `end` each target holds. A target may come more than once.
    pub fn share(self, start: u64, end: u64, is_write: bool, mut tell: impl FnMut(Target, u64)) {
        let mut at = start;
        while at < end {
            // Of a mirror that begins there, other components may be the ones to use.
            let until = self.next_start(at).min(end);
            let Some(part) = self.at(at, is_write) else {
                tell(Target::Unknown, until.wrapping_sub(at));
                at = until;
                continue;
            };
            let until = until.min(part.end);
            part.share(at, until, &mut tell);
            at = until;
        }
    }

    /// Where the next component begins behind `at`.
    fn next_start(self, at: u64) -> u64 {
        let behind = |start: &u64| *start > at;
        self.components()
            .map(|part| part.start)
            .filter(behind)
            .min()
            .unwrap_or(u64::MAX)
    }
}

impl Component<'_> {
    fn share(&self, start: u64, end: u64, tell: &mut impl FnMut(Target, u64)) {
        let count = self.osts().count() as u64;
        let size = u64::from(self.stripe_size);
        let whole = if self.storage() == Storage::Mdt {
            Target::Mdt
        } else {
            Target::Unknown
        };
        let (Some(first), Some(last)) = (
            start.checked_div(size),
            end.wrapping_sub(1).checked_div(size),
        ) else {
            return tell(whole, end.wrapping_sub(start));
        };
        // With fewer objects than stripes nobody knows where the rest is.
        if count == 0 || count != u64::from(self.stripe_count) {
            return tell(whole, end.wrapping_sub(start));
        }
        let touched = last.wrapping_sub(first).wrapping_add(1).min(count);
        for stripe in 0..touched {
            let place = first.wrapping_add(stripe).checked_rem(count).unwrap_or(0);
            let ost = self.ost(place as usize).unwrap_or(0);
            let before = |offset| below(offset, place, size, count);
            tell(Target::Ost(ost), before(end).wrapping_sub(before(start)));
        }
    }
}

/// Bytes of the stripes at `place` among `count` that lie before `offset`.
fn below(offset: u64, place: u64, size: u64, count: u64) -> u64 {
    let width = size.saturating_mul(count);
    let (rounds, rest) = (
        offset.checked_div(width).unwrap_or(0),
        offset.checked_rem(width).unwrap_or(0),
    );
    let within = rest.saturating_sub(place.wrapping_mul(size)).min(size);
    rounds.wrapping_mul(size).wrapping_add(within)
}

#[cfg(test)]
mod tests {
    use super::super::blob::{Comp, composite, plain};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Byte by byte, as a model: which target has the byte at `offset`.
    fn holder(layout: Layout, offset: u64, is_write: bool) -> Target {
        let Some(part) = layout.at(offset, is_write) else {
            return Target::Unknown;
        };
        let osts: Vec<u32> = part.osts().collect();
        match part.storage() {
            Storage::Mdt => Target::Mdt,
            Storage::Osts if osts.is_empty() || part.stripe_size == 0 => Target::Unknown,
            Storage::Osts if osts.len() != usize::from(part.stripe_count) => Target::Unknown,
            Storage::Osts => {
                Target::Ost(osts[(offset / u64::from(part.stripe_size)) as usize % osts.len()])
            }
            _ => Target::Unknown,
        }
    }

    fn shared(layout: Layout, start: u64, end: u64, is_write: bool) -> BTreeMap<Target, u64> {
        let mut sums = BTreeMap::new();
        layout.share(start, end, is_write, |target, bytes| {
            *sums.entry(target).or_insert(0) += bytes;
        });
        sums
    }

    fn counted(layout: Layout, start: u64, end: u64, is_write: bool) -> BTreeMap<Target, u64> {
        let mut sums = BTreeMap::new();
        for offset in start..end {
            *sums.entry(holder(layout, offset, is_write)).or_insert(0) += 1;
        }
        sums
    }

    prop_compose! {
        fn component()(
            length in 1u64..60,
            size in 0u32..9,
            osts in proptest::collection::vec(0u32..6, 0..5),
            missing in prop_oneof![4 => Just(0u16), 1 => Just(1u16)],
            flags in prop_oneof![5 => Just(0x10u32), 1 => Just(0), 1 => Just(0x11), 1 => Just(0x12), 1 => Just(0x14), 1 => Just(0x90)],
            pattern in prop_oneof![6 => Just(1u32), 1 => Just(0x100), 1 => Just(0x8000_0001)],
            mirror in 1u32..3,
        ) -> (u64, Comp) {
            let count = osts.len() as u16 + missing;
            (length, Comp { id: mirror << 16, flags, start: 0, end: 0, pattern, size, count, osts, pool: None })
        }
    }

    /// Components one behind another within each mirror, with a gap now and then.
    fn laid_out(parts: Vec<(u64, Comp)>, gap: u64) -> Vec<u8> {
        let mut ends = BTreeMap::new();
        let comps = parts
            .into_iter()
            .enumerate()
            .map(|(n, (length, mut comp))| {
                let end: &mut u64 = ends.entry(comp.id).or_default();
                comp.start = *end + if n == 1 { gap } else { 0 };
                comp.end = comp.start + length;
                *end = comp.end;
                comp
            });
        composite(&comps.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn every_byte_is_where_the_model_has_it(
            parts in proptest::collection::vec(component(), 0..6),
            gap in 0u64..5,
            start in 0u64..150,
            length in 0u64..150,
            is_write: bool,
        ) {
            let blob = laid_out(parts, gap);
            let layout = Layout(&blob);
            prop_assert_eq!(
                shared(layout, start, start + length, is_write),
                counted(layout, start, start + length, is_write)
            );
        }

        #[test]
        fn a_plain_file_is_where_the_model_has_it(
            size in 1u32..9,
            osts in proptest::collection::vec(0u32..6, 1..6),
            start in 0u64..300,
            length in 0u64..300,
        ) {
            let blob = plain(1, size, osts.len() as u16, &osts, None);
            let layout = Layout(&blob);
            prop_assert_eq!(
                shared(layout, start, start + length, true),
                counted(layout, start, start + length, true)
            );
        }
    }

    #[test]
    fn extents_at_the_end_of_all_offsets_are_shared_too() {
        let blob = plain(1, 1 << 20, 2, &[3, 9], None);
        let sums = shared(Layout(&blob), u64::MAX - 5, u64::MAX, true);
        assert_eq!(sums.values().sum::<u64>(), 5);
        let whole = shared(Layout(&blob), 0, u64::MAX, false);
        assert_eq!(whole.values().sum::<u64>(), u64::MAX);
    }
}
