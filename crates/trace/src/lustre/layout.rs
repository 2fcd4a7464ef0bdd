//! A layout as the `lustre.lov` attribute gives it, read in place: plain (v1, v3), composite, foreign, or unknown.
//!
//! Nothing in it is trusted: what is cut off is left out, what makes no sense is not there. Fields are little-endian;
//! their order is that of the public `lustre_user.h`.

use super::component::{Component, FOREIGN, PLAIN_HEADER, Storage, V1, V3, at, flag, pattern};
use crate::bytes::{Get, Put};

/// The attribute.
pub const ATTRIBUTE: &core::ffi::CStr = c"lustre.lov";
/// `f_type` of a Lustre client's file system.
pub const SUPER_MAGIC: u64 = 0x0BD0_0BD0;

/// Several layouts, each for an extent of the file or for a mirror.
pub const COMPOSITE: u32 = 0x0BD6_0BD0;

const COMPOSITE_HEADER: usize = 32;
const ENTRY: usize = 48;

/// A layout's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<'a>(pub &'a [u8]);

/// What a layout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutForm {
    /// One component, over the whole file.
    Plain,
    /// Several.
    Composite,
    /// None of Lustre's own; a type that says whose.
    Foreign(u32),
    /// Of a kind that is not known here, by its magic number.
    Unknown(u32),
}

/// A wish for a new file: stripes of so many bytes, so many of them, on whichever OSTs.
pub fn wish(stripe_size: u32, stripe_count: u16) -> [u8; PLAIN_HEADER] {
    let mut blob = [0; PLAIN_HEADER];
    let mut put = Put::new(&mut blob);
    put.u32(V1);
    put.u32(pattern::RAID0);
    put.bytes(&[0; 16]);
    put.u32(stripe_size);
    put.u16(stripe_count);
    put.u16(u16::MAX);
    blob
}

impl<'a> Layout<'a> {
    fn magic(self) -> u32 {
        Get(self.0).u32().unwrap_or(0)
    }

    /// What it is.
    pub fn form(self) -> LayoutForm {
        match self.magic() {
            V1 | V3 => LayoutForm::Plain,
            COMPOSITE => LayoutForm::Composite,
            FOREIGN => LayoutForm::Foreign(at(self.0, 8).u32().unwrap_or(0)),
            other => LayoutForm::Unknown(other),
        }
    }

    /// Its components, as far as they are whole; one of a plain layout.
    pub fn components(self) -> Components<'a> {
        let count = match self.form() {
            LayoutForm::Plain => 1,
            LayoutForm::Composite => at(self.0, 14).u16().unwrap_or(0),
            _ => 0,
        };
        Components {
            layout: self,
            next: 0,
            count,
        }
    }

    fn component(self, number: u16) -> Option<Component<'a>> {
        if self.form() == LayoutForm::Plain {
            return Component::plain(self.0);
        }
        let entry = COMPOSITE_HEADER.wrapping_add(usize::from(number).wrapping_mul(ENTRY));
        let mut get = at(self.0, entry);
        let (id, flags) = (get.u32()?, get.u32()?);
        let (start, end) = (get.u64()?, get.u64()?);
        let (from, length) = (get.u32()? as usize, get.u32()? as usize);
        let inner = self.0.get(from..)?.get(..length)?;
        let mut component = Component::plain(inner)?;
        (component.start, component.end, component.flags) = (start, end, flags);
        component.mirror = (id >> 16) as u16 & 0x7fff;
        Some(component)
    }

    /// False when the file may get objects that are not in it yet: it wants to be read again.
    pub fn is_complete(self) -> bool {
        self.components().all(|part| {
            part.is_instantiated() || part.storage() != Storage::Osts || !part.is_data()
        })
    }

    /// The component that tells most about the file: the last that has objects, else the last.
    pub fn main(self) -> Option<Component<'a>> {
        let with_objects = |part: &Component| part.osts().next().is_some() && !part.is_stale();
        let last = self.components().last();
        self.components().filter(with_objects).last().or(last)
    }

    /// The component that has the byte at `offset`, for a write or a read: of several mirrors one that is not stale and
    /// rather one that is preferred.
    pub fn at(self, offset: u64, is_write: bool) -> Option<Component<'a>> {
        let covers = |part: &Component| {
            part.start <= offset && offset < part.end && part.is_data() && !part.is_stale()
        };
        let wanted = if is_write {
            flag::PREFERRED_WRITE
        } else {
            flag::PREFERRED_READ
        };
        let mut all = self.components().filter(covers);
        let preferred = all.clone().find(|part| part.flags & wanted != 0);
        preferred.or_else(|| all.next())
    }
}

/// The components of a layout.
#[derive(Clone)]
pub struct Components<'a> {
    layout: Layout<'a>,
    next: u16,
    count: u16,
}

impl<'a> Iterator for Components<'a> {
    type Item = Component<'a>;

    fn next(&mut self) -> Option<Component<'a>> {
        while self.next < self.count {
            let found = self.layout.component(self.next);
            self.next = self.next.wrapping_add(1);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
