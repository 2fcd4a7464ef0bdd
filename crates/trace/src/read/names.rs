//! The names of a part, found by the ids that its events use.

use super::source::{Region, Source, Walk};
use crate::block::kind;
use crate::lustre::{self, Layout};
use crate::names::{self, Name, Op};
use crate::stack;
use iota_calls::{MOST_FIELDS, Unit};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Memory that readers may take.
static MEMORY: AtomicU64 = AtomicU64::new(512 << 20);

/// Readers may take so much memory.
pub fn limit_memory(bytes: u64) {
    MEMORY.store(bytes, Relaxed);
}

/// Bytes of all names of a part, however short they stand in its blocks: a quarter of the memory.
fn most() -> u64 {
    MEMORY.load(Relaxed) / 4
}

/// Paths, calls and layouts of a part.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// All names one after another.
    text: Vec<u8>,
    files: Vec<NameSpan>,
    layouts: Vec<NameSpan>,
    /// Layer, kind and effects.
    ops: Vec<(NameSpan, [u8; 3])>,
    texts: Vec<NameSpan>,
    frames: Vec<NameSpan>,
    forms: Vec<(u16, Form)>,
}

/// What the numbers of a form mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Its name.
    pub name: Vec<u8>,
    /// Of each field the unit and the name.
    pub fields: Vec<(Unit, Vec<u8>)>,
}

/// Says in a known form what a layout says that is not known here.
type Translator = fn(&[u8]) -> Option<Vec<u8>>;

static TRANSLATOR: OnceLock<Translator> = OnceLock::new();

/// Has layouts of unknown kinds translated, in all traces that are read from now on.
pub fn translate_layouts(by: Translator) {
    // Who came first stays.
    let _ = TRANSLATOR.set(by);
}

fn known(layout: &[u8]) -> Option<Vec<u8>> {
    match Layout(layout).form() {
        lustre::LayoutForm::Unknown(_) => TRANSLATOR.get()?(layout),
        _ => None,
    }
}

/// A name in `text`, by its id.
#[derive(Clone, Copy, Debug)]
struct NameSpan {
    id: u32,
    start: usize,
    len: usize,
}

impl Names {
    /// Those in some stretches of a file.
    pub(super) fn of(source: &Source, stretches: &[Region]) -> Names {
        let mut names = Names::default();
        for stretch in stretches {
            names.take(source, Walk::for_names(source, *stretch));
        }
        names.sort();
        names
    }

    fn take(&mut self, source: &Source, mut blocks: Walk) {
        let mut buffer = Vec::new();
        while let Some((at, header)) = blocks.next() {
            if header.kind != kind::NAMES {
                continue;
            }
            match source.payload(at, &header, &mut buffer) {
                Some(payload) if self.add(payload, most()) => {}
                Some(_) => source.problem(at, self.cause(most())),
                None => blocks.distrust(at),
            }
        }
    }

    /// Why not all names of a block were taken.
    fn cause(&self, most: u64) -> String {
        match self.text.len() as u64 > most {
            true => format!(
                "the names of this process take more than {} MiB of memory, which is the limit: the others are unknown; set IOTA_MEMORY to more",
                most >> 20
            ),
            false => "a name is damaged: the names after it are unknown".to_owned(),
        }
    }

    /// `false`: it makes no sense, or there would be more than `most`.
    fn add(&mut self, payload: &[u8], most: u64) -> bool {
        let mut all = names::NamesReader::new(payload);
        let (mut path, mut before) = (Vec::new(), Vec::new());
        for name in all.by_ref() {
            if self.text.len() as u64 > most {
                return false;
            }
            match name {
                Name::File { id, shared, rest } => {
                    path.truncate(shared);
                    path.extend_from_slice(rest);
                    let slot = self.slot(id, &path);
                    self.files.push(slot);
                }
                Name::Op { id, op } => {
                    let slot = self.slot(id.into(), op.name);
                    self.ops.push((slot, [op.layer, op.kind, op.effects]));
                }
                Name::Form { id, name, fields } => {
                    let field = |(unit, name): (u8, &[u8])| (Unit::of(unit), name.to_owned());
                    let form = Form {
                        name: name.to_owned(),
                        fields: fields.take(MOST_FIELDS).map(field).collect(),
                    };
                    self.forms.push((id, form));
                }
                Name::Text { id, bytes } => {
                    let slot = self.slot(id, bytes);
                    self.texts.push(slot);
                }
                Name::Frames(lines) => {
                    let slot = self.slot(0, lines);
                    self.frames.push(slot);
                }
                Name::Layout { file, layout } => {
                    before.resize(layout.length, 0);
                    layout.apply(&mut before);
                    let known = known(&before);
                    let slot = self.slot(file, known.as_deref().unwrap_or(&before));
                    self.layouts.push(slot);
                }
            }
        }
        all.complete()
    }

    fn slot(&mut self, id: u32, name: &[u8]) -> NameSpan {
        let start = self.text.len();
        self.text.extend_from_slice(name);
        NameSpan {
            id,
            start,
            len: name.len(),
        }
    }

    fn sort(&mut self) {
        self.files.sort_by_key(|slot| slot.id);
        self.sort_layouts();
        self.ops.sort_by_key(|(slot, ..)| slot.id);
        self.texts.sort_by_key(|slot| slot.id);
        self.forms.sort_by_key(|(id, _)| *id);
    }

    /// Of a file whose layout grew the last one holds.
    fn sort_layouts(&mut self) {
        self.layouts.reverse();
        self.layouts.sort_by_key(|slot| slot.id);
        self.layouts.dedup_by_key(|slot| slot.id);
    }

    fn text(&self, slot: NameSpan) -> &[u8] {
        &self.text[slot.start..slot.start + slot.len]
    }

    fn find(&self, slots: &[NameSpan], id: u32) -> Option<&[u8]> {
        let at = slots.binary_search_by_key(&id, |slot| slot.id).ok()?;
        Some(self.text(slots[at]))
    }

    /// A path; `None` for 0, and where its block is damaged.
    pub fn file(&self, id: u32) -> Option<&[u8]> {
        self.find(&self.files, id)
    }

    /// A text of details; `None` for 0, and where its block is damaged.
    pub fn text_of(&self, id: u32) -> Option<&[u8]> {
        self.find(&self.texts, id)
    }

    /// What the numbers of a form mean; `None` where its block is damaged.
    pub fn form(&self, id: u16) -> Option<&Form> {
        let at = self.forms.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.forms.get(at).map(|(_, form)| form)
    }

    /// How a file lies on Lustre.
    pub fn layout(&self, file: u32) -> Option<Layout<'_>> {
        self.find(&self.layouts, file).map(Layout)
    }

    /// A call; `None` where its block is damaged.
    pub fn op(&self, id: u16) -> Option<Op<'_>> {
        let at = self
            .ops
            .binary_search_by_key(&u32::from(id), |(slot, ..)| slot.id)
            .ok()?;
        Some(self.function(&self.ops[at]))
    }

    fn function(&self, (slot, [layer, kind, effects]): &(NameSpan, [u8; 3])) -> Op<'_> {
        Op {
            name: self.text(*slot),
            layer: *layer,
            kind: *kind,
            effects: *effects,
        }
    }

    /// All paths with their ids.
    pub fn files(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.files.iter().map(|slot| (slot.id, self.text(*slot)))
    }

    /// All layouts, with the ids of their files.
    pub fn layouts(&self) -> impl Iterator<Item = (u32, Layout<'_>)> {
        let layout = |slot: &NameSpan| (slot.id, Layout(self.text(*slot)));
        self.layouts.iter().map(layout)
    }

    /// All forms with their ids.
    pub fn forms(&self) -> impl Iterator<Item = (u16, &Form)> {
        self.forms.iter().map(|(id, form)| (*id, form))
    }

    /// All texts of details with their ids.
    pub fn texts(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.texts.iter().map(|slot| (slot.id, self.text(*slot)))
    }

    /// The form of stacks, if calls of the part may have some.
    pub fn stack_form(&self) -> Option<u16> {
        let mut stacks = self.forms().filter(|(_, form)| form.name == stack::FORM);
        stacks.next().map(|(id, _)| id)
    }

    /// What was looked up of addresses of stacks: the functions at each, a line for each function.
    pub fn frames(&self) -> impl Iterator<Item = &[u8]> {
        self.frames.iter().map(|slot| self.text(*slot))
    }

    /// All calls with their ids.
    pub fn ops(&self) -> impl Iterator<Item = (u16, Op<'_>)> {
        self.ops
            .iter()
            .map(|entry| (entry.0.id as u16, self.function(entry)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of paths, each ten bytes longer than the one before.
    fn growing(paths: usize) -> Vec<u8> {
        let mut payload = Vec::new();
        for n in 0..paths {
            payload.extend([1, 1]);
            let mut shared = 10 * n;
            while shared >= 128 {
                payload.push(shared as u8 | 128);
                shared >>= 7;
            }
            payload.extend([shared as u8, 10]);
            payload.extend(b"0123456789");
        }
        payload
    }

    #[test]
    fn names_that_grow_without_end_make_no_sense() {
        let payload = growing(1000);
        let whole: u64 = (1..=1000).map(|n| 10 * n).sum();
        assert!(Names::default().add(&payload, whole));
        let mut names = Names::default();
        assert!(!names.add(&payload, whole / 2));
        assert!((whole / 2..whole / 2 + 10_000).contains(&(names.text.len() as u64)));
    }
}
