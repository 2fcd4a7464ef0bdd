//! Which libraries a program needs, as it and they say themselves. To ask the loader takes as long as to start the program,
//! and mostly nothing is to be learned.

use object::elf::{
    DT_AUDIT, DT_AUXILIARY, DT_DEPAUDIT, DT_FILTER, DT_NEEDED, DT_RPATH, DT_RUNPATH, DT_STRTAB,
    FileHeader64,
};
use object::read::elf::{Dyn, FileHeader, ProgramHeader};
use object::{Endianness, FileKind, ReadCache, StringTable};
use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr};
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The loader of the C library, which keeps a list of the files by their names
const LOADER: &str = match cfg!(target_arch = "aarch64") {
    true => "/lib/ld-linux-aarch64.so.1",
    false => "/lib64/ld-linux-x86-64.so.2",
};
const LIST: &str = "/etc/ld.so.cache";
const BEGINNING: &[u8] = b"glibc-ld.so.cache1.1";
/// Bytes before its entries, and of one of them
const HEAD: usize = 48;
const ENTRY: usize = 24;
/// What every program gets besides
const PRELOADED: &str = "/etc/ld.so.preload";

/// The names of all libraries that the loader would load, and maybe of others. `None`: it alone can tell, as something may
/// lead it to other files than those of its list.
pub fn names(elf: &Path, loader: &Path) -> Option<BTreeSet<String>> {
    let is_set = |(name, _): (std::ffi::OsString, _)| name.as_bytes().starts_with(b"LD_");
    let is_usual = loader == Path::new(LOADER) && !std::env::vars_os().any(is_set);
    if !is_usual || Path::new(PRELOADED).exists() {
        return None;
    }
    let list = fs::read(LIST).ok()?;
    let (mut names, mut files) = (BTreeSet::new(), vec![elf.to_owned()]);
    while let Some(file) = files.pop() {
        let Needed {
            names: all,
            is_plain,
        } = of_file(&file)?;
        if !is_plain {
            return None;
        }
        for name in all {
            if !names.contains(&name) {
                files.extend(listed(&list, name.as_bytes())?);
                names.insert(name);
            }
        }
    }
    Some(names)
}

/// What one file needs
#[derive(Default)]
pub struct Needed {
    /// Names or paths
    pub names: Vec<String>,
    /// There are no paths among them, and nothing that leads the loader elsewhere
    is_plain: bool,
}

/// What one file needs
pub fn of_file(file: &Path) -> Option<Needed> {
    let nothing = Needed {
        names: Vec::new(),
        is_plain: true,
    };
    let data = ReadCache::new(File::open(file).ok()?);
    // The loader passes over files of another word size.
    if FileKind::parse(&data) == Ok(FileKind::Elf32) {
        return Some(nothing);
    }
    let header = FileHeader64::<Endianness>::parse(&data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, &data).ok()?;
    let mut found = segments.iter();
    let Some(entries) = found.find_map(|segment| segment.dynamic(endian, &data).transpose()) else {
        return Some(nothing);
    };
    let entries = entries.ok()?;
    let strings = entries
        .iter()
        .find(|entry| entry.d_tag(endian) == DT_STRTAB)?;
    let strings = strings.d_val(endian);
    // Where the address is in the file.
    let place = segments.iter().find_map(|segment| {
        let (start, length) = (segment.p_vaddr(endian), segment.p_filesz(endian));
        let inside = strings
            .checked_sub(start)
            .filter(|inside| *inside < length)?;
        let (offset, _) = segment.file_range(endian);
        Some((offset.checked_add(inside)?, offset.checked_add(length)?))
    });
    let (start, end) = place?;
    let strings = StringTable::new(&data, start, end);
    let mut needed = nothing;
    for entry in entries {
        match entry.d_tag(endian) {
            DT_NEEDED => {
                let name = strings.get(entry.d_val(endian).try_into().ok()?).ok()?;
                let name = std::str::from_utf8(name).ok()?;
                needed.is_plain &= !name.contains('/');
                needed.names.push(name.to_owned());
            }
            DT_RPATH | DT_RUNPATH | DT_AUXILIARY | DT_FILTER | DT_AUDIT | DT_DEPAUDIT => {
                needed.is_plain = false;
            }
            _ => {}
        }
    }
    Some(needed)
}

/// The files of this name, for whatever machine; `None`: there is none, or the list is of an unknown form.
fn listed(list: &[u8], name: &[u8]) -> Option<Vec<PathBuf>> {
    let (count, _) = list.strip_prefix(BEGINNING)?.split_first_chunk()?;
    let count = u32::from_le_bytes(*count) as usize;
    let entries = list.get(HEAD..)?.as_chunks::<ENTRY>().0;
    // What begins at the place that a number of an entry tells
    let text = |entry: &[u8; ENTRY], at: usize| {
        let place = u32::from_le_bytes(*entry.get(at..)?.first_chunk()?);
        list.get(place as usize..)
    };
    let mut files = Vec::new();
    for entry in entries.get(..count)? {
        let is_named = text(entry, 4)?.strip_prefix(name);
        if is_named.is_some_and(|rest| rest.first() == Some(&0)) {
            let file = CStr::from_bytes_until_nul(text(entry, 8)?).ok()?;
            files.push(PathBuf::from(OsStr::from_bytes(file.to_bytes())));
        }
    }
    Some(files).filter(|files| !files.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_the_loaders_list() {
        let texts = b"libm.so.6\0/lib/libm.so.6\0/lib/v3/libm.so.6\0libc.so.6\0/lib/libc.so.6\0";
        let start = HEAD + 3 * ENTRY;
        let mut list = BEGINNING.to_vec();
        list.extend(3u32.to_le_bytes());
        list.resize(HEAD, 0);
        for (name, file) in [(0, 10), (0, 25), (43, 53)] {
            list.extend(0u32.to_le_bytes());
            list.extend(
                [name, file]
                    .map(|at| (start as u32 + at).to_le_bytes())
                    .concat(),
            );
            list.extend([0; 12]);
        }
        list.extend(texts);
        let files = |name: &str| listed(&list, name.as_bytes());
        assert_eq!(
            files("libm.so.6"),
            Some(vec!["/lib/libm.so.6".into(), "/lib/v3/libm.so.6".into()])
        );
        assert_eq!(files("libc.so.6"), Some(vec!["/lib/libc.so.6".into()]));
        assert_eq!(files("libc.so"), None);
        for cut in 0..list.len() - 1 {
            assert_eq!(listed(&list[..cut], b"libc.so.6"), None, "{cut}");
        }
    }

    #[test]
    fn what_programs_need_is_what_the_loader_says() {
        for program in [
            "/bin/sh",
            "/usr/bin/make",
            "/usr/bin/python3",
            "/proc/self/exe",
        ] {
            let program = Path::new(program);
            let Some(names) = names(program, Path::new(LOADER)) else {
                continue;
            };
            for library in super::super::program::libraries(program, Path::new(LOADER)) {
                let is_file = library.path.is_some() && !LOADER.ends_with(&library.name);
                assert!(!is_file || names.contains(&library.name), "{library:?}");
            }
        }
        assert_eq!(names(Path::new("/bin/sh"), Path::new("/other/ld.so")), None);
    }
}
