//! Families: files whose paths differ only in numbers, as `out/f0` to `out/f4999`, or in what looks like a hash. One row and one
//! name stand for all of them.

use super::Facts;
use crate::FileId;
use std::collections::HashMap;
use std::ops::Range;

/// A family has at least so many files; fewer are named one by one.
const FEW: usize = 6;
/// A word of so many hexadecimal digits, of which some are letters, is taken for a hash.
const HASH: usize = 8;

/// Files whose paths differ only in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// What stands before, between and behind the numbers in which the paths differ.
    pub pieces: Vec<Vec<u8>>,
    /// Its files, in order.
    pub files: Vec<FileId>,
}

/// The families of a job.
#[derive(Clone, Debug, Default)]
pub struct Families {
    all: Vec<Family>,
    /// Files, and the places of their families, in the order of files.
    of_files: Vec<(FileId, u32)>,
}

/// Files with the same pattern, under way.
struct Alike<'f> {
    first: &'f [u8],
    numbers: Vec<Range<usize>>,
    /// Which numbers of the first are others in another one.
    differs: Vec<bool>,
    files: Vec<FileId>,
}

impl Families {
    /// Those of all files that a job used.
    pub fn of(facts: &Facts) -> Families {
        let mut by_pattern: HashMap<Vec<u8>, Alike> = HashMap::new();
        for (&file, path) in &facts.files {
            let numbers = numbers(path);
            if numbers.is_empty() {
                continue;
            }
            let pattern = pieces(path, &numbers).collect::<Vec<_>>().join(&b'*');
            let alike = by_pattern.entry(pattern).or_insert_with(|| Alike {
                first: path,
                numbers: numbers.clone(),
                differs: vec![false; numbers.len()],
                files: Vec::new(),
            });
            alike.add(file, path, &numbers);
        }
        let of_many = by_pattern
            .into_values()
            .filter(|alike| alike.files.len() >= FEW);
        let mut all: Vec<Family> = of_many.map(Alike::family).collect();
        all.sort_by(|a, b| a.pieces.cmp(&b.pieces));
        let mut of_files = Vec::new();
        for (family, at) in all.iter().zip(0..) {
            of_files.extend(family.files.iter().map(|file| (*file, at)));
        }
        of_files.sort_unstable();
        Families { all, of_files }
    }

    /// The family of a file, if it is of one.
    pub fn of_file(&self, file: FileId) -> Option<&Family> {
        let at = self.of_files.binary_search_by_key(&file, |(file, _)| *file);
        self.all.get(self.of_files[at.ok()?].1 as usize)
    }

    /// All of them.
    pub fn all(&self) -> &[Family] {
        &self.all
    }
}

impl Family {
    /// Its paths as a pattern.
    pub fn pattern(&self) -> Vec<u8> {
        self.pieces.join(&b'*')
    }
}

impl Alike<'_> {
    fn add(&mut self, file: FileId, path: &[u8], of_path: &[Range<usize>]) {
        self.files.push(file);
        for ((differs, mine), its) in self.differs.iter_mut().zip(&self.numbers).zip(of_path) {
            *differs |= self.first[mine.clone()] != path[its.clone()];
        }
    }

    fn family(mut self) -> Family {
        self.files.sort_unstable();
        let numbers = self.numbers.into_iter().zip(&self.differs);
        let differing = numbers
            .filter(|(_, differs)| **differs)
            .map(|(number, _)| number);
        let differing: Vec<_> = differing.collect();
        Family {
            pieces: pieces(self.first, &differing).map(<[u8]>::to_vec).collect(),
            files: self.files,
        }
    }
}

/// Where numbers and hashes are in a path.
fn numbers(path: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < path.len() {
        let rest = &path[at..];
        let word = run(rest, |byte| byte.is_ascii_alphanumeric());
        if word == 0 {
            at += 1;
            continue;
        }
        if is_hash(&rest[..word]) {
            found.push(at..at + word);
            at += word;
            continue;
        }
        let end = at + word;
        while at < end {
            let digits = run(&path[at..end], |byte| byte.is_ascii_digit());
            if digits > 0 {
                found.push(at..at + digits);
            }
            at += digits + run(&path[at + digits..end], |byte| !byte.is_ascii_digit());
        }
    }
    found
}

fn is_hash(word: &[u8]) -> bool {
    let is_hex = word.iter().all(|byte| byte.is_ascii_hexdigit());
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    word.len() >= HASH && is_hex && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

fn run(bytes: &[u8], is_of_it: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| is_of_it(**byte)).count()
}

/// What is between these places of a path.
fn pieces<'p>(path: &'p [u8], places: &'p [Range<usize>]) -> impl Iterator<Item = &'p [u8]> {
    let starts = std::iter::once(0).chain(places.iter().map(|place| place.end));
    let ends = places.iter().map(|place| place.start).chain([path.len()]);
    starts.zip(ends).map(move |(start, end)| &path[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn families(paths: impl IntoIterator<Item = String>) -> Vec<(String, usize)> {
        let files = paths.into_iter().zip(1..);
        let files = files.map(|(path, id)| (id, path.into_bytes())).collect();
        let facts = Facts {
            start: 0,
            duration: 0,
            ranks: 1,
            tasks: Default::default(),
            events: 0,
            files,
            objects: Default::default(),
            sites: Default::default(),
            ops: Vec::new(),
            hosts: Vec::new(),
        };
        let families = Families::of(&facts);
        let all = families.all().iter();
        all.map(|family| {
            (
                String::from_utf8(family.pattern()).unwrap(),
                family.files.len(),
            )
        })
        .collect()
    }

    #[test]
    fn names_that_differ_in_numbers_are_one_family() {
        let numbered = (0..10).map(|n| format!("/m/v2/f{n}.h5"));
        let hashed = (0..7).map(|n| format!("/cache/{n}a3f8800c.bin"));
        let few = (0..5).map(|n| format!("/few/{n}"));
        let alone = ["/etc/passwd".to_owned(), "/lib64/libm.so.6".to_owned()];
        let all = numbered.chain(hashed).chain(few).chain(alone);
        let expected = [
            ("/cache/*.bin".to_owned(), 7),
            ("/m/v2/f*.h5".to_owned(), 10),
        ];
        assert_eq!(families(all), expected);
    }

    #[test]
    fn a_number_that_all_have_stays() {
        let ranks = (0..8).map(|rank| format!("/run7/step{}/out.{rank}", rank % 2));
        assert_eq!(families(ranks), [("/run7/step*/out.*".to_owned(), 8)]);
    }
}
