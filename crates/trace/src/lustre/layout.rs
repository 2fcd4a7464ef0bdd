//! A layout as the `lustre.lov` attribute gives it, read in place: plain (v1, v3), composite, foreign, or unknown.
//!
//! Nothing in it is trusted: what is cut off is left out, what makes no sense is not there. Fields are little-endian;
//! their order is that of the public `lustre_user.h`.

use crate::bytes::{Get, Put};

/// The attribute.
pub const ATTRIBUTE: &core::ffi::CStr = c"lustre.lov";
/// `f_type` of a Lustre client's file system.
pub const SUPER_MAGIC: u64 = 0x0BD0_0BD0;

/// A plain layout.
pub const V1: u32 = 0x0BD1_0BD0;
/// A plain layout with the name of a pool.
pub const V3: u32 = 0x0BD3_0BD0;
/// Several layouts, each for an extent of the file or for a mirror.
pub const COMPOSITE: u32 = 0x0BD6_0BD0;
/// A file that lies somewhere else altogether.
pub const FOREIGN: u32 = 0x0BD7_0BD0;

/// The end of an extent that has none.
pub const END_OF_FILE: u64 = u64::MAX;

const PLAIN_HEADER: usize = 32;
const POOL: usize = 16;
const OBJECT: usize = 24;
const COMPOSITE_HEADER: usize = 32;
const ENTRY: usize = 48;

/// Patterns, of which a layout may have several.
mod pattern {
    pub const RAID0: u32 = 0x1;
    pub const MDT: u32 = 0x100;
    pub const FOREIGN: u32 = 0x400;
    pub const RELEASED: u32 = 0x8000_0000;
}

/// Flags of a component.
mod flag {
    pub const STALE: u32 = 0x1;
    pub const PREFERRED_READ: u32 = 0x2;
    pub const PREFERRED_WRITE: u32 = 0x4;
    pub const INSTANTIATED: u32 = 0x10;
    pub const EXTENSION: u32 = 0x40;
    pub const PARITY: u32 = 0x80;
}

/// A layout's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<'a>(pub &'a [u8]);

/// What a layout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
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

/// Where the bytes of a component are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In stripes on OSTs.
    Osts,
    /// With the metadata.
    Mdt,
    /// In an archive; there are no objects.
    Released,
    /// Elsewhere.
    Foreign,
}

/// What stands for an extent of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component<'a> {
    /// Its first byte.
    pub start: u64,
    /// The byte after its last, [`END_OF_FILE`]: it has none.
    pub end: u64,
    /// The mirror it belongs to; 0: there is one alone.
    pub mirror: u16,
    flags: u32,
    pattern: u32,
    /// Bytes of a stripe.
    pub stripe_size: u32,
    /// Stripes, also where their objects are not known yet; 0xffff: one on each OST.
    pub stripe_count: u16,
    /// The OST pool's name; may be empty.
    pub pool: &'a [u8],
    objects: &'a [u8],
}

impl<'a> Layout<'a> {
    fn magic(self) -> u32 {
        Get(self.0).u32().unwrap_or(0)
    }

    /// What it is.
    pub fn form(self) -> Form {
        match self.magic() {
            V1 | V3 => Form::Plain,
            COMPOSITE => Form::Composite,
            FOREIGN => Form::Foreign(at(self.0, 8).u32().unwrap_or(0)),
            other => Form::Unknown(other),
        }
    }

    /// Its components, as far as they are whole; one of a plain layout.
    pub fn components(self) -> Components<'a> {
        let count = match self.form() {
            Form::Plain => 1,
            Form::Composite => at(self.0, 14).u16().unwrap_or(0),
            _ => 0,
        };
        Components {
            layout: self,
            next: 0,
            count,
        }
    }

    fn component(self, number: u16) -> Option<Component<'a>> {
        if self.form() == Form::Plain {
            return Component::plain(self.0);
        }
        let entry = COMPOSITE_HEADER.wrapping_add(usize::from(number).wrapping_mul(ENTRY));
        let mut get = at(self.0, entry);
        let (id, flags) = (get.u32()?, get.u32()?);
        let (start, end) = (get.u64()?, get.u64()?);
        let (from, length) = (get.u32()? as usize, get.u32()? as usize);
        let inner = self.0.get(from..)?.get(..length)?;
        Some(Component {
            start,
            end,
            mirror: (id >> 16) as u16 & 0x7fff,
            flags,
            ..Component::plain(inner)?
        })
    }

    /// False when the file may get objects that are not in it yet: it wants to be read again.
    pub fn is_complete(self) -> bool {
        self.components()
            .all(|part| part.is_instantiated() || part.place() != Place::Osts || !part.is_data())
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

/// Reads on at an offset, or nothing.
fn at(bytes: &[u8], offset: usize) -> Get<'_> {
    Get(bytes.get(offset..).unwrap_or_default())
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

impl<'a> Component<'a> {
    /// Of a plain layout, or of one within another; none for other kinds.
    fn plain(bytes: &'a [u8]) -> Option<Component<'a>> {
        let mut get = Get(bytes);
        let (magic, pattern) = (get.u32()?, get.u32()?);
        get.bytes(16)?;
        let (stripe_size, stripe_count) = (get.u32()?, get.u16()?);
        let (pool, from) = match magic {
            V1 => (&[][..], PLAIN_HEADER),
            V3 => (bytes.get(PLAIN_HEADER..)?.get(..POOL)?, PLAIN_HEADER + POOL),
            FOREIGN => return Some(Component::foreign()),
            _ => return None,
        };
        let end = pool.iter().position(|&b| b == 0).unwrap_or(pool.len());
        let has_objects = pattern & (pattern::MDT | pattern::FOREIGN | pattern::RELEASED) == 0;
        let room = usize::from(stripe_count).wrapping_mul(OBJECT);
        let behind = bytes.get(from..).unwrap_or_default();
        let objects = if has_objects { behind } else { &[] };
        Some(Component {
            start: 0,
            end: END_OF_FILE,
            mirror: 0,
            flags: flag::INSTANTIATED,
            pattern,
            stripe_size,
            stripe_count,
            pool: pool.get(..end)?,
            objects: objects.get(..room).unwrap_or(objects),
        })
    }

    fn foreign() -> Component<'a> {
        Component {
            start: 0,
            end: END_OF_FILE,
            mirror: 0,
            flags: 0,
            pattern: pattern::FOREIGN,
            stripe_size: 0,
            stripe_count: 0,
            pool: &[],
            objects: &[],
        }
    }

    /// Where its bytes are.
    pub fn place(&self) -> Place {
        if self.pattern & pattern::FOREIGN != 0 {
            Place::Foreign
        } else if self.pattern & pattern::RELEASED != 0 {
            Place::Released
        } else if self.pattern & pattern::MDT != 0 {
            Place::Mdt
        } else {
            Place::Osts
        }
    }

    /// It has its objects.
    pub fn is_instantiated(&self) -> bool {
        self.flags & flag::INSTANTIATED != 0
    }

    /// A mirror that lags behind.
    pub fn is_stale(&self) -> bool {
        self.flags & flag::STALE != 0
    }

    /// The mirror to use, for reading or for writing.
    pub fn is_preferred(&self) -> bool {
        self.flags & (flag::PREFERRED_READ | flag::PREFERRED_WRITE) != 0
    }

    /// Of an erasure code.
    pub fn is_parity(&self) -> bool {
        self.flags & flag::PARITY != 0
    }

    /// Room for the component before it to grow.
    pub fn is_extension(&self) -> bool {
        self.flags & flag::EXTENSION != 0
    }

    fn is_data(&self) -> bool {
        !self.is_parity() && !self.is_extension()
    }

    /// The OSTs of its stripes, in order; none where it has no objects yet.
    pub fn osts(&self) -> impl Iterator<Item = u32> + Clone + use<'a> {
        let objects = self.objects();
        objects
            .chunks_exact(OBJECT)
            .filter_map(|object| at(object, 20).u32())
    }

    /// The OST of one of its stripes.
    pub(super) fn ost(&self, stripe: usize) -> Option<u32> {
        at(self.objects(), stripe.wrapping_mul(OBJECT).wrapping_add(20)).u32()
    }

    fn objects(&self) -> &'a [u8] {
        let has_objects = self.is_instantiated() && self.place() == Place::Osts;
        if has_objects { self.objects } else { &[] }
    }
}

#[cfg(test)]
mod tests;
