//! Functions and source lines of the stacks in a trace, looked up in the programs and libraries that made the calls.
//!
//! What is found depends on these files: with debugging information functions, inlined ones too, and their lines; else the
//! names of symbols, as far as the file has them.

mod fortran;

use addr2line::{FunctionName, Loader, gimli};
use iota_trace::read::Part;
use iota_trace::stack::{self, Frame};
use object::{Object, ReadCache};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Programs and libraries that were opened, and addresses in them that were looked up.
#[derive(Default)]
pub struct Symbols {
    objects: HashMap<ObjectKey, Option<Loader>>,
    known: HashMap<(Frame, BuildId), Vec<u8>>,
    changed: BTreeSet<Vec<u8>>,
}

/// What an object had when it ran, in hexadecimal; empty: not known.
type BuildId = Vec<u8>;
/// A path, and the build id.
type ObjectKey = (Vec<u8>, BuildId);

impl Symbols {
    /// What stands at the addresses of a part's stacks that nobody has looked up yet.
    pub fn of_part(&mut self, part: &Part) -> Vec<Vec<u8>> {
        let names = part.names();
        if names.stack_form().is_none() {
            return Vec::new();
        }
        let stacks = names.texts().filter_map(|(_, text)| stack::recorded(text));
        let mut frames: Vec<Frame> = stacks.flatten().collect();
        frames.retain(|frame| !frame.is_python);
        frames.sort();
        frames.dedup();
        let done: HashSet<Frame> = names
            .frames()
            .flat_map(stack::known)
            .map(recorded)
            .collect();
        frames.retain(|frame| !done.contains(frame));
        let ids: HashMap<&[u8], &[u8]> = names
            .texts()
            .filter_map(|(_, text)| stack::build_id(text))
            .collect();
        let id = |frame: &Frame| ids.get(&*frame.object).map_or(Vec::new(), |id| id.to_vec());
        frames
            .into_iter()
            .map(|frame| self.lines((id(&frame), frame)))
            .collect()
    }

    /// Programs and libraries that were built anew since they ran: of these nothing was looked up.
    pub fn changed(&self) -> impl Iterator<Item = &[u8]> {
        self.changed.iter().map(Vec::as_slice)
    }

    fn lines(&mut self, (id, frame): (BuildId, Frame)) -> Vec<u8> {
        let key = (frame, id);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let written = stack::written(&self.functions(&key.0, &key.1));
        self.known.insert(key, written.clone());
        written
    }

    /// The functions at an address: the innermost inlined one first. At least the frame itself.
    fn functions(&mut self, frame: &Frame, id: &[u8]) -> Vec<Frame> {
        let loader = self.objects.entry((frame.object.clone(), id.to_vec()));
        let loader = loader.or_insert_with(|| {
            let path = path_of(&frame.object)?;
            if !is_of(path, id) {
                self.changed.insert(frame.object.clone());
                return None;
            }
            Loader::new(path).ok()
        });
        let Some(loader) = loader else {
            return vec![frame.clone()];
        };
        let mut found = Vec::new();
        // What is damaged in a file is as what is not there.
        if let Ok(mut frames) = loader.find_frames(frame.address) {
            while let Ok(Some(of)) = frames.next() {
                let name = of.function.as_ref().and_then(name);
                let place = of.location.as_ref();
                found.push(Frame {
                    function: name.unwrap_or_default(),
                    file: place.and_then(|of| of.file).unwrap_or_default().to_owned(),
                    line: place.and_then(|of| of.line).unwrap_or(0),
                    ..frame.clone()
                });
            }
        }
        if found.iter().all(|of| of.function.is_empty()) {
            let symbol = loader.find_symbol(frame.address);
            let function = symbol.map_or_else(String::new, |symbol| {
                let plain = fortran::plain(symbol, false).map(str::to_owned);
                plain.unwrap_or_else(|| addr2line::demangle_auto(symbol.into(), None).into_owned())
            });
            let known = found.pop().unwrap_or_else(|| frame.clone());
            return vec![Frame { function, ..known }];
        }
        found
    }
}

/// The name of a function as its source has it.
fn name<R: gimli::Reader>(of: &FunctionName<R>) -> Option<String> {
    let raw = of.raw_name().ok()?;
    let is_fortran = matches!(
        of.language,
        Some(
            gimli::DW_LANG_Fortran77
                | gimli::DW_LANG_Fortran90
                | gimli::DW_LANG_Fortran95
                | gimli::DW_LANG_Fortran03
                | gimli::DW_LANG_Fortran08
        )
    );
    match fortran::plain(&raw, is_fortran) {
        Some(plain) => Some(plain.to_owned()),
        None => Some(of.demangle().ok()?.into_owned()),
    }
}

/// A frame as the tracer recorded it.
fn recorded(of: Frame) -> Frame {
    Frame {
        object: of.object,
        address: of.address,
        ..Frame::default()
    }
}

/// Where an object can be read.
fn path_of(object: &[u8]) -> Option<&Path> {
    let path = Path::new(OsStr::from_bytes(object));
    // Not the kernel's own, nor a name without a place; a trace may name a pipe, on which one would wait.
    let is_file = path.is_absolute() && path.metadata().is_ok_and(|data| data.is_file());
    is_file.then_some(path)
}

/// Whether a file is the one that ran, as far as that is known.
fn is_of(path: &Path, id: &[u8]) -> bool {
    id.is_empty() || build_id(path).is_none_or(|now| now.as_bytes() == id)
}

/// The build id of a file, in hexadecimal.
fn build_id(path: &Path) -> Option<String> {
    let file = ReadCache::new(File::open(path).ok()?);
    let object = object::File::parse(&file).ok()?;
    let id = object.build_id().ok()??;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}
