//! Lists of ranges as they are packed: disjoint and in order, each is written as its distance from the one before, its
//! length, and the difference of its owner from that one's. So most take five bytes.

use super::extents::Owned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

type Difference = (u64, u64, i32);

pub fn serialize<S: Serializer>(lists: &[Vec<Owned>], to: S) -> Result<S::Ok, S::Error> {
    let lists: Vec<Vec<Difference>> = lists.iter().map(|list| differences(list)).collect();
    lists.serialize(to)
}

pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Vec<Owned>>, D::Error> {
    let lists: Vec<Vec<Difference>> = Vec::deserialize(from)?;
    Ok(lists.into_iter().map(ranges).collect())
}

fn differences(list: &[Owned]) -> Vec<Difference> {
    let mut before = (0, 0);
    let difference = |&(start, end, owner): &Owned| {
        let (last, owner_before) = std::mem::replace(&mut before, (end, owner));
        let change = owner.wrapping_sub(owner_before).cast_signed();
        (start - last, end - start, change)
    };
    list.iter().map(difference).collect()
}

/// Whatever the differences are, the ranges are in order.
fn ranges(list: Vec<Difference>) -> Vec<Owned> {
    let (mut last, mut owner) = (0u64, 0u32);
    let range = |(distance, length, change): Difference| {
        let start = last.saturating_add(distance);
        last = start.saturating_add(length);
        owner = owner.wrapping_add_signed(change);
        (start, last, owner)
    };
    list.into_iter().map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_come_back(list in prop::collection::vec((0u64..1 << 40, 1u64..1 << 40, any::<i32>()), 0..50)) {
            let list = ranges(list);
            prop_assert_eq!(ranges(differences(&list)), list);
        }

        #[test]
        fn any_differences_are_ranges_in_order(list: Vec<Difference>) {
            let list = ranges(list);
            prop_assert!(list.iter().all(|range| range.0 <= range.1));
            prop_assert!(list.windows(2).all(|two| two[0].1 <= two[1].0));
        }
    }
}
