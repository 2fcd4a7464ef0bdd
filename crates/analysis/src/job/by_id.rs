//! Numbers by the ids that a part uses. Ids that a tracer gives are close together, but a trace may hold any.

use std::collections::HashMap;

/// A number for each id; 0 where there is none.
#[derive(Clone, Debug, Default)]
pub struct ById {
    near: Vec<u32>,
    /// Ids so large that a list up to them would be mostly empty.
    far: HashMap<u32, u32>,
    count: usize,
}

/// A list may be so many times as long as there are ids,
const SPARSE: usize = 4;
/// or so long.
const SHORT: usize = 1 << 12;

impl ById {
    /// The id's number is this.
    pub fn set(&mut self, id: u32, number: u32) {
        self.count += 1;
        let at = id as usize;
        if at >= SHORT.max(self.count.saturating_mul(SPARSE)) {
            self.far.insert(id, number);
            return;
        }
        if self.near.len() <= at {
            self.near.resize(at + 1, 0);
        }
        self.near[at] = number;
    }

    /// The number of an id.
    #[inline(always)]
    pub fn get(&self, id: u32) -> u32 {
        match self.near.get(id as usize) {
            Some(&number) if number != 0 => number,
            // Of most calls a second file, or a layout, is asked for in vain.
            _ if self.far.is_empty() => 0,
            _ => self.get_far(id),
        }
    }

    /// All numbers.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let all = self.near.iter().chain(self.far.values()).copied();
        all.filter(|number| *number != 0)
    }

    #[cold]
    fn get_far(&self, id: u32) -> u32 {
        self.far.get(&id).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_ids_in_any_order() {
        let ids: Vec<u32> = [u32::MAX, 1 << 31, 5, 1 << 20, 0, 9 * SHORT as u32]
            .into_iter()
            .chain(10..20_000)
            .collect();
        let mut numbers = ById::default();
        for (id, number) in ids.iter().zip(1..) {
            numbers.set(*id, number);
        }
        for (id, number) in ids.iter().zip(1..) {
            assert_eq!(numbers.get(*id), number, "{id}");
        }
        assert_eq!((numbers.get(7), numbers.get(1 << 30)), (0, 0));
        assert!(numbers.near.len() <= 80_000);
    }
}
