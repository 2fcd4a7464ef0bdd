//! A choice of ranks: `0`, `0,4-7`.

use std::ops::RangeInclusive;
use std::str::FromStr;

/// Numbers and ranges, in any order
#[derive(Clone, Debug)]
pub struct Ranks {
    ranges: Vec<RangeInclusive<u32>>,
    text: String,
}

impl Ranks {
    /// Whether `rank` is among them
    pub fn contains(&self, rank: u32) -> bool {
        self.ranges.iter().any(|range| range.contains(&rank))
    }
}

impl std::fmt::Display for Ranks {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Ranks {
    type Err = String;

    fn from_str(text: &str) -> Result<Ranks, String> {
        let ranges = text.split(',').map(range).collect::<Result<_, _>>()?;
        let text = text.to_owned();
        Ok(Ranks { ranges, text })
    }
}

fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("{text} ends before it begins"));
    }
    Ok(first..=last)
}

fn number(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .map_err(|_| format!("`{text}` is not a rank; give numbers and ranges, as in 0,4-7"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_taken() {
        let ranks: Ranks = "0,4-7, 9".parse().unwrap();
        let chosen: Vec<u32> = (0..12).filter(|&rank| ranks.contains(rank)).collect();
        assert_eq!(chosen, [0, 4, 5, 6, 7, 9]);
    }

    #[test]
    fn what_is_no_rank_is_refused() {
        for text in ["", "a", "-1", "3-", "7-4", "1,,2", "4294967296"] {
            assert!(text.parse::<Ranks>().is_err(), "{text}");
        }
    }
}
