//! What of a program or library decides whether a function can have a probe by its first instructions.

use super::debug::{self, Elf};
use iota_calls::refused;
use iota_trace::fnv::Fnv;
use object::SymbolFlags;
use object::elf::{
    PF_R, PT_LOAD, PT_NOTE, SHF_ALLOC, SHF_EXECINSTR, SHT_PROGBITS, STT_FUNC, STT_GNU_IFUNC,
};
use object::read::elf::{ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, ReadCache, RelocationTarget};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

/// A function's name and place
pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub is_ifunc: bool,
    pub is_exported: bool,
    is_wanted: bool,
}

/// Bytes where the file says that they are going to be
pub struct SegmentBytes {
    pub address: u64,
    pub bytes: Vec<u8>,
}

impl SegmentBytes {
    fn holds(&self, address: u64) -> bool {
        address.wrapping_sub(self.address) < self.bytes.len() as u64
    }

    fn get(&self, start: u64, end: u64) -> Option<&[u8]> {
        let from = usize::try_from(start.checked_sub(self.address)?).ok()?;
        let to = usize::try_from(end.checked_sub(self.address)?).ok()?;
        self.bytes.get(from..to)
    }
}

pub struct Image {
    pub fingerprint: u64,
    pub code: Vec<SegmentBytes>,
    pub data: Vec<SegmentBytes>,
    /// In the order of their places
    pub symbols: Vec<Symbol>,
    /// Addresses of code that stand in data
    pub pointers: BTreeSet<u64>,
    pub is_go: bool,
}

impl Image {
    /// None: it cannot be read, or has no function that is wanted
    pub fn of(file: &Path, is_wanted: &impl Fn(&str) -> bool) -> Option<Image> {
        let cache = ReadCache::new(File::open(file).ok()?);
        let elf = Elf::parse(&cache).ok()?;
        let symbols = symbols(&elf, file, is_wanted);
        if !symbols.iter().any(|symbol| symbol.is_wanted) {
            return None;
        }
        let (code, data) = pieces(&elf);
        let mut image = Image {
            fingerprint: fingerprint(&elf, &cache)?,
            code,
            data,
            symbols,
            pointers: BTreeSet::new(),
            is_go: elf.section_by_name(".gopclntab").is_some(),
        };
        image.pointers = image.pointers_in_data();
        image.pointers.extend(relative(&elf));
        Some(image)
    }

    pub fn wanted(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|symbol| symbol.is_wanted)
    }

    /// The code between two addresses
    pub fn code_at(&self, start: u64, end: u64) -> Option<&[u8]> {
        self.code.iter().find_map(|piece| piece.get(start, end))
    }

    pub fn is_code(&self, address: u64) -> bool {
        self.code.iter().any(|piece| piece.holds(address))
    }

    pub fn data_at(&self, start: u64, length: u64) -> Option<&[u8]> {
        let end = start.checked_add(length)?;
        self.data.iter().find_map(|piece| piece.get(start, end))
    }

    /// Where the function behind an address begins, or its piece of code ends
    pub fn next_symbol(&self, address: u64) -> u64 {
        let next = self.symbols.partition_point(|one| one.address <= address);
        let mut pieces = self.code.iter();
        let piece = pieces.find(|piece| piece.holds(address));
        let end = piece.map_or(address, |piece| piece.address + piece.bytes.len() as u64);
        self.symbols
            .get(next)
            .map_or(end, |next| next.address.min(end))
    }

    /// Words that may be the address of something inside a function that is wanted
    fn pointers_in_data(&self) -> BTreeSet<u64> {
        let pieces = self.data.iter().flat_map(|piece| {
            let skipped = piece.address.wrapping_neg() as usize % 8;
            piece.bytes.get(skipped..).unwrap_or_default().as_chunks().0
        });
        let all = pieces.map(|word: &[u8; 8]| u64::from_le_bytes(*word));
        all.filter(|&word| word > 4096 && self.is_code(word))
            .collect()
    }
}

fn fingerprint(elf: &Elf, cache: &ReadCache<File>) -> Option<u64> {
    let endian = elf.endian();
    let headers = elf.elf_program_headers();
    let sum = Fnv::START.and(object::pod::bytes_of_slice(headers));
    let range = |header: &object::elf::ProgramHeader64<Endianness>| {
        let start = header.p_vaddr(endian);
        start..start + header.p_memsz(endian)
    };
    let mut sum = sum;
    for note in headers.iter().filter(|one| one.p_type(endian) == PT_NOTE) {
        let is_around = |one: &&object::elf::ProgramHeader64<Endianness>| {
            one.p_type(endian) == PT_LOAD
                && one.p_flags(endian) & PF_R == PF_R
                && range(one).contains(&range(note).start)
        };
        let around = headers.iter().find(is_around);
        if around.is_some_and(|around| range(note).end <= range(around).end) {
            sum = sum.and(note.data(endian, cache).ok()?);
        }
    }
    Some(sum.number())
}

fn pieces(elf: &Elf) -> (Vec<SegmentBytes>, Vec<SegmentBytes>) {
    let (mut code, mut data) = (Vec::new(), Vec::new());
    for section in elf.sections() {
        let header = section.elf_section_header();
        let flags = header.sh_flags(elf.endian());
        // Tables of the dynamic linker's are no data of the program.
        if !flags.contains(SHF_ALLOC) || header.sh_type(elf.endian()) != SHT_PROGBITS {
            continue;
        }
        let Ok(bytes) = section.data() else { continue };
        let piece = SegmentBytes {
            address: section.address(),
            bytes: bytes.to_vec(),
        };
        match flags.contains(SHF_EXECINSTR) {
            true => code.push(piece),
            false => data.push(piece),
        }
    }
    (code, data)
}

/// Addresses that the dynamic linker writes without asking for a symbol
fn relative(elf: &Elf) -> BTreeSet<u64> {
    let places = elf.dynamic_relocations().into_iter().flatten();
    let relative = places.filter(|(_, place)| place.target() == RelocationTarget::Absolute);
    relative.map(|(_, place)| place.addend() as u64).collect()
}

/// All functions, one after the other; of those at one place the exported one is first.
fn symbols(elf: &Elf, file: &Path, is_wanted: &impl Fn(&str) -> bool) -> Vec<Symbol> {
    let mut all: BTreeMap<(u64, bool, String), Symbol> = BTreeMap::new();
    let mut add = |symbol: Symbol| {
        let is_second = all.contains_key(&(symbol.address, false, symbol.name.clone()));
        if !is_second {
            let key = (symbol.address, !symbol.is_exported, symbol.name.clone());
            all.insert(key, symbol);
        }
    };
    functions(elf.dynamic_symbols(), true, is_wanted).for_each(&mut add);
    functions(elf.symbols(), false, is_wanted).for_each(&mut add);
    if elf.symbol_table().is_none() {
        of_debug_file(elf, file, is_wanted)
            .into_iter()
            .for_each(&mut add);
    }
    all.into_values().collect()
}

fn functions<'d, S: ObjectSymbol<'d>>(
    symbols: impl Iterator<Item = S>,
    is_exported: bool,
    is_wanted: &impl Fn(&str) -> bool,
) -> impl Iterator<Item = Symbol> {
    symbols
        .filter(|one| !one.is_undefined())
        .filter_map(move |one| {
            let SymbolFlags::Elf { st_info, .. } = one.flags() else {
                return None;
            };
            let kind = st_info.st_type();
            let name = one.name().ok()?;
            let name = name.split('@').next().unwrap_or(name);
            (kind == STT_FUNC || kind == STT_GNU_IFUNC).then(|| Symbol {
                is_wanted: is_wanted(name) && refused(name.as_bytes()).is_none(),
                name: name.to_owned(),
                address: one.address(),
                size: one.size(),
                is_ifunc: kind == STT_GNU_IFUNC,
                is_exported,
            })
        })
}

/// Those of the file that has what `strip` took away
fn of_debug_file(elf: &Elf, file: &Path, is_wanted: &impl Fn(&str) -> bool) -> Vec<Symbol> {
    let file = debug::file(elf, file).and_then(|path| File::open(path).ok());
    let cache = file.map(ReadCache::new);
    let elf = cache.as_ref().and_then(|cache| Elf::parse(cache).ok());
    elf.map_or_else(Vec::new, |elf| {
        functions(elf.symbols(), false, is_wanted).collect()
    })
}
