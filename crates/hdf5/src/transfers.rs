//! Transfers of elements.

use crate::ask::{Asked, file_of, name_of};
use crate::functions::Functions;
use crate::objects::{Dataset, Element, Object};
use crate::{DEFAULT, Naming, Outcome, hid_t, known, library_after, record_on};
use core::ffi::{c_int, c_void};
use iota_calls::{Form, Op};
use iota_runtime::library::{self as calls, Span};
use iota_trace::Details;

/// `H5S_ALL`, `H5S_BLOCK`, `H5S_PLIST`: numbers up to this are no ids.
const LAST_OF_SPACES: hid_t = 2;

/// `H5Dread`, `H5Dwrite`.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "HDF5's")]
pub fn h5_transfer(
    op: Op,
    at: *const c_void,
    real: impl FnOnce() -> c_int,
    dataset: hid_t,
    memory_type: hid_t,
    memory_space: hid_t,
    file_space: hid_t,
    dxpl: hid_t,
    events: hid_t,
) -> c_int {
    let (ret, span) = calls::span(op, real);
    if let Some(span) = span {
        let transfer = Transfer {
            dataset,
            memory_type,
            memory_space,
            file_space,
            dxpl,
        };
        transferred(span, at, ret, &transfer, events);
    }
    ret
}

/// The ids that a transfer was passed.
pub struct Transfer {
    pub dataset: hid_t,
    pub memory_type: hid_t,
    pub memory_space: hid_t,
    pub file_space: hid_t,
    pub dxpl: hid_t,
}

#[inline(never)]
fn transferred(span: Span, at: *const c_void, ret: c_int, transfer: &Transfer, events: hid_t) {
    let (mut note, object) = (ret.note(), known(at, transfer.dataset));
    let Some(library) = library_after(at, &note, events) else {
        return record_on(span, note, file_of(object), name_of(object));
    };
    let asked = Asked::of(span.thread(), library, transfer.dataset);
    let object = asked.object();
    let info = asked.transfer(object, transfer);
    (note.file, note.length) = (file_of(object), info.bytes());
    span.record_detailed(note, &[info.details(name_of(object))]);
}

/// What a dataset or attribute is like, asked once.
pub fn described(object: Option<&Object>, ask: impl FnOnce() -> Dataset) -> Dataset {
    if let Some(known) = object.and_then(Object::dataset) {
        return known;
    }
    let dataset = ask();
    if let Some(object) = object {
        object.describe(dataset);
    }
    dataset
}

impl Dataset {
    /// For calls that say this, and no transfer of elements.
    pub fn details(&self, name: u32) -> Details {
        let (layout, filters) = (self.layout.into(), self.filters.into());
        let numbers = [name.into(), self.stored, layout, self.chunk, filters];
        Details::new(Form::DATASET.0, &numbers)
    }
}

/// What a record says of a transfer.
pub struct TransferInfo {
    pub elements: u64,
    pub element: Element,
    pub dataset: Dataset,
    pub selection: u32,
    pub is_collective: bool,
    pub done: u32,
}

impl TransferInfo {
    pub fn bytes(&self) -> u64 {
        self.elements.wrapping_mul(self.element.size)
    }

    pub fn details(&self, name: u32) -> Details {
        let numbers = [
            name.into(),
            self.elements,
            self.element.size,
            self.dataset.stored,
            self.element.is_converted.into(),
            self.selection.into(),
            self.dataset.layout.into(),
            self.dataset.chunk,
            self.dataset.filters.into(),
            self.is_collective.into(),
            self.done.into(),
        ];
        Details::new(Form::ARRAY.0, &numbers)
    }
}

impl Asked {
    /// The dataset. One that the tracer did not see opened is learnt, without a name; in a forked child one that the parent
    /// opened by name, with it.
    pub fn object(&self) -> Option<&'static Object> {
        let object = crate::objects::find(self.library, self.id);
        match object.filter(|object| !object.is_of_part()) {
            None if object.is_some() => object,
            before => self.learn(None, before.map_or(Naming::Unnamed, Object::naming)),
        }
    }

    pub fn transfer(&self, object: Option<&Object>, transfer: &Transfer) -> TransferInfo {
        let functions = self.functions;
        let file_space = functions.id(transfer.file_space);
        let memory_type = functions.id(transfer.memory_type);
        let (is_collective, done) = self.collective(functions.id(transfer.dxpl));
        TransferInfo {
            elements: self.elements(file_space, functions.id(transfer.memory_space)),
            element: self.element_of(object, memory_type, Functions::H5Dget_type),
            dataset: described(object, || self.dataset()),
            selection: self.selection(file_space),
            is_collective,
            done,
        }
    }

    /// How many elements are selected: by the file's space, or the memory's, or all that the dataset has.
    fn elements(&self, file_space: hid_t, memory_space: hid_t) -> u64 {
        let spaces = [file_space, memory_space];
        let selected = spaces.iter().find(|space| **space > LAST_OF_SPACES);
        let Some(space) = selected else {
            return self.all_elements();
        };
        let count = self.functions.H5Sget_select_npoints(*space);
        count.unwrap_or(0).max(0) as u64
    }

    /// The type of a transfer, asked once.
    pub fn element_of(
        &self,
        object: Option<&Object>,
        memory_type: hid_t,
        stored: impl FnOnce(&Functions, hid_t) -> Option<hid_t>,
    ) -> Element {
        if let Some(known) = object.and_then(|object| object.element(memory_type)) {
            return known;
        }
        let element = self.element(memory_type, stored);
        if let Some(object) = object {
            object.set_element(memory_type, element);
        }
        element
    }

    /// Which elements of the dataset: a hyperslab that no single stride describes is irregular.
    fn selection(&self, space: hid_t) -> u32 {
        if space <= LAST_OF_SPACES {
            return self.word(SELECTIONS, ALL);
        }
        let kind = self.functions.H5Sget_select_type(space).unwrap_or(-1);
        let is_irregular =
            kind == HYPERSLABS && self.functions.H5Sis_regular_hyperslab(space) == Some(0);
        self.word(SELECTIONS, if is_irregular { IRREGULAR } else { kind })
    }

    /// Whether the ranks were to transfer together, and what came of it.
    fn collective(&self, dxpl: hid_t) -> (bool, u32) {
        if dxpl == DEFAULT {
            return (false, 0);
        }
        let (mut mode, mut done) = (0, 0);
        self.functions.H5Pget_dxpl_mpio(dxpl, &mut mode);
        if mode == 0 {
            return (false, 0);
        }
        self.functions.H5Pget_mpio_actual_io_mode(dxpl, &mut done);
        (true, self.word(DONE, done))
    }
}

/// `H5S_sel_type`, and one more
pub const SELECTIONS: &[&str] = &["none", "points", "hyperslab", "all", "irregular"];
const HYPERSLABS: c_int = 2;
pub const ALL: c_int = 3;
const IRREGULAR: c_int = 4;

/// `H5D_mpio_actual_io_mode_t`
const DONE: &[&str] = &[
    "independent",
    "chunk independent",
    "chunk collective",
    "chunk mixed",
    "contiguous collective",
];
