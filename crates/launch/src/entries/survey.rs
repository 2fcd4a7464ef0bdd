//! Where the direct jumps and calls of a program or library lead, as far as that is the beginning of a function that is
//! wanted.

use super::image::{Image, Symbol};
use super::reference::{Reference, ReferenceKind};
use super::{arm, x86};
use std::collections::BTreeSet;

/// More than a patch changes
const WINDOW: u64 = 40;

pub struct Survey {
    references: Vec<Reference>,
    referred: BTreeSet<u64>,
}

impl Survey {
    pub fn of(image: &Image, wanted: &[&Symbol]) -> Survey {
        let starts: Vec<u64> = wanted.iter().map(|symbol| symbol.address).collect();
        let mut references = Vec::new();
        let mut keep = |reference: Reference| {
            let nth = starts.partition_point(|&start| start <= reference.to);
            let start = nth.checked_sub(1).map(|nth| starts[nth]);
            if start.is_some_and(|start| reference.to - start < WINDOW) {
                references.push(reference);
            }
        };
        for piece in &image.code {
            for (address, bytes) in functions(image, piece.address, &piece.bytes) {
                match cfg!(target_arch = "aarch64") {
                    true => arm::references(address, bytes, &mut keep),
                    false => x86::references(address, bytes, &mut keep),
                }
            }
        }
        let referred = references.iter().map(|reference| reference.to);
        let referred = referred.chain(image.pointers.iter().copied()).collect();
        references.retain(|reference| reference.way == ReferenceKind::Jump);
        Survey {
            references,
            referred,
        }
    }

    /// Whether the code or the data has the address of a function
    pub fn refers(&self, function: u64) -> bool {
        self.referred.contains(&function)
    }

    /// The jumps to the beginning of a function, and whether they are its own
    pub fn jumps(&self, image: &Image, function: &Symbol) -> Vec<(u64, bool)> {
        let start = function.address;
        let near = self.references.iter();
        let near = near.filter(|jump| jump.to.wrapping_sub(start) < WINDOW);
        let is_own = |from: u64| {
            let nth = image.symbols.partition_point(|one| one.address <= from);
            let around = nth.checked_sub(1).map(|nth| &image.symbols[nth]);
            from.wrapping_sub(start) < function.size
                || around.is_some_and(|one| is_part(&one.name, &function.name))
        };
        near.map(|jump| (jump.to, is_own(jump.from))).collect()
    }
}

/// `save.cold` is a part of `save` that stands elsewhere.
fn is_part(name: &str, of: &str) -> bool {
    name.strip_prefix(of)
        .is_some_and(|rest| rest.starts_with(".cold"))
}

/// The code from each function's start to that of the next
fn functions<'a>(
    image: &Image,
    start: u64,
    bytes: &'a [u8],
) -> impl Iterator<Item = (u64, &'a [u8])> {
    let end = start + bytes.len() as u64;
    let inside = image.symbols.iter().map(|symbol| symbol.address);
    let inside = inside.filter(move |address| (start..end).contains(address));
    let starts: BTreeSet<u64> = inside.chain([start]).collect();
    let ends: Vec<u64> = starts.iter().copied().skip(1).chain([end]).collect();
    starts
        .into_iter()
        .zip(ends)
        .map(move |(from, to)| (from, &bytes[(from - start) as usize..(to - start) as usize]))
}
