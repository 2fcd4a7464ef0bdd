//! A component of a layout: a plain layout, or one that stands within a composite one.

use crate::bytes::Get;

/// A plain layout.
pub const V1: u32 = 0x0BD1_0BD0;
/// A plain layout with the name of a pool.
pub const V3: u32 = 0x0BD3_0BD0;
/// A file that lies somewhere else altogether.
pub const FOREIGN: u32 = 0x0BD7_0BD0;

/// The end of an extent that has none.
pub const END_OF_FILE: u64 = u64::MAX;

/// Bytes of a plain layout before its pool and objects.
pub(super) const PLAIN_HEADER: usize = 32;
const POOL: usize = 16;
const OBJECT: usize = 24;

/// Patterns, of which a layout may have several.
pub(super) mod pattern {
    pub const RAID0: u32 = 0x1;
    pub const MDT: u32 = 0x100;
    pub const FOREIGN: u32 = 0x400;
    pub const RELEASED: u32 = 0x8000_0000;
}

/// Flags of a component.
pub(super) mod flag {
    pub const STALE: u32 = 0x1;
    pub const PREFERRED_READ: u32 = 0x2;
    pub const PREFERRED_WRITE: u32 = 0x4;
    pub const INSTANTIATED: u32 = 0x10;
    pub const EXTENSION: u32 = 0x40;
    pub const PARITY: u32 = 0x80;
}

/// Where the bytes of a component are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
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
    pub(super) flags: u32,
    pattern: u32,
    /// Bytes of a stripe.
    pub stripe_size: u32,
    /// Stripes, also where their objects are not known yet; 0xffff: one on each OST.
    pub stripe_count: u16,
    /// The OST pool's name; may be empty.
    pub pool: &'a [u8],
    objects: &'a [u8],
}

/// Reads on at an offset, or nothing.
pub(super) fn at(bytes: &[u8], offset: usize) -> Get<'_> {
    Get(bytes.get(offset..).unwrap_or_default())
}

impl<'a> Component<'a> {
    /// Of a plain layout, or of one within another; none for other kinds.
    pub(super) fn plain(bytes: &'a [u8]) -> Option<Component<'a>> {
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
    pub fn storage(&self) -> Storage {
        if self.pattern & pattern::FOREIGN != 0 {
            Storage::Foreign
        } else if self.pattern & pattern::RELEASED != 0 {
            Storage::Released
        } else if self.pattern & pattern::MDT != 0 {
            Storage::Mdt
        } else {
            Storage::Osts
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

    pub(super) fn is_data(&self) -> bool {
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
        let has_objects = self.is_instantiated() && self.storage() == Storage::Osts;
        if has_objects { self.objects } else { &[] }
    }
}
