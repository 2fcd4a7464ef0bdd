//! What calls of a kind have in common: their template.

use super::numbers::{ColumnWriter, Reader};
use crate::details::MOST;
use crate::flags;

/// What calls of a kind have in common. Its fields lie in a few words, which are soon compared.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Template {
    /// Op, errno, flags and whence, from the lowest bits up.
    words: u64,
    /// Descriptor, [`reference`], whether there is an offset, and how many forms the details have.
    place: u64,
    /// The call's number, less the one that the next call to begin would have had.
    pub number: i64,
    /// The enclosing call, see [`parent`].
    pub parent: u64,
    /// The forms of its details, the first in the lowest bits.
    forms: u64,
}

impl PartialEq for Template {
    // Word by word: a wider load would wait for the stores that made these.
    #[inline(always)]
    fn eq(&self, other: &Template) -> bool {
        let apart = (self.words ^ other.words)
            | (self.place ^ other.place)
            | (self.number ^ other.number) as u64;
        apart | (self.parent ^ other.parent) | (self.forms ^ other.forms) == 0
    }
}

/// How the number of the enclosing call is written.
pub mod parent {
    use crate::columns::{unzigzag, zigzag};

    /// There is none.
    pub const NONE: u64 = 0;
    /// It encloses the call before as well, if those are left out that this one encloses.
    pub const AS_BEFORE: u64 = 1;
    const OTHER: u64 = 2;

    /// Any other, by the call's own number.
    #[inline(always)]
    pub fn other(id: u64, parent: u64) -> u64 {
        let further = id.wrapping_sub(parent).wrapping_sub(1);
        zigzag(further as i64).wrapping_add(OTHER)
    }

    /// The other way round.
    #[inline(always)]
    pub fn of_other(id: u64, written: u64) -> u64 {
        let further = unzigzag(written.wrapping_sub(OTHER));
        id.wrapping_sub(1).wrapping_sub(further as u64)
    }
}

/// What the result of a call is written as a difference from.
pub mod reference {
    pub const ZERO: u8 = 0;
    pub const LENGTH: u8 = 1;
    pub const FD: u8 = 2;
    pub const OFFSET: u8 = 3;
}

/// What a template says of the call itself.
#[derive(Clone, Copy)]
pub struct Call {
    pub op: u16,
    pub errno: u16,
    pub flags: u16,
    pub whence: u16,
    pub fd: i32,
}

impl Template {
    pub const NEW: Template = Template {
        words: 0,
        place: 0,
        number: 0,
        parent: 0,
        forms: 0,
    };

    #[inline(always)]
    pub fn new(call: Call, reference: u8, is_placed: bool, number: i64, parent: u64) -> Template {
        let Call {
            op,
            errno,
            flags,
            whence,
            fd,
        } = call;
        Template {
            words: u64::from(op)
                | u64::from(errno) << 16
                | u64::from(flags) << 32
                | u64::from(whence) << 48,
            place: u64::from(fd as u32) | u64::from(reference) << 32 | u64::from(is_placed) << 40,
            number,
            parent,
            forms: 0,
        }
    }

    #[inline(always)]
    pub fn call(&self) -> Call {
        Call {
            op: self.words as u16,
            errno: (self.words >> 16) as u16,
            flags: (self.words >> 32) as u16,
            whence: (self.words >> 48) as u16,
            fd: self.fd(),
        }
    }

    #[inline(always)]
    pub fn fd(&self) -> i32 {
        self.place as i32
    }

    #[inline(always)]
    pub fn is_placed(&self) -> bool {
        self.place >> 40 & 1 != 0
    }

    #[inline(always)]
    fn reference(&self) -> u8 {
        (self.place >> 32) as u8
    }

    /// What a result is written as a difference from.
    #[inline(always)]
    pub fn base(&self, length: i64, offset: i64) -> i64 {
        match self.reference() {
            reference::LENGTH => length,
            reference::FD => self.fd().into(),
            reference::OFFSET => offset,
            _ => 0,
        }
    }

    /// Whether calls that are alike but for their times, and follow one another, differ by nothing but their numbers and by
    /// how far apart their offsets are.
    pub fn repeats(&self, length: i64, ret: i64) -> bool {
        let opens = self.fd() == -1 && ret > 0;
        let is_plain =
            self.number == 0 && self.parent <= parent::AS_BEFORE && !self.has_second() && !opens;
        let is_seek = ret.max(0) as u64 > length as u64 || length == 0;
        is_plain
            && self.form_count() == 0
            && !(self.is_placed() && (is_seek || self.reference() == reference::OFFSET))
    }

    pub fn has_second(&self) -> bool {
        self.call().flags & flags::MORE != 0
    }

    fn form_count(&self) -> usize {
        (self.place >> 48) as usize & 7
    }

    pub fn forms(&self) -> impl ExactSizeIterator<Item = u16> + use<> {
        let forms = self.forms;
        (0..self.form_count() as u16).map(move |nth| (forms >> (nth & 3).wrapping_mul(16)) as u16)
    }

    /// With details of one more form, if it may have more.
    pub fn with_form(mut self, form: u16) -> Option<Template> {
        let count = self.form_count();
        if count >= MOST {
            return None;
        }
        self.forms |= u64::from(form) << count.wrapping_mul(16);
        self.place = self.place.wrapping_add(1 << 48);
        Some(self)
    }

    /// A number that differs for most templates that differ.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        let more = self.place ^ (self.number as u64) << 24 ^ self.parent << 44 ^ self.forms << 52;
        let hash = (self.words ^ more.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    }

    /// Its fields, as they stand in a block.
    const FIELDS: usize = 8;

    fn field(&self, field: usize) -> i64 {
        match field {
            0..4 => (self.words >> field.wrapping_mul(16) & 0xFFFF) as i64,
            4 => self.fd().into(),
            5 => (self.place >> 32) as i64,
            6 => self.number,
            _ => self.parent as i64,
        }
    }

    fn set(&mut self, field: usize, value: i64) -> Option<()> {
        match field {
            0..4 => self.words |= u64::from(u16::try_from(value).ok()?) << field.wrapping_mul(16),
            4 => self.place |= u64::from(i32::try_from(value).ok()? as u32),
            5 => {
                self.place |= u64::from(u32::try_from(value).ok()?) << 32;
                self.form_count().le(&MOST).then_some(())?;
            }
            6 => self.number = value,
            _ => self.parent = value as u64,
        }
        Some(())
    }
}

/// What the result of a call is near.
#[inline(always)]
pub fn reference_of(ret: i64, length: u64, fd: i32, offset: i64) -> u8 {
    if ret == length as i64 {
        reference::LENGTH
    } else if ret == i64::from(fd) && ret > 0 {
        reference::FD
    } else if ret == offset && ret > 0 {
        reference::OFFSET
    } else {
        reference::ZERO
    }
}

/// Writes templates, a field of all of them after the other.
pub fn write<'t>(
    templates: impl ExactSizeIterator<Item = &'t Template> + Clone,
    room: &mut [i64],
    to: &mut ColumnWriter,
) {
    let room = room.get_mut(..templates.len()).unwrap_or_default();
    for field in 0..Template::FIELDS {
        for (number, template) in room.iter_mut().zip(templates.clone()) {
            *number = template.field(field);
        }
        to.column_in_bytes(room);
    }
    for form in templates.flat_map(Template::forms) {
        to.bytes.varint(form.into());
    }
}

/// Reads as many templates as there is room for.
pub fn read(templates: &mut [Template], room: &mut [i64], from: &mut Reader) -> Option<()> {
    templates.fill(Template::NEW);
    let room = room.get_mut(..templates.len())?;
    for field in 0..Template::FIELDS {
        from.column(room)?;
        for (template, value) in templates.iter_mut().zip(&*room) {
            template.set(field, *value)?;
        }
    }
    for template in templates {
        for nth in 0..template.form_count() {
            let form = u16::try_from(from.bytes.varint()?).ok()?;
            template.forms |= u64::from(form) << (nth & 3).wrapping_mul(16);
        }
    }
    Some(())
}
