//! Merging in an order that depends on nothing but the number of units: a binary tree over them, of which any share
//! holds whole subtrees. So who read which unit, and when, changes no digit.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A subtree: over units `index << level` up to, not including, `(index + 1) << level`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Subtree {
    pub level: u32,
    pub index: u64,
}

impl Subtree {
    pub fn leaf(unit: u64) -> Subtree {
        Subtree {
            level: 0,
            index: unit,
        }
    }

    pub fn units(self) -> Range<u64> {
        self.index << self.level..(self.index + 1) << self.level
    }

    fn sibling(self) -> Subtree {
        Subtree {
            index: self.index ^ 1,
            ..self
        }
    }

    fn parent(self) -> Subtree {
        Subtree {
            level: self.level + 1,
            index: self.index >> 1,
        }
    }
}

/// Subtrees whose siblings are not there (yet).
pub(crate) struct Tree<T>(Mutex<BTreeMap<Subtree, T>>);

impl<T> Tree<T> {
    pub fn new() -> Tree<T> {
        Tree(Mutex::new(BTreeMap::new()))
    }

    /// Adds a subtree, and merges it as far up as siblings are there. `join` gets left and right, and the units of the left.
    pub fn add(
        &self,
        mut place: Subtree,
        mut value: T,
        join: impl Fn(T, T, Range<u64>, Range<u64>) -> T,
    ) {
        loop {
            let sibling = {
                let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                match waiting.remove(&place.sibling()) {
                    Some(sibling) => sibling,
                    None => {
                        waiting.insert(place, value);
                        return;
                    }
                }
            };
            let other = place.sibling();
            value = match place.index & 1 {
                0 => join(value, sibling, place.units(), other.units()),
                _ => join(sibling, value, other.units(), place.units()),
            };
            place = place.parent();
        }
    }

    /// What is left, in the order of units.
    pub fn into_subtrees(self) -> Vec<(Subtree, T)> {
        let waiting = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = waiting.into_iter().collect();
        all.sort_by_key(|(place, _)| place.units().start);
        all
    }
}

/// Merges what is left of all units, from the end: the smaller subtrees first.
pub(crate) fn fold<T>(
    subtrees: Vec<(Subtree, T)>,
    join: impl Fn(T, T, Range<u64>, Range<u64>) -> T,
) -> Option<T> {
    let all = subtrees
        .into_iter()
        .map(|(place, value)| (place.units(), value));
    let folded = all.rev().reduce(|(later, right), (earlier, left)| {
        let both = earlier.start..later.end;
        (both, join(left, right, earlier, later))
    });
    folded.map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(left: String, right: String, _: Range<u64>, _: Range<u64>) -> String {
        format!("({left}{right})")
    }

    fn whole(order: &[u64]) -> String {
        let tree = Tree::new();
        for &unit in order {
            tree.add(Subtree::leaf(unit), unit.to_string(), join);
        }
        fold(tree.into_subtrees(), join).unwrap()
    }

    #[test]
    fn any_order_gives_the_same_tree() {
        let straight = whole(&[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(straight, "(((01)(23))((45)6))");
        assert_eq!(whole(&[6, 2, 0, 5, 3, 1, 4]), straight);
    }

    #[test]
    fn shares_hold_whole_subtrees() {
        let straight = whole(&[0, 1, 2, 3, 4, 5, 6]);
        for cut in 0..=7 {
            let all = Tree::new();
            for share in [0..cut, cut..7] {
                let tree = Tree::new();
                share.for_each(|unit| tree.add(Subtree::leaf(unit), unit.to_string(), join));
                for (place, value) in tree.into_subtrees() {
                    all.add(place, value, join);
                }
            }
            assert_eq!(
                fold(all.into_subtrees(), join).unwrap(),
                straight,
                "cut at {cut}"
            );
        }
    }
}
