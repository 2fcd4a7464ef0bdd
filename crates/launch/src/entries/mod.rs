//! Functions that no slot leads to: which of them can have a probe by their first instructions, and with what in place of
//! these. Instructions are decoded here, before the run; the tracer compares and copies (`iota_trace::patches`).

mod arm;
mod body;
mod debug;
mod image;
mod reference;
mod survey;
mod x86;

use body::{Body, UNKNOWN};
use image::{Image, Symbol};
use iota_trace::patches::Owned;
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
    let body = Body::new(image, survey.jumps(image, symbol), symbol).ok_or(UNKNOWN)?;
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
