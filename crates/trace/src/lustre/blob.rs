//! Layouts put together, as bytes: of what liblustreapi says, and by hand for tests, which have no Lustre to ask.

use super::component::{V1, V3};
use super::layout::COMPOSITE;

/// A component to be.
#[derive(Clone, Debug)]
pub struct Comp {
    /// Mirror in the upper half, number in the lower.
    pub id: u32,
    /// As in `lcme_flags`.
    pub flags: u32,
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// As in `lmm_pattern`.
    pub pattern: u32,
    /// Bytes of a stripe.
    pub size: u32,
    /// As in `lmm_stripe_count`.
    pub count: u16,
    /// The OSTs of its objects.
    pub osts: Vec<u32>,
    /// With one it is a v3 layout.
    pub pool: Option<String>,
}

impl Comp {
    /// Of the only mirror, without a pool.
    pub fn new(
        start: u64,
        end: u64,
        flags: u32,
        pattern: u32,
        size: u32,
        count: u16,
        osts: &[u32],
    ) -> Comp {
        Comp {
            id: 0,
            flags,
            start,
            end,
            pattern,
            size,
            count,
            osts: osts.to_vec(),
            pool: None,
        }
    }
}

/// A v1 layout, or v3 with a pool.
pub fn plain(pattern: u32, size: u32, count: u16, osts: &[u32], pool: Option<&str>) -> Vec<u8> {
    let mut blob = Vec::new();
    let magic = if pool.is_some() { V3 } else { V1 };
    blob.extend(magic.to_le_bytes());
    blob.extend(pattern.to_le_bytes());
    blob.extend([0x11; 16]);
    blob.extend(size.to_le_bytes());
    blob.extend(count.to_le_bytes());
    blob.extend([0; 2]);
    if let Some(pool) = pool {
        let mut name = [0; 16];
        // The last byte is always NUL.
        let length = pool.len().min(15);
        name[..length].copy_from_slice(&pool.as_bytes()[..length]);
        blob.extend(name);
    }
    for (n, ost) in (0u64..).zip(osts) {
        blob.extend((0x1000 + n).to_le_bytes());
        blob.extend([0; 12]);
        blob.extend(ost.to_le_bytes());
    }
    blob
}

/// A composite layout.
pub fn composite(comps: &[Comp]) -> Vec<u8> {
    let inner: Vec<Vec<u8>> = comps
        .iter()
        .map(|comp| {
            plain(
                comp.pattern,
                comp.size,
                comp.count,
                &comp.osts,
                comp.pool.as_deref(),
            )
        })
        .collect();
    let mut from = 32 + 48 * comps.len();
    let whole = from + inner.iter().map(Vec::len).sum::<usize>();
    let mut blob = Vec::new();
    blob.extend(COMPOSITE.to_le_bytes());
    blob.extend((whole as u32).to_le_bytes());
    blob.extend([1, 0, 0, 0, 0, 0]);
    blob.extend((comps.len() as u16).to_le_bytes());
    blob.resize(32, 0);
    for (comp, bytes) in comps.iter().zip(&inner) {
        blob.extend(comp.id.to_le_bytes());
        blob.extend(comp.flags.to_le_bytes());
        blob.extend(comp.start.to_le_bytes());
        blob.extend(comp.end.to_le_bytes());
        blob.extend((from as u32).to_le_bytes());
        blob.extend((bytes.len() as u32).to_le_bytes());
        blob.extend([0; 16]);
        from += bytes.len();
    }
    inner.iter().for_each(|bytes| blob.extend(bytes));
    blob
}
