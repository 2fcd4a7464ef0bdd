//! Sites: from where the program made its calls, as their stacks say.
//!
//! The site of a call is the innermost function that is the program's own: not of an installation, and not of a library that
//! programs do I/O with.

use super::file_name;
use super::ids::{NO_SITE, SiteId};
use super::installed::{has_package, is_installed, is_of_system};
use iota_trace::Printable;
use iota_trace::read::Names;
use iota_trace::stack::{self, Frame};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Libraries whose functions stand between a program and its files, by how their names begin.
const BETWEEN: [&[u8]; 26] = [
    b"libadios",
    b"libc++",
    b"libc.",
    b"libc-",
    b"libdl",
    b"libfabric",
    b"libgcc",
    b"libgfortran",
    b"libgomp",
    b"libhdf5",
    b"libiota",
    b"libm.",
    b"libmpi",
    b"libmpich",
    b"libnetcdf",
    b"libopen-",
    b"libparallel_hdf5",
    b"libpmi",
    b"libpnetcdf",
    b"libpthread",
    b"libpython",
    b"librt",
    b"libsci",
    b"libstdc++",
    b"libuc",
    b"ld-",
];
/// Functions of the tracer in a program that is linked with it, and of the C library in every program.
const OWN: [&str; 5] = ["__wrap_", "iota_", "_start", "__libc_start", "_dl_"];

/// Names of code of Python that a person typed: `python -c`, standard input, cells of IPython.
const TYPED: [&[u8]; 3] = [COMMAND, b"<stdin>", b"<ipython-input-"];
const COMMAND: &[u8] = b"<string>";

/// Where sources are that a program is built with and that are not its own: Rust's library, and packages of Cargo.
const SOURCES: [&str; 2] = ["/rustc/", "/.cargo/registry/"];

/// Sites of the job, each once, in the order in which the parts name them.
#[derive(Debug, Default)]
pub struct Sites {
    all: Vec<Site>,
    ids: HashMap<Frame, SiteId>,
}

/// From where calls are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// The function; if it is not known, its program or library.
    pub function: String,
    /// `io.c:212`; if the line is not known, the place in the program or library: `app+0x1234`.
    pub place: String,
    /// The same with the whole path.
    pub path: String,
    /// The function that called it, with its place, if all calls from here have that in common.
    pub caller: Option<String>,
}

impl Site {
    fn of(frame: &Frame, caller: Option<&Frame>) -> Site {
        let object = Printable(file_name(&frame.object)).to_string();
        let function = match &*frame.function {
            "" => object,
            name => Printable(name.as_bytes()).to_string(),
        };
        Site {
            function,
            place: place(frame, file_name(frame.file.as_bytes())),
            path: place(frame, frame.file.as_bytes()),
            caller: caller.map(name),
        }
    }

    /// `write_halo (io.c:212)`
    pub fn name(&self) -> String {
        format!("{} ({})", self.function, self.place)
    }

    /// What a wildcard may match.
    pub fn texts(&self) -> [&[u8]; 3] {
        [&self.place, &self.function, &self.path].map(|text| text.as_bytes())
    }
}

fn place(frame: &Frame, file: &[u8]) -> String {
    if frame.file.is_empty() {
        let object = Printable(file_name(&frame.object)).to_string();
        return format!("{object}+{:#x}", frame.address);
    }
    match frame.line {
        0 => Printable(file).to_string(),
        line => format!("{}:{line}", Printable(file)),
    }
}

fn name(frame: &Frame) -> String {
    Site::of(frame, None).name()
}

/// Whether a function is the program's own.
fn is_own(frame: &Frame) -> bool {
    if frame.is_python {
        return is_own_python(&frame.object);
    }
    let name = file_name(&frame.object);
    !is_of_system(&frame.object)
        && !is_of_system(frame.file.as_bytes())
        && !has_package(&frame.object)
        && frame.object.starts_with(b"/")
        && !BETWEEN.iter().any(|begin| name.starts_with(begin))
        && !OWN.iter().any(|begin| frame.function.starts_with(begin))
        && !SOURCES.iter().any(|folder| frame.file.contains(folder))
}

/// Whether a source file of Python is the program's own: neither of the standard library nor of a package, nor a name that
/// Python gives to code without a file, unless a person typed it.
fn is_own_python(file: &[u8]) -> bool {
    !is_installed(file)
        && (!file.starts_with(b"<") || TYPED.iter().any(|begin| file.starts_with(begin)))
}

/// The stacks of a part: its texts, and what was looked up of their addresses.
pub(super) struct Stacks<'n> {
    names: &'n Names,
    functions: HashMap<(Vec<u8>, u64), Vec<Frame>>,
    /// Programs and libraries of which some lines are known: what has none there is of a library that is linked in.
    with_lines: HashSet<Vec<u8>>,
}

impl<'n> Stacks<'n> {
    /// None if no call of the part has a stack.
    pub(super) fn of(names: &'n Names) -> Option<Stacks<'n>> {
        names.stack_form().map(|_| {
            let functions = names.frames().map(stack::known);
            let functions = functions.filter_map(|functions| {
                let first = functions.first()?;
                Some(((first.object.clone(), first.address), functions))
            });
            let functions: HashMap<_, Vec<Frame>> = functions.collect();
            let known = functions.values().flatten();
            let known = known.filter(|frame| !frame.file.is_empty() && is_own(frame));
            let with_lines = known.map(|frame| frame.object.clone()).collect();
            Stacks {
                names,
                functions,
                with_lines,
            }
        })
    }

    /// Each text that is a stack, by its id, with the innermost function that is the program's own, and the one that called it.
    fn own(&self) -> impl Iterator<Item = (u32, Option<(Frame, Option<Frame>)>)> {
        self.names.texts().filter_map(|(id, text)| {
            let recorded = stack::recorded(text)?;
            let outermost = recorded.iter().rposition(|frame| frame.is_python);
            let recorded = recorded.into_iter().enumerate().filter(|(nth, frame)| {
                // Not what a library made at run time: then that library called it.
                !frame.is_python || frame.object != COMMAND || Some(*nth) == outermost
            });
            let functions = recorded.flat_map(|(_, frame)| {
                let known = match frame.is_python {
                    true => None,
                    false => self.functions.get(&(frame.object.clone(), frame.address)),
                };
                known.cloned().unwrap_or_else(|| vec![frame])
            });
            let has_line =
                |frame: &Frame| !frame.file.is_empty() || !self.with_lines.contains(&frame.object);
            let mut own = functions.filter(|frame| is_own(frame) && has_line(frame));
            Some((id, own.next().map(|first| (first, own.next()))))
        })
    }
}

impl Sites {
    pub(super) fn enter(&mut self, stacks: &Stacks) {
        for (frame, caller) in stacks.own().filter_map(|(_, own)| own) {
            let site = Site::of(&frame, caller.as_ref());
            let key = key(&frame);
            if let Some(known) = self.ids.get(&key) {
                let known = &mut self.all[*known as usize - 1];
                if known.caller != site.caller {
                    known.caller = None;
                }
                continue;
            }
            self.all.push(site);
            self.ids.insert(key, self.all.len() as SiteId);
        }
    }

    /// The sites of a part's stacks, by the ids of their texts.
    pub(super) fn find(&self, stacks: &Stacks) -> HashMap<u64, SiteId> {
        let site = |own: Option<(Frame, Option<Frame>)>| {
            let id = own.and_then(|(frame, _)| self.ids.get(&key(&frame)).copied());
            id.unwrap_or(NO_SITE)
        };
        stacks
            .own()
            .map(|(id, own)| (id.into(), site(own)))
            .collect()
    }

    /// A site; none for [`NO_SITE`].
    pub fn get(&self, id: SiteId) -> Option<&Site> {
        self.all.get((id as usize).checked_sub(1)?)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// What calls from one line have in common: instructions do not count where the line is known.
fn key(frame: &Frame) -> Frame {
    Frame {
        address: if frame.line == 0 { frame.address } else { 0 },
        ..frame.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(object: &str, function: &str, file: &str, line: u32) -> Frame {
        Frame {
            object: object.into(),
            address: 0x1234,
            function: function.to_owned(),
            file: file.to_owned(),
            line,
            is_python: false,
        }
    }

    #[test]
    fn the_programs_own_functions() {
        for (object, function, file) in [
            ("/home/u/app", "write_halo", "/home/u/src/io.c"),
            ("/home/u/app", "", ""),
            (
                "/opt/model/lib/libmodel.so",
                "save",
                "/build/model/save.f90",
            ),
        ] {
            assert!(
                is_own(&frame(object, function, file, 1)),
                "{object} {function}"
            );
        }
        for (object, function, file) in [
            ("/usr/lib/x86_64-linux-gnu/libc.so.6", "write", ""),
            (
                "/opt/openmpi/lib/libmpi.so.40",
                "MPI_File_write",
                "/build/ompi/mpi/c/file_write.c",
            ),
            ("/opt/hdf5/lib/libhdf5.so.310", "H5FD_write", ""),
            (
                "/home/u/app",
                "std::ofstream::write",
                "/usr/include/c++/12/fstream",
            ),
            (
                "/home/u/app",
                "std::fs::write",
                "/rustc/5980/library/std/src/fs.rs",
            ),
            (
                "/home/u/app",
                "serde::ser",
                "/home/u/.cargo/registry/src/serde-1.0/src/ser.rs",
            ),
            ("/home/u/app", "__wrap_write", ""),
            ("[vdso]", "", ""),
            ("", "", ""),
        ] {
            assert!(
                !is_own(&frame(object, function, file, 1)),
                "{object} {function}"
            );
        }
    }

    #[test]
    fn functions_of_python_that_are_the_programs_own() {
        let python = |file: &str| Frame {
            is_python: true,
            ..frame(file, "load", file, 1)
        };
        for file in [
            "/home/u/data.py",
            "train.py",
            "<string>",
            "<stdin>",
            "<ipython-input-3-a1>",
        ] {
            assert!(is_own(&python(file)), "{file}");
        }
        for file in [
            "/usr/lib/python3.11/pathlib.py",
            "/home/u/venv/lib/python3.12/site-packages/torch/utils/data/_utils/fetch.py",
            "/opt/conda/lib/python3.10/json/decoder.py",
            "<frozen importlib._bootstrap>",
            "<__array_function__ internals>",
        ] {
            assert!(!is_own(&python(file)), "{file}");
        }
        let module = "/home/u/venv/lib/python3.12/site-packages/h5py/h5d.so";
        assert!(!is_own(&frame(module, "", "", 0)));
    }

    #[test]
    fn a_site_has_a_name_that_breaks_no_line() {
        let site = Site::of(
            &frame("/home/u/app", "write\u{1b}[31m", "/src/io.c", 7),
            None,
        );
        assert_eq!(site.name(), "write\\x1b[31m (io.c:7)");
        let unknown = Site::of(&frame("/home/u/app", "", "", 0), None);
        assert_eq!(unknown.name(), "app (app+0x1234)");
    }
}
