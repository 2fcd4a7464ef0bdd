//! Many numbered names on one line: `nid[00001-00128,00130] login1`.

use crate::{listed, ranges};
use std::collections::{BTreeMap, BTreeSet};

/// Names that differ only in the number at their end, by what they share
type Groups = BTreeMap<(String, usize), BTreeSet<u64>>;

/// Names, each once, in order, with numbers at their ends folded to ranges
pub fn folded(names: impl Iterator<Item = String>) -> String {
    let mut groups = Groups::new();
    for name in names {
        let (stem, digits) = split(&name);
        let numbers = groups.entry((stem, digits.len())).or_default();
        numbers.extend(digits.parse::<u64>());
    }
    let texts = groups
        .iter()
        .map(|((stem, width), numbers)| group(stem, *width, numbers));
    texts.collect::<Vec<_>>().join(" ")
}

/// Up to 18 digits at the end are a number.
fn split(name: &str) -> (String, String) {
    let digits = name
        .bytes()
        .rev()
        .take_while(u8::is_ascii_digit)
        .count()
        .min(18);
    let (stem, digits) = name.split_at(name.len() - digits);
    (stem.to_owned(), digits.to_owned())
}

fn group(stem: &str, width: usize, numbers: &BTreeSet<u64>) -> String {
    let ranges = ranges(numbers.iter().copied());
    let text = |n: &u64| format!("{n:0width$}");
    match &ranges[..] {
        [] => stem.to_owned(),
        [(first, last)] if first == last => format!("{stem}{}", text(first)),
        _ => {
            let ranges = ranges.iter().map(|(first, last)| match first == last {
                true => text(first),
                false => format!("{}-{}", text(first), text(last)),
            });
            format!("{stem}[{}]", ranges.collect::<Vec<_>>().join(","))
        }
    }
}

/// What `there` lacks below `end`
pub fn gaps(there: &BTreeSet<u64>, end: u64) -> Vec<(u64, u64)> {
    let (mut gaps, mut next) = (Vec::new(), 0);
    for &number in there.iter().chain([&end]) {
        if next < number {
            gaps.push((next, number - 1));
        }
        next = next.max(number.saturating_add(1));
    }
    gaps
}

/// Ranges in words: `rank 3`, `ranks 0-3,7`
pub fn rank_ranges(ranges: &[(u64, u64)]) -> String {
    let word = match ranges {
        [(first, last)] if first == last => "rank",
        _ => "ranks",
    };
    format!("{word} {}", listed(ranges))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded() {
        let names = [
            "nid00002", "nid00001", "nid00003", "nid00007", "nid00001", "login", "nid1",
        ];
        let text = folded(names.into_iter().map(str::to_owned));
        assert_eq!(text, "login nid1 nid[00001-00003,00007]");
        assert_eq!(folded(["node01".to_owned()].into_iter()), "node01");
    }

    #[test]
    fn ranks_are_listed() {
        assert_eq!(listed(&ranges([0, 1, 2, 5].into_iter())), "0-2,5");
        assert_eq!(listed(&[]), "");
        assert_eq!(rank_ranges(&[(3, 3)]), "rank 3");
        assert_eq!(rank_ranges(&[(3, 4)]), "ranks 3-4");
        assert_eq!(listed(&gaps(&BTreeSet::from([1, 2, 5]), 8)), "0,3-4,6-7");
        assert_eq!(gaps(&BTreeSet::from([0, 1]), 2), []);
    }
}
