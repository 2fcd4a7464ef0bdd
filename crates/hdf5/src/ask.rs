//! What HDF5 is asked once for each object: names, layout, sizes. None of this reads the file, and no rank waits for others.

use crate::functions::Functions;
use crate::objects::{self, Dataset, Element, Object, ObjectInfo};
use crate::{Naming, hid_t};
use core::ffi::{CStr, c_char, c_int};
use iota_runtime::library::{self, FileId, Thread};
use iota_trace::fnv::Fnv;

/// Bytes of a name at most, with the NUL behind it.
const NAME: usize = 4096;

/// What is asked for an id that a call returned or was given.
pub struct Asked {
    pub thread: &'static Thread,
    pub library: u32,
    pub functions: &'static Functions,
    pub id: hid_t,
}

impl Asked {
    /// Of the library that made a call.
    pub fn of(
        thread: &'static Thread,
        (library, functions): (u32, &'static Functions),
        id: hid_t,
    ) -> Asked {
        Asked {
            thread,
            library,
            functions,
            id: functions.id(id),
        }
    }

    /// Learns which file it is in, and its path there. `from`: through which object the program got it.
    pub fn learn(&self, from: Option<&Object>, naming: Naming) -> Option<&'static Object> {
        library::quietly(self.thread, || {
            self.functions.ask(|_| self.learnt(from, naming))
        })
    }

    fn learnt(&self, from: Option<&Object>, naming: Naming) -> Option<&'static Object> {
        let mut room = [0; NAME];
        let opened = self.text(&mut room, Functions::H5Fget_name)?;
        let hash = Fnv::of(opened.to_bytes());
        let same = from.and_then(|from| from.file_opened_as(hash));
        // SAFETY: ends with NUL.
        let file =
            same.unwrap_or_else(|| unsafe { library::file(self.thread, opened.as_ptr(), true) });
        let name = self.name(naming);
        objects::remember(&ObjectInfo {
            library: self.library,
            id: self.id,
            file,
            name,
            naming,
            opened_as: hash,
        })
    }

    /// Its path in the file. Of an object that was not opened by name HDF5 would search the file for one.
    fn name(&self, naming: Naming) -> u32 {
        let (mut path, mut own) = ([0; NAME], [0; NAME]);
        if naming == Naming::Unnamed {
            return 0;
        }
        let Some(path) = self.text(&mut path, Functions::H5Iget_name) else {
            return 0;
        };
        if naming == Naming::Named {
            return library::text(self.thread, path.to_bytes());
        }
        let own = self.text(&mut own, |functions, id, room, size| {
            functions.H5Aget_name(id, size, room)
        });
        let own = own.unwrap_or_default();
        joined(self.thread, &[path.to_bytes(), b"@", own.to_bytes()])
    }

    /// The path of a name below this object, or of its attribute, as far as the names say it.
    pub fn below(&self, name: &[u8], attribute: &[u8]) -> u32 {
        let mut room = [0; NAME];
        let is_absolute = name.starts_with(b"/");
        let from = match is_absolute {
            true => Some(c""),
            false => self.text(&mut room, Functions::H5Iget_name),
        };
        let from = from.unwrap_or_default().to_bytes();
        let name = if name == b"." { b"" } else { name };
        let is_apart = !name.is_empty() && !is_absolute && !from.ends_with(b"/");
        let between: &[u8] = if is_apart { b"/" } else { b"" };
        let mark: &[u8] = if attribute.is_empty() { b"" } else { b"@" };
        joined(self.thread, &[from, between, name, mark, attribute])
    }

    /// A name of the object.
    fn text<'r>(
        &self,
        room: &'r mut [u8; NAME],
        ask: impl FnOnce(&Functions, hid_t, *mut c_char, usize) -> Option<isize>,
    ) -> Option<&'r CStr> {
        let length = ask(self.functions, self.id, room.as_mut_ptr().cast(), NAME)?;
        let whole = 0 < length && (length as usize) < NAME;
        let text = CStr::from_bytes_until_nul(room).ok()?;
        whole.then_some(text)
    }

    /// What a dataset is like.
    pub fn dataset(&self) -> Dataset {
        library::quietly(self.thread, || self.functions.ask(|_| self.described()))
    }

    fn described(&self) -> Dataset {
        let functions = self.functions;
        let mut dataset = Dataset {
            stored: self.stored(functions.H5Dget_type(self.id)),
            ..Dataset::default()
        };
        let Some(list) = functions.H5Dget_create_plist(self.id).filter(is_id) else {
            return dataset;
        };
        let layout = functions.H5Pget_layout(list).unwrap_or(-1);
        dataset.layout = self.word(LAYOUTS, layout);
        if layout == CHUNKED {
            dataset.chunk = dataset
                .stored
                .wrapping_mul(elements_of_chunk(functions, list));
            dataset.filters = self.filters(list);
        }
        functions.H5Pclose(list);
        dataset
    }

    /// What an attribute is like.
    pub fn attribute(&self) -> Dataset {
        library::quietly(self.thread, || {
            self.functions.ask(|functions| Dataset {
                elements: self.count(functions.H5Aget_space(self.id)),
                stored: self.stored(functions.H5Aget_type(self.id)),
                ..Dataset::default()
            })
        })
    }

    /// How many elements a dataset has now.
    #[inline(never)]
    pub fn all_elements(&self) -> u64 {
        library::quietly(self.thread, || {
            self.functions
                .ask(|functions| self.count(functions.H5Dget_space(self.id)))
        })
    }

    /// Elements of a space, which is closed.
    fn count(&self, space: Option<hid_t>) -> u64 {
        let Some(space) = space.filter(is_id) else {
            return 0;
        };
        let count = self.functions.H5Sget_simple_extent_npoints(space);
        self.functions.H5Sclose(space);
        count.unwrap_or(0).max(0) as u64
    }

    /// Bytes of an element of a type, which is closed.
    fn stored(&self, ty: Option<hid_t>) -> u64 {
        let Some(ty) = ty.filter(is_id) else {
            return 0;
        };
        let size = self.functions.H5Tget_size(ty).unwrap_or(0);
        self.functions.H5Tclose(ty);
        size as u64
    }

    /// `name;name`, in the order in which they are applied.
    fn filters(&self, list: hid_t) -> u32 {
        let mut all = Names::default();
        let count = self.functions.H5Pget_nfilters(list).unwrap_or(0);
        for nth in 0..count.max(0) as u32 {
            let (mut flags, mut values, mut config) = (0, 0, 0);
            let mut name = [0u8; 32];
            let none = core::ptr::null_mut();
            let (room, size) = (name.as_mut_ptr().cast(), name.len());
            let id = self.functions.H5Pget_filter2(
                list,
                nth,
                &mut flags,
                &mut values,
                none,
                size,
                room,
                &mut config,
            );
            let text = CStr::from_bytes_until_nul(&name).unwrap_or_default();
            all.add(text.to_bytes(), id.unwrap_or(0));
        }
        match all.text() {
            b"" => 0,
            text => library::text(self.thread, text),
        }
    }

    /// The type of a transfer, and that of what is stored, as a function answers.
    pub fn element(
        &self,
        memory_type: hid_t,
        stored: impl FnOnce(&Functions, hid_t) -> Option<hid_t>,
    ) -> Element {
        library::quietly(self.thread, || {
            self.functions.ask(|functions| Element {
                size: functions.H5Tget_size(memory_type).unwrap_or(0) as u64,
                is_converted: self.is_converted(memory_type, stored(functions, self.id)),
            })
        })
    }

    fn is_converted(&self, memory_type: hid_t, ty: Option<hid_t>) -> bool {
        let Some(ty) = ty.filter(is_id) else {
            return false;
        };
        let is_same = self.functions.H5Tequal(ty, memory_type);
        self.functions.H5Tclose(ty);
        is_same == Some(0)
    }

    /// The text of a number that stands for one of these words.
    pub fn word(&self, words: &[&str], number: c_int) -> u32 {
        let word = usize::try_from(number).ok().and_then(|n| words.get(n));
        word.map_or(0, |word| library::text(self.thread, word.as_bytes()))
    }
}

/// `H5D_layout_t`
const LAYOUTS: &[&str] = &["compact", "contiguous", "chunked", "virtual"];
const CHUNKED: c_int = 2;

/// Dimensions of a dataset at most.
const MOST_DIMENSIONS: usize = 32;

fn elements_of_chunk(functions: &Functions, list: hid_t) -> u64 {
    let mut sizes = [0; MOST_DIMENSIONS];
    let most = MOST_DIMENSIONS as c_int;
    let rank = functions.H5Pget_chunk(list, most, sizes.as_mut_ptr());
    let sizes = sizes.iter().take(rank.unwrap_or(0).max(0) as usize);
    sizes.fold(1, |all, size| all.wrapping_mul(*size))
}

pub fn is_id(id: &hid_t) -> bool {
    *id > 0
}

/// Words with `;` between them, as many as there is room for.
struct Names {
    room: [u8; 256],
    length: usize,
}

impl Default for Names {
    fn default() -> Names {
        Names {
            room: [0; 256],
            length: 0,
        }
    }
}

impl Names {
    /// A filter. One that its library gave no name has its number.
    fn add(&mut self, name: &[u8], number: c_int) {
        let mut digits = [0; 12];
        let name = if name.is_empty() {
            decimal(number.unsigned_abs(), &mut digits)
        } else {
            name
        };
        let between: &[u8] = if self.length == 0 { b"" } else { b";" };
        for byte in between.iter().chain(name) {
            if let Some(place) = self.room.get_mut(self.length) {
                *place = *byte;
                self.length = self.length.wrapping_add(1);
            }
        }
    }

    fn text(&self) -> &[u8] {
        self.room.get(..self.length).unwrap_or_default()
    }
}

fn decimal(mut number: u32, room: &mut [u8; 12]) -> &[u8] {
    let mut start = room.len();
    while let Some(place) = start.checked_sub(1).and_then(|at| room.get_mut(at)) {
        *place = b'0'.wrapping_add((number % 10) as u8);
        (start, number) = (start.wrapping_sub(1), number / 10);
        if number == 0 {
            break;
        }
    }
    room.get(start..).unwrap_or_default()
}

/// A text of several; 0 if it is too long.
pub fn joined(thread: &Thread, parts: &[&[u8]]) -> u32 {
    let (mut room, mut length) = ([0; NAME], 0usize);
    for part in parts {
        let end = length.wrapping_add(part.len());
        let Some(place) = room.get_mut(length..end) else {
            return 0;
        };
        place.copy_from_slice(part);
        length = end;
    }
    room.get(..length)
        .map_or(0, |text| library::text(thread, text))
}

/// The file of an object that may be known.
pub fn file_of(object: Option<&Object>) -> FileId {
    object.map_or(FileId::NONE, Object::file)
}

/// Its path there.
pub fn name_of(object: Option<&Object>) -> u32 {
    object.map_or(0, Object::name)
}
