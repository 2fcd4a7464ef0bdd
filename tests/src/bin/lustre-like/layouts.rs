//! Which layout a file has: by the beginning of its name, or as it was wished for.

use iota_trace::lustre::blob::{Comp, composite, plain};
use iota_trace::lustre::{END_OF_FILE, FOREIGN, V1};

const MIB: u32 = 1 << 20;
/// OSTs of this file system.
const OSTS: u32 = 3000;
/// As in `lustre_user.h`.
const RAID0: u32 = 1;
const MDT: u32 = 0x100;
const INSTANTIATED: u32 = 0x10;

/// The objects of a file: they lie on OSTs that follow one another.
pub struct Objects {
    first: u32,
    count: u16,
    size: u32,
}

impl Objects {
    fn osts(&self) -> Vec<u32> {
        (0..u32::from(self.count))
            .map(|n| (self.first + n) % OSTS)
            .collect()
    }
}

/// What a new file of this name gets.
pub fn usual(name: &str, ino: u64) -> Objects {
    let count = if name.starts_with("wide") { 2000 } else { 2 };
    Objects {
        first: ino as u32 % OSTS,
        count,
        size: MIB,
    }
}

/// What a wish gets: 32 bytes as `lov_user_md_v1` has them.
pub fn wished(wish: &[u8], ino: u64) -> Option<Objects> {
    let word = |at: usize| Some(u32::from_le_bytes(*wish.get(at..)?.first_chunk()?));
    let (size, count) = (word(24)?, word(28)? as u16);
    let makes_sense = word(0)? == V1 && wish.len() == 32 && size % 65536 == 0 && size > 0;
    makes_sense.then_some(Objects {
        first: ino as u32 % OSTS,
        count,
        size,
    })
}

/// The attribute of a file of this name and length.
pub fn layout(name: &str, length: u64, objects: &Objects) -> Vec<u8> {
    let (size, count, osts) = (objects.size, objects.count, objects.osts());
    if name.starts_with("pool") {
        plain(RAID0, size, count, &osts, Some("flash"))
    } else if name.starts_with("pfl") {
        progressive(length, objects)
    } else if name.starts_with("foreign") {
        foreign()
    } else if name.starts_with("unknown") {
        vec![0xd0, 0x0b, 0xd9, 0x0b, 1, 2, 3, 4]
    } else {
        plain(RAID0, size, count, &osts, None)
    }
}

/// The first MiB with the metadata, the next three on one OST, the rest on four: each has objects once it has bytes.
fn progressive(length: u64, objects: &Objects) -> Vec<u8> {
    let mib = u64::from(MIB);
    let mut comps = vec![
        Comp::new(0, mib, INSTANTIATED, MDT, MIB, 0, &[]),
        Comp::new(mib, 4 * mib, 0, RAID0, MIB, 1, &[]),
        Comp::new(4 * mib, END_OF_FILE, 0, RAID0, MIB, 4, &[]),
    ];
    for comp in comps.iter_mut().skip(1).filter(|comp| comp.start < length) {
        comp.flags = INSTANTIATED;
        comp.osts = (0..u32::from(comp.count))
            .map(|n| objects.first + n)
            .collect();
    }
    composite(&comps)
}

fn foreign() -> Vec<u8> {
    let mut blob = FOREIGN.to_le_bytes().to_vec();
    blob.extend([4, 0, 0, 0, 0xfe, 0xca, 0, 0, 0, 0, 0, 0]);
    blob.extend(b"elsewhere");
    blob
}
