//! How long files are, as far as a log tells: what is appended goes there. A name may come to mean another file, so that
//! descriptors keep the size of the file that they opened.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;

/// The size of a file, where it is known; all that use the file share it
#[derive(Clone, Debug, Default)]
pub struct Size(Rc<Cell<Option<i64>>>);

impl Size {
    /// Of a new file
    fn empty() -> Size {
        Size(Rc::new(Cell::new(Some(0))))
    }

    pub fn known(&self) -> Option<i64> {
        self.0.get()
    }

    pub fn set(&self, size: Option<i64>) {
        self.0.set(size);
    }

    /// Something was written up to there.
    pub fn reaches(&self, end: i64) {
        self.0.set(self.0.get().map(|size| size.max(end)));
    }
}

/// Those of files by their paths
#[derive(Default)]
pub struct Sizes(RefCell<Named>);

type Named = BTreeMap<Rc<[u8]>, Size>;

impl Sizes {
    /// Of the file that has this path
    pub fn of(&self, path: &[u8]) -> Size {
        let mut named = self.0.borrow_mut();
        match named.get(path) {
            Some(size) => size.clone(),
            None => named.entry(path.into()).or_default().clone(),
        }
    }

    /// A file was made that was not there before.
    pub fn made(&self, path: &[u8]) -> Size {
        let size = Size::empty();
        self.0.borrow_mut().insert(path.into(), size.clone());
        size
    }

    /// A path has no file any more; one that gets it begins empty.
    pub fn removed(&self, path: &[u8]) {
        self.made(path);
    }

    /// A file got a second path.
    pub fn linked(&self, path: &[u8], second: &[u8]) {
        let size = self.of(path);
        self.0.borrow_mut().insert(second.into(), size);
    }

    /// A file, or a directory with all that is in it, got another path, in place of what had it.
    pub fn renamed(&self, from: &[u8], to: &[u8]) {
        if from == to {
            return;
        }
        let mut named = self.0.borrow_mut();
        let moved = taken(&mut named, from);
        taken(&mut named, to);
        put(&mut named, moved, from, to);
        named.insert(from.into(), Size::empty());
    }

    /// Two paths changed places.
    pub fn exchanged(&self, one: &[u8], other: &[u8]) {
        let mut named = self.0.borrow_mut();
        let (first, second) = (taken(&mut named, one), taken(&mut named, other));
        put(&mut named, first, one, other);
        put(&mut named, second, other, one);
    }
}

/// A path and all below it, which are no longer there
fn taken(named: &mut Named, path: &[u8]) -> Vec<(Rc<[u8]>, Size)> {
    let below = [path, b"/"].concat();
    let from = (Bound::Included(&below[..]), Bound::Unbounded);
    let keys = named.range::<[u8], _>(from).map(|(key, _)| key.clone());
    let mut keys: Vec<_> = keys.take_while(|key| key.starts_with(&below)).collect();
    keys.extend([path.into()]);
    keys.into_iter()
        .filter_map(|key| named.remove_entry(&key))
        .collect()
}

fn put(named: &mut Named, moved: Vec<(Rc<[u8]>, Size)>, from: &[u8], to: &[u8]) {
    for (path, size) in moved {
        named.insert([to, &path[from.len()..]].concat().into(), size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_goes_with_its_file() {
        let sizes = Sizes::default();
        sizes.made(b"/d/a").reaches(10);
        sizes.linked(b"/d/a", b"/d/b");
        sizes.made(b"/d-").reaches(5);
        sizes.renamed(b"/d", b"/e");
        let known = |path: &[u8]| sizes.of(path).known();
        assert_eq!((known(b"/e/a"), known(b"/d/a")), (Some(10), None));
        sizes.of(b"/e/b").reaches(20);
        sizes.exchanged(b"/e/a", b"/d-");
        assert_eq!((known(b"/d-"), known(b"/e/a")), (Some(20), Some(5)));
        sizes.removed(b"/e/a");
        sizes.renamed(b"/never/seen", b"/d-");
        assert_eq!((known(b"/e/a"), known(b"/d-")), (Some(0), None));
    }
}
