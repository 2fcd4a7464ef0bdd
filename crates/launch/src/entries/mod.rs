//! Functions that no slot leads to: which of them can have a probe by their first instructions, and with what in place of
//! these. Instructions are decoded here, before the run; the tracer compares and copies (`iota_trace::patches`).

mod arm;
mod debug;
mod image;
mod survey;
mod x86;

use image::{Image, Symbol};
use iota_trace::patches::{Fixup, Owned};
use std::path::Path;
use survey::Survey;

/// A function that is called without a slot
pub struct Entry {
    pub name: String,
    /// Others can call it by a slot, too
    pub is_exported: bool,
    /// What gives it a probe; or why it can have none
    pub outcome: Result<Owned, &'static str>,
}

pub const SHORT: &str = "it is shorter than a jump";
pub const INSIDE: &str = "a jump leads into its first instructions";
pub const LOOP: &str = "it jumps back to its first instruction";
pub const TABLE: &str = "a table of jumps may lead into its first instructions";
pub const UNKNOWN: &str = "its instructions cannot be decoded";
pub const CALLER: &str = "it looks at its caller";
pub const PLACE: &str = "its first instructions depend on where they are";
pub const POPS: &str = "it returns in another way than C functions";
const IFUNC: &str = "the dynamic linker chooses it at the start (IFUNC)";
const GO: &str = "it is in Go, where stacks are small";
const SIZE: &str = "its size is unknown";

/// The libraries that the tracer itself calls, and the one that loads it
const LEFT_ALONE: [&str; 9] = [
    "ld-linux",
    "ld-musl",
    "libc.so",
    "libc-2.",
    "libpthread",
    "libdl.so",
    "librt.so",
    "libgcc_s",
    "libiota",
];

/// Those of a file whose names are wanted
pub fn of(file: &Path, is_wanted: impl Fn(&str) -> bool) -> Vec<Entry> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    if LEFT_ALONE.iter().any(|one| name.starts_with(one)) {
        return Vec::new();
    }
    let image = Image::of(file, &is_wanted);
    image.map_or_else(Vec::new, |image| all(&image))
}

fn all(image: &Image) -> Vec<Entry> {
    let mut wanted: Vec<_> = image.wanted().filter(|one| !is_part(&one.name)).collect();
    // One of the names of a function.
    wanted.dedup_by_key(|symbol| symbol.address);
    if wanted.is_empty() {
        return Vec::new();
    }
    let survey = Survey::of(image, &wanted);
    let is_inner = |symbol: &&&Symbol| !symbol.is_exported || survey.refers(symbol.address);
    let entries = wanted.iter().filter(is_inner).map(|symbol| Entry {
        name: symbol.name.clone(),
        is_exported: symbol.is_exported,
        outcome: patch(image, &survey, symbol),
    });
    entries.collect()
}

/// Of another function, which compilers have put elsewhere: it is no function, whatever its symbol says.
fn is_part(name: &str) -> bool {
    name.contains(".cold") || name.starts_with("OUTLINED_FUNCTION_")
}

fn patch(image: &Image, survey: &Survey, symbol: &Symbol) -> Result<Owned, &'static str> {
    let name = symbol.name.as_str();
    match () {
        () if symbol.is_ifunc => return Err(IFUNC),
        () if image.is_go => return Err(GO),
        () if symbol.size == 0 => return Err(SIZE),
        () => (),
    }
    let body = Body::new(image, survey, symbol).ok_or(UNKNOWN)?;
    let displaced = match cfg!(target_arch = "aarch64") {
        true => arm::displace(&body),
        false => x86::displace(&body),
    }?;
    body.check(displaced.at, displaced.end)?;
    Ok(Owned {
        object: image.fingerprint,
        entry: body.entry,
        at: displaced.at as u8,
        original: body.from(0)[..displaced.end].to_vec(),
        code: displaced.code,
        fixups: displaced.fixups,
        name: name.into(),
    })
}

/// A function's code, and what leads to its beginning
pub struct Body<'a> {
    entry: u64,
    /// All of it
    bytes: &'a [u8],
    /// What follows, up to the next function
    rest: &'a [u8],
    /// Where jumps inside its beginning lead, and whether they are its own
    jumps: Vec<(u64, bool)>,
    image: &'a Image,
}

/// What is to be done in another place
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Displaced {
    /// So many bytes of the function stay
    at: usize,
    /// So many of them are displaced or overwritten, with those that stay
    end: usize,
    code: Vec<u8>,
    fixups: Vec<Fixup>,
}

impl<'a> Body<'a> {
    fn new(image: &'a Image, survey: &Survey, symbol: &Symbol) -> Option<Body<'a>> {
        let next = image.next_symbol(symbol.address);
        let end = symbol.address.checked_add(symbol.size)?;
        Some(Body {
            entry: symbol.address,
            bytes: image.code_at(symbol.address, end)?,
            rest: image.code_at(end, next.max(end)).unwrap_or_default(),
            jumps: survey.jumps(image, symbol),
            image,
        })
    }

    /// Nothing may lead behind the first of the bytes that are displaced, nor to that one from the function itself: that
    /// would be taken for a call.
    fn check(&self, at: usize, end: usize) -> Result<(), &'static str> {
        let (start, end) = (self.entry + at as u64, self.entry + end as u64);
        for &(to, is_own) in &self.jumps {
            if to == start && to != self.entry || to == self.entry && is_own {
                return Err(LOOP);
            }
            if self.entry < to && to < end {
                return Err(INSIDE);
            }
        }
        let behind = self.entry + 1..end;
        match self.image.pointers.range(behind).next() {
            Some(_) => Err(TABLE),
            None => Ok(()),
        }
    }

    /// The bytes from a place on, with those that follow the function
    fn from(&self, at: usize) -> Vec<u8> {
        let all = self.bytes.iter().chain(self.rest);
        all.skip(at).take(40).copied().collect()
    }
}
