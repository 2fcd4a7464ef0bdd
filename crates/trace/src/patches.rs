//! What `iota run` tells the tracer of functions that get their probe at their first instructions: a file of patches, which
//! `IOTA_PATCHES` names.
//!
//! It decodes the instructions before the run, with all that takes; the tracer only compares bytes and copies. Numbers are
//! little-endian, and each patch begins with its length.

/// How the file begins.
pub const MAGIC: &[u8; 8] = b"iotapat1";
/// A displaced piece of code has at most so many bytes.
pub const MOST_CODE: usize = 96;
/// So many bytes stand before a patch's lists.
const HEAD: usize = 24;
const FIXUP: usize = 12;

/// A place in displaced code that depends on where it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixup {
    /// Where in the code it is.
    pub place: u8,
    /// How it is written.
    pub kind: u8,
    /// Where in the code the address is from which the distance counts.
    pub from: u8,
    /// The address in the object that is meant.
    pub target: u64,
}

/// 32 bits: the distance.
pub const DISTANCE: u8 = 0;
/// 64 bits: the address.
pub const ADDRESS: u8 = 1;
/// The lower 26 bits of an instruction of aarch64: the distance in words.
pub const WORDS: u8 = 2;

/// One function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch<'a> {
    /// Of the object that it is in (the hash of its program headers and its notes).
    pub object: u64,
    /// Where it begins, as the object counts.
    pub entry: u64,
    /// So many bytes behind that the jump is written.
    pub at: u8,
    /// The bytes that the function begins with.
    pub original: &'a [u8],
    /// What does in another place what the jump overwrites, and goes on behind it.
    pub code: &'a [u8],
    fixups: &'a [u8],
    /// The name under which calls are recorded.
    pub name: &'a [u8],
}

impl<'a> Patch<'a> {
    /// The places in `code` that depend on where it is.
    pub fn fixups(&self) -> impl Iterator<Item = Fixup> + use<'a> {
        let (all, _) = self.fixups.as_chunks::<FIXUP>();
        all.iter()
            .map(|&[place, kind, from, _, target @ ..]| Fixup {
                place,
                kind,
                from,
                target: u64::from_le_bytes(target),
            })
    }

    fn of(bytes: &'a [u8]) -> Option<Patch<'a>> {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let [_, _, at, original, code, fixups, _, _, numbers @ ..] = head;
        let (object, entry) = numbers.split_first_chunk::<8>()?;
        let (original, rest) = rest.split_at_checked(usize::from(*original))?;
        let (code, rest) = rest.split_at_checked(usize::from(*code))?;
        let (fixups, name) = rest.split_at_checked(FIXUP.wrapping_mul(usize::from(*fixups)))?;
        Some(Patch {
            object: u64::from_le_bytes(*object),
            entry: u64::from_le_bytes(*entry.first_chunk()?),
            at: *at,
            original,
            code,
            fixups,
            name,
        })
    }
}

/// The patches of a file; none if it is something else, and none behind one that is not whole.
pub fn each(file: &[u8]) -> impl Iterator<Item = Patch<'_>> + Clone {
    let mut rest = file.strip_prefix(MAGIC).unwrap_or_default();
    core::iter::from_fn(move || {
        let length = u16::from_le_bytes(*rest.first_chunk()?);
        let (bytes, others) = rest.split_at_checked(usize::from(length))?;
        rest = others;
        Patch::of(bytes)
    })
}

/// A patch with what belongs to it, to be written.
#[cfg(feature = "std")]
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Owned {
    /// As [`Patch`].
    pub object: u64,
    /// As [`Patch`].
    pub entry: u64,
    /// As [`Patch`].
    pub at: u8,
    /// As [`Patch`].
    pub original: Vec<u8>,
    /// As [`Patch`].
    pub code: Vec<u8>,
    /// As [`Patch`].
    pub fixups: Vec<Fixup>,
    /// As [`Patch`].
    pub name: Vec<u8>,
}

/// A file of patches. One whose name is too long is left out.
#[cfg(feature = "std")]
pub fn file(patches: &[Owned]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    for patch in patches {
        let length = HEAD + patch.original.len() + patch.code.len() + patch.name.len();
        let Ok(length) = u16::try_from(length + FIXUP * patch.fixups.len()) else {
            continue;
        };
        file.extend(length.to_le_bytes());
        let counts = [patch.original.len(), patch.code.len(), patch.fixups.len()];
        file.push(patch.at);
        file.extend(counts.map(|count| count as u8));
        file.extend([0; 2]);
        file.extend(patch.object.to_le_bytes());
        file.extend(patch.entry.to_le_bytes());
        file.extend(&patch.original);
        file.extend(&patch.code);
        for fixup in &patch.fixups {
            file.extend([fixup.place, fixup.kind, fixup.from, 0]);
            file.extend(fixup.target.to_le_bytes());
        }
        file.extend(&patch.name);
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_read_as_they_were_written() {
        let fixup = Fixup {
            place: 3,
            kind: ADDRESS,
            from: 7,
            target: 1 << 40,
        };
        let patch = Owned {
            object: 5,
            entry: 0x1180,
            at: 4,
            original: vec![1, 2, 3],
            code: vec![4; MOST_CODE],
            fixups: vec![fixup; 2],
            name: b"save".to_vec(),
        };
        let file = file(&[patch.clone(), Owned::default(), patch]);
        let all: Vec<_> = each(&file).collect();
        assert_eq!(all.len(), 3);
        assert_eq!((all[2].object, all[2].entry, all[2].at), (5, 0x1180, 4));
        assert_eq!(all[2].original, [1, 2, 3]);
        assert_eq!(all[2].code, [4; MOST_CODE]);
        assert_eq!(all[2].name, b"save");
        assert_eq!(all[2].fixups().collect::<Vec<_>>(), [fixup; 2]);
        for end in 0..file.len() {
            assert!(each(&file[..end]).count() < 3);
        }
        assert_eq!(each(b"something else").count(), 0);
    }
}
