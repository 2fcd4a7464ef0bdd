//! Datasets, variables and attributes by numbers that hold in all parts of a job.

use super::ids::{NO_OBJECT, ObjectId};
use iota_trace::read::Form;
use std::collections::HashMap;

/// So many different objects are shown apart where calls are listed by path.
const MOST: usize = 1 << 12;

/// The field of details that names the object of a call.
const FIELD: &[u8] = b"object";

/// Objects of the job, each name once, in the order in which the parts name them.
#[derive(Debug, Default)]
pub struct Objects {
    names: Vec<Box<[u8]>>,
    ids: HashMap<Box<[u8]>, ObjectId>,
    /// The number under which each is shown, if there are too many.
    shown: Vec<ObjectId>,
}

/// Where a form has the name of the object.
pub(crate) fn field(form: &Form) -> Option<usize> {
    form.fields.iter().position(|(_, name)| name == FIELD)
}

impl Objects {
    pub(super) fn enter(&mut self, name: &[u8]) -> ObjectId {
        if name.is_empty() {
            return NO_OBJECT;
        }
        if let Some(known) = self.ids.get(name) {
            return *known;
        }
        let id = self.names.len() as ObjectId + 1;
        self.names.push(name.into());
        self.ids.insert(name.into(), id);
        id
    }

    /// All are known. If they are too many, those are shown as one whose names differ in numbers alone; if that does not
    /// help, none is.
    pub(super) fn finish(&mut self) {
        if self.names.len() <= MOST {
            return;
        }
        let patterns: Vec<Vec<u8>> = self.names.iter().map(|name| pattern(name)).collect();
        let mut distinct: Vec<&Vec<u8>> = patterns.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        self.shown = match distinct.len() {
            ..=MOST => patterns.iter().map(|name| self.enter(name)).collect(),
            _ => vec![NO_OBJECT; self.names.len()],
        };
    }

    /// The number of a name.
    pub fn find(&self, name: &[u8]) -> ObjectId {
        self.ids.get(name).copied().unwrap_or(NO_OBJECT)
    }

    /// The name of a number; empty for [`NO_OBJECT`].
    pub fn name(&self, id: ObjectId) -> &[u8] {
        let at = (id as usize).checked_sub(1);
        at.and_then(|at| self.names.get(at))
            .map_or(b"", |name| name)
    }

    /// The number under which an object is shown where calls are listed by path.
    pub fn shown(&self, id: ObjectId) -> ObjectId {
        let at = (id as usize).checked_sub(1);
        at.and_then(|at| self.shown.get(at)).copied().unwrap_or(id)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

/// A name with `*` for every number in it.
fn pattern(name: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::with_capacity(name.len());
    for (at, byte) in name.iter().enumerate() {
        match byte.is_ascii_digit() {
            true if at > 0 && name[at - 1].is_ascii_digit() => {}
            true => out.push(b'*'),
            false => out.push(*byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: impl Iterator<Item = String>) -> Objects {
        let mut objects = Objects::default();
        for name in names {
            objects.enter(name.as_bytes());
        }
        objects.finish();
        objects
    }

    #[test]
    fn few_are_shown_as_they_are() {
        let few = of((0..10).map(|n| format!("/step{n}/density")));
        assert!((0..11).all(|id| few.shown(id) == id));
        assert_eq!(few.name(few.find(b"/step7/density")), b"/step7/density");
    }

    #[test]
    fn many_that_differ_in_numbers_are_shown_as_one() {
        let many = of((0..10_000).map(|n| format!("/step{n:05}/density{}", n % 2)));
        let shown = many.shown(many.find(b"/step00007/density1"));
        assert_eq!(many.name(shown), b"/step*/density*");
        assert_eq!(many.shown(many.find(b"/step00008/density0")), shown);
        assert_eq!(many.shown(NO_OBJECT), NO_OBJECT);
    }

    #[test]
    fn too_many_are_not_shown() {
        let letters = |n: u32| [n / 676, n / 26 % 26, n % 26].map(|at| char::from(b'a' + at as u8));
        let many = of((0..5000).map(|n| letters(n).iter().collect()));
        assert_eq!(many.shown(many.find(b"abc")), NO_OBJECT);
    }
}
