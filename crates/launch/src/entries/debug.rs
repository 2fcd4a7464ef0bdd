//! The file with the symbols that `strip` has taken out of a program or library, where debuggers look for it, too.

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ReadCache};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

pub type Elf<'a> = ElfFile64<'a, Endianness, &'a ReadCache<File>>;

/// Where distributions put them
const DEBUG: &str = "/usr/lib/debug";

/// By the build id, or by the name that the program itself has for it
pub fn file(elf: &Elf, file: &Path) -> Option<PathBuf> {
    let id = elf.build_id().ok().flatten();
    let by_id = id.and_then(by_id).filter(|path| path.exists());
    by_id.or_else(|| by_link(elf, file))
}

fn by_id(id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{DEBUG}/.build-id/{first:02x}/{rest}.debug").into())
}

/// Beside the program, in a folder there, or under the same path among those of the system; one that has this checksum
fn by_link(elf: &Elf, file: &Path) -> Option<PathBuf> {
    let (name, sum) = elf.gnu_debuglink().ok().flatten()?;
    let name = Path::new(OsStr::from_bytes(name));
    let file = file.canonicalize().ok()?;
    let folder = file.parent()?;
    let below = Path::new(DEBUG).join(folder.strip_prefix("/").ok()?);
    let folders = [folder.to_owned(), folder.join(".debug"), below];
    let mut files = folders.into_iter().map(|folder| folder.join(name));
    files.find(|path| *path != file && checksum(path) == Some(sum))
}

fn checksum(path: &Path) -> Option<u32> {
    let mut sum = flate2::CrcReader::new(std::fs::File::open(path).ok()?);
    std::io::copy(&mut sum, &mut std::io::sink()).ok()?;
    Some(sum.crc().sum())
}
