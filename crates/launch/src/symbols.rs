//! What functions a program and its libraries have, as far as that decides which of them a probe can see.

use super::entries::{self, Entry};
use iota_trace::Printable;
use object::elf::{STT_FUNC, STT_GNU_IFUNC, STT_OBJECT};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol, ObjectSymbolTable, ReadCache, ReadRef};
use object::{RelocationTarget, SymbolFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// The names in a program or library
pub struct Names {
    /// Where they are
    pub file: PathBuf,
    /// Functions that others can call
    pub functions: BTreeSet<String>,
    /// Variables that others can use
    pub variables: BTreeSet<String>,
    /// Functions whose addresses are in slots, which the dynamic linker fills
    pub slots: BTreeSet<String>,
    /// Functions that are wanted and called without a slot
    pub entries: Vec<Entry>,
}

impl Names {
    /// Of a file; None: it cannot be read
    pub fn of(file: &Path, is_wanted: impl Fn(&str) -> bool) -> Option<Names> {
        let cache = ReadCache::new(File::open(file).ok()?);
        let elf = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        let exported = by_kind(elf.dynamic_symbols());
        Some(Names {
            file: file.to_owned(),
            slots: slots(&elf),
            entries: entries::of(file, is_wanted),
            functions: exported.functions,
            variables: exported.variables,
        })
    }

    /// Its name without directories
    pub fn name(&self) -> String {
        Printable::path(Path::new(self.file.file_name().unwrap_or_default()))
    }
}

#[derive(Default)]
struct ByKind {
    functions: BTreeSet<String>,
    variables: BTreeSet<String>,
}

fn by_kind<'d, S: ObjectSymbol<'d>>(symbols: impl Iterator<Item = S>) -> ByKind {
    let mut all = ByKind::default();
    for symbol in symbols.filter(|symbol| !symbol.is_undefined()) {
        let SymbolFlags::Elf { st_info, .. } = symbol.flags() else {
            continue;
        };
        let to = match st_info.st_type() {
            STT_FUNC | STT_GNU_IFUNC => &mut all.functions,
            STT_OBJECT => &mut all.variables,
            _ => continue,
        };
        to.extend(symbol.name().ok().map(str::to_owned));
    }
    all
}

/// Every symbol whose address the dynamic linker puts somewhere
fn slots<'d, R: ReadRef<'d>>(elf: &ElfFile64<'d, Endianness, R>) -> BTreeSet<String> {
    let (Some(places), Some(symbols)) = (elf.dynamic_relocations(), elf.dynamic_symbol_table())
    else {
        return BTreeSet::new();
    };
    let named = places.filter_map(|(_, place)| match place.target() {
        RelocationTarget::Symbol(index) => symbols.symbol_by_index(index).ok(),
        _ => None,
    });
    named
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .collect()
}

/// The names that are most like one: those that differ in a few characters
pub fn near<'n>(name: &str, all: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let most = (name.len() / 4).clamp(1, 3);
    let mut found: BTreeMap<(usize, &str), ()> = BTreeMap::new();
    for other in all.filter(|other| other.len().abs_diff(name.len()) <= most) {
        let differences = differences(name, other);
        if differences <= most {
            found.insert((differences, other), ());
        }
    }
    found.into_keys().map(|(_, name)| name).take(3).collect()
}

/// How many characters to change, add or take away, whatever their case
fn differences(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], n + 1);
        for (m, b) in other.bytes().enumerate() {
            let same = usize::from(!a.eq_ignore_ascii_case(&b));
            let here = (diagonal + same).min(row[m] + 1).min(row[m + 1] + 1);
            diagonal = std::mem::replace(&mut row[m + 1], here);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_those_that_differ_little() {
        let all = ["H5Dwrite", "H5Dread", "H5Fopen", "h5dwrite_c", "write"];
        let near_to = |name| near(name, all.into_iter());
        assert_eq!(near_to("H5Dwrit"), ["H5Dwrite"]);
        assert_eq!(near_to("h5dwrite"), ["H5Dwrite", "h5dwrite_c"]);
        assert_eq!(near_to("nc_put_vara"), [""; 0]);
        assert_eq!(differences("kitten", "sitting"), 3);
    }

    #[test]
    fn functions_of_this_program_are_found() {
        let names = Names::of(Path::new("/proc/self/exe"), |name| {
            name.contains("differences")
        });
        let names = names.unwrap();
        assert!(!names.entries.is_empty());
        assert!(names.slots.contains("write"), "{:?}", names.slots);
    }
}
