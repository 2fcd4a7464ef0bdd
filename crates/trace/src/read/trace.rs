//! A trace: all parts of all its files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::copies::{self, Copied};
use super::error::{Error, Problem, Problems};
use super::part::Part;
use super::source::Source;
use super::{input, layout, worlds};
use crate::block::{Header, MAGIC, VERSION};
use crate::clock::{Nanos, Offset};

/// How to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Take stamps as each process took them, without the measured offsets between clocks.
    pub raw_clock: bool,
}

/// A trace: the parts of all its processes.
#[derive(Clone, Debug)]
pub struct Trace {
    parts: Vec<Part>,
    start: Nanos,
    problems: Problems,
    copies: Vec<Copied>,
}

impl Trace {
    /// The trace in `paths`: files, directories of them, or a NAME.iota of which only the parts
    /// NAME.<rank>.iota are there.
    ///
    /// # Errors
    /// Nothing can be delivered; of several causes the first. What else is wrong stands in [`Trace::problems`].
    pub fn open(paths: &[PathBuf], options: Options) -> Result<Trace, Error> {
        let problems = Problems::default();
        let (files, mut failures) = input::found(paths);
        let (files, copies) = input::once(files);
        let mut parts = Vec::new();
        for path in files {
            match file(&path, &problems) {
                Ok(found) => parts.extend(found),
                Err(error) => failures.push(error),
            }
        }
        match failures.first() {
            Some(_) if parts.is_empty() => Err(failures.swap_remove(0)),
            _ => {
                failures
                    .into_iter()
                    .for_each(|error| problems.fail_file(error.into_problem()));
                let mut trace = Trace::of(parts, problems, options);
                trace.copies.splice(0..0, copies);
                Ok(trace)
            }
        }
    }

    fn of(parts: Vec<Part>, problems: Problems, options: Options) -> Trace {
        let (mut parts, copies) = apart(parts);
        if !options.raw_clock {
            correct(&mut parts);
        }
        worlds::number(&mut parts);
        sort(&mut parts);
        let start = parts
            .iter()
            .filter_map(Part::began)
            .min()
            .unwrap_or_default();
        for (place, part) in (0..).zip(&mut parts) {
            part.set_origin(start);
            part.set_place(place);
        }
        Trace {
            parts,
            start,
            problems,
            copies,
        }
    }

    /// All parts, by rank, then by the time at which their process began; parts of one process stand together.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The start of the job, from which all times count, in ns since 1970.
    pub fn start(&self) -> Nanos {
        self.start
    }

    /// What stands in the files twice, and is read once: an entry for each file and part that is passed over.
    pub fn copies(&self) -> &[Copied] {
        &self.copies
    }

    /// What was found damaged or missing so far; reading events may add to it.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.all()
    }

    /// Whether anything of it was found damaged so far, other than that a part has no end.
    pub fn is_damaged(&self) -> bool {
        self.problems().iter().any(|problem| !problem.is_unended)
    }
}

fn sort(parts: &mut [Part]) {
    let mut first: HashMap<_, _> = HashMap::new();
    for part in parts.iter() {
        let began = first.entry(part.of_process()).or_insert(part.began());
        *began = part.began().min(*began);
    }
    let key = |part: &Part| {
        let first = first.get(&part.of_process());
        (part.rank(), first.copied(), part.pid(), part.began())
    };
    parts.sort_by_cached_key(key);
}

/// The parts that say something new, and the others.
fn apart(mut parts: Vec<Part>) -> (Vec<Part>, Vec<Copied>) {
    let sources = copies::sources(&parts.iter().collect::<Vec<_>>());
    let file = |at: usize| parts[at].file().to_owned();
    let copied = (0..).zip(&sources).filter_map(|(at, source)| {
        Some(Copied {
            file: file(at),
            of: file((*source)?),
        })
    });
    let copies = copied.collect();
    let mut sources = sources.iter();
    parts.retain(|_| sources.next().is_none_or(Option::is_none));
    (parts, copies)
}

/// The parts of one file.
fn file(path: &std::path::Path, problems: &Problems) -> Result<Vec<Part>, Error> {
    let source = Arc::new(Source::open(path, problems.clone())?);
    let places = layout::parts(&source);
    if places.is_empty() {
        return Err(nothing(&source));
    }
    Ok(places
        .into_iter()
        .map(|(source, location)| Part::open(&source, location))
        .collect())
}

/// Why a file has no part.
fn nothing(source: &Source) -> Error {
    let (file, mut start) = (source.path.to_path_buf(), [0; crate::block::HEADER_SIZE]);
    let read = source.read(0, &mut start);
    match Header::parse(&start) {
        _ if source.len == 0 => Error::Empty { file },
        Some(header) if header.version != VERSION && read == start.len() => Error::Version {
            file,
            offset: 0,
            found: header.version,
        },
        _ if start.starts_with(&MAGIC) => Error::Nothing {
            file,
            offset: 0,
            cause: source.cause(0, source.len),
        },
        _ => {
            let start = start[..read.min(4)]
                .iter()
                .map(|byte| format!("{byte:02x}"));
            Error::Foreign {
                file,
                start: start.collect::<Vec<_>>().join(" "),
            }
        }
    }
}

/// Puts every part on rank 0's clock; one that has no offset of its own takes that of its process' others.
fn correct(parts: &mut [Part]) {
    let own = |part: &Part| part.end().and_then(|end| end.offset);
    let known: HashMap<_, Offset> = parts
        .iter()
        .filter_map(|part| Some((part.of_process(), own(part)?)))
        .collect();
    // Without MPI there is none: the clocks stay as they are.
    if known.is_empty() {
        return;
    }
    for part in parts {
        let offset = own(part).or_else(|| known.get(&part.of_process()).copied());
        part.set_clock(offset);
    }
}
