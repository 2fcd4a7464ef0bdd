//! Memory near an object, for what stands in place of its functions' first instructions. It is never writable: the kernel
//! writes to it and to the program's code by way of /proc/self/mem, as a debugger does.

use crate::sys::{self, File};
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::*};
use iota_trace::patches::{ADDRESS, DISTANCE, Fixup, MOST_CODE, Patch, WORDS};

/// One function's room: the way to the trampoline, and the displaced code.
const ROOM: usize = 128;
const WAY: usize = 16;
const _: () = assert!(WAY + MOST_CODE <= ROOM);
/// Before all others: where the trampoline is.
const HEAD: usize = ROOM;
/// What a jump reaches.
const REACH: usize = match cfg!(target_arch = "x86_64") {
    true => (1 << 31) - (1 << 20),
    false => (1 << 27) - (1 << 16),
};
/// From one try to the next; no page is larger.
const STEP: usize = 64 << 10;
const MOST_ISLANDS: usize = 256;

/// Where the islands begin and end.
static ISLANDS: [[AtomicUsize; 2]; MOST_ISLANDS] =
    [const { [const { AtomicUsize::new(0) }; 2] }; MOST_ISLANDS];

/// Whether an address lies in one.
fn is_island(address: usize) -> bool {
    let places = ISLANDS.iter().map(|[start, end]| (start, end));
    let mut places = places.map(|(start, end)| (start.load(Acquire), end.load(Relaxed)));
    places.any(|(start, end)| start != 0 && (start..end).contains(&address))
}

/// Where much is in the way, most of it is one piece.
fn distances(length: usize) -> impl Iterator<Item = usize> {
    let next = |away: &usize| away.checked_add(STEP.max((away / 16) & STEP.wrapping_neg()));
    core::iter::successors(Some(length), next)
}

/// Room for some functions of an object.
pub struct Island {
    start: usize,
    used: usize,
    end: usize,
}

impl Island {
    /// Near an object. Below it there is nothing that grows; above it the heap may be.
    pub fn near(object: &Range<usize>, functions: usize) -> Option<Island> {
        let length = HEAD.wrapping_add(functions.wrapping_mul(ROOM));
        let length = length.checked_next_multiple_of(STEP)?;
        let top = object.start & STEP.wrapping_neg();
        let below = |away: usize| top.checked_sub(away);
        let last = object.start.checked_add(REACH)? & STEP.wrapping_neg();
        let above = |away: usize| last.checked_sub(away).filter(|start| *start >= object.end);
        let reached = |start: &usize| object.end.wrapping_sub(*start) < REACH;
        let mut starts = distances(length)
            .map_while(below)
            .take_while(reached)
            .chain(distances(length).map_while(above));
        let start = starts.find(|start| sys::map_code(*start, length).is_ok())?;
        Island::known(start, start.wrapping_add(length))
    }

    fn known(start: usize, end: usize) -> Option<Island> {
        let is_free = |place: &&[AtomicUsize; 2]| place[0].load(Relaxed) == 0;
        let [first, last] = ISLANDS.iter().find(is_free)?;
        last.store(end, Relaxed);
        first.store(start, Release);
        let used = start.wrapping_add(HEAD);
        Some(Island { start, used, end })
    }

    /// Where the displaced code of the next function is going to be.
    pub fn next_code(&self) -> usize {
        self.used.wrapping_add(WAY)
    }

    /// Notes where the trampoline is; false where the kernel does not write to code.
    pub fn begin(&self, code: &Code, trampoline: usize) -> bool {
        code.write(self.start, &trampoline.to_ne_bytes())
    }

    /// Makes room for a function with the probe of this number. Returns where calls are to go.
    pub fn add(&mut self, code: &Code, base: usize, patch: &Patch, number: u16) -> Option<usize> {
        let at = self.used;
        let mut bytes = [0u8; ROOM];
        let (way, displaced) = bytes.split_first_chunk_mut::<WAY>()?;
        *way = machine::way(number, self.start.wrapping_sub(at));
        let displaced = displaced.get_mut(..patch.code.len())?;
        displaced.copy_from_slice(patch.code);
        for fixup in patch.fixups() {
            fix(displaced, base, self.next_code(), fixup)?;
        }
        let fits = at.checked_add(ROOM)? <= self.end;
        let works = fits && code.write(at, &bytes);
        self.used = at.wrapping_add(ROOM);
        works.then_some(at)
    }
}

/// Writes what depends on the place into displaced code that is going to stand there.
fn fix(code: &mut [u8], base: usize, place: usize, fixup: Fixup) -> Option<()> {
    let target = base.wrapping_add(fixup.target as usize);
    let from = place.wrapping_add(usize::from(fixup.from));
    let distance = target.wrapping_sub(from) as isize;
    let field = code.get_mut(usize::from(fixup.place)..)?;
    match fixup.kind {
        ADDRESS => *field.first_chunk_mut()? = (target as u64).to_le_bytes(),
        DISTANCE => *field.first_chunk_mut()? = i32::try_from(distance).ok()?.to_le_bytes(),
        WORDS => {
            let field = field.first_chunk_mut()?;
            let word = u32::from_le_bytes(*field) | words(distance)?;
            *field = word.to_le_bytes();
        }
        _ => return None,
    }
    Some(())
}

/// The distance in the lower 26 bits of an instruction of aarch64.
fn words(distance: isize) -> Option<u32> {
    let fits = distance % 4 == 0 && (-(1 << 27)..1 << 27).contains(&distance);
    fits.then_some((distance >> 2) as u32 & 0x03ff_ffff)
}

/// The memory of this process, as the kernel writes to it.
pub struct Code(File);

impl Code {
    /// None where there is no /proc, or where it may not be written to.
    pub fn open() -> Option<Code> {
        File::open(c"/proc/self/mem", libc::O_RDWR).ok().map(Code)
    }

    fn write(&self, at: usize, bytes: &[u8]) -> bool {
        self.0.write_memory(at, bytes).is_ok()
    }

    /// Has the instructions at an address jump elsewhere.
    pub fn jump(&self, at: usize, to: usize) -> bool {
        let distance = to.wrapping_sub(at) as isize;
        machine::jump(distance).is_some_and(|jump| self.write(at, &jump))
    }
}

/// Whether a function's first instructions lead to an island.
pub fn is_patched(function: usize) -> bool {
    machine::target(function).is_some_and(is_island)
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::WAY;

    const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    const JUMP: u8 = 0xe9;

    /// `push $number; jmp *trampoline(%rip)`; the trampoline's address is `head` bytes from here.
    pub fn way(number: u16, head: usize) -> [u8; WAY] {
        let [low, high] = number.to_le_bytes();
        let [a, b, c, d] = (head.wrapping_sub(11) as u32).to_le_bytes();
        const STOP: u8 = 0xcc;
        [
            0x68, low, high, 0, 0, 0xff, 0x25, a, b, c, d, STOP, STOP, STOP, STOP, STOP,
        ]
    }

    /// A jump over this distance.
    pub fn jump(distance: isize) -> Option<[u8; 5]> {
        let distance = i32::try_from(distance.wrapping_sub(5)).ok()?;
        let [a, b, c, d] = distance.to_le_bytes();
        Some([JUMP, a, b, c, d])
    }

    /// Where a function jumps at once.
    pub fn target(function: usize) -> Option<usize> {
        // SAFETY: a function's code: each byte that is looked at says that there is another one.
        let byte = |n: usize| unsafe { *(function.wrapping_add(n) as *const u8) };
        let is_marked = ENDBR64.iter().enumerate().all(|(n, it)| byte(n) == *it);
        let at = if is_marked { ENDBR64.len() } else { 0 };
        if byte(at) != JUMP {
            return None;
        }
        let distance = [1, 2, 3, 4].map(|n: usize| byte(at.wrapping_add(n)));
        let distance = i32::from_le_bytes(distance) as isize as usize;
        let next = function.wrapping_add(at).wrapping_add(5);
        Some(next.wrapping_add(distance))
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use super::{WAY, words};

    const BTI_C: u32 = 0xd503_245f;
    const JUMP: u32 = 0x1400_0000;

    /// `mov w16, #number; ldr x17, trampoline; br x17`; the trampoline's address is `head` bytes from here.
    pub fn way(number: u16, head: usize) -> [u8; WAY] {
        let distance = (head.wrapping_sub(4) >> 2) & 0x7_ffff;
        let words = [
            0x5280_0010 | (u32::from(number) << 5),
            0x5800_0011 | ((distance as u32) << 5),
            0xd61f_0220,
            0xd503_201f,
        ];
        let mut bytes = [0; WAY];
        for (place, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// A jump over this distance.
    pub fn jump(distance: isize) -> Option<[u8; 4]> {
        words(distance).map(|words| (JUMP | words).to_le_bytes())
    }

    /// Where a function jumps at once.
    pub fn target(function: usize) -> Option<usize> {
        // SAFETY: code that begins there can be read.
        let word = |n: usize| unsafe { *(function.wrapping_add(n) as *const u32) };
        let at = if word(0) == BTI_C { 4 } else { 0 };
        let word = word(at);
        let distance = ((word << 6) as i32 >> 4) as isize as usize;
        let from = function.wrapping_add(at);
        (word & 0xfc00_0000 == JUMP).then_some(from.wrapping_add(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_depends_on_the_place_is_written_for_it() {
        let mut code = [0u8; 16];
        let fixup = |place, kind, from, target| Fixup {
            place,
            kind,
            from,
            target,
        };
        assert!(fix(&mut code, 0x1000, 0x9000, fixup(1, DISTANCE, 5, 0x20)).is_some());
        assert_eq!(code[1..5], (0x1020i32 - 0x9005).to_le_bytes());
        assert!(fix(&mut code, 0x1000, 0x9000, fixup(8, ADDRESS, 0, 0x20)).is_some());
        assert_eq!(code[8..], 0x1020u64.to_le_bytes());
        assert!(fix(&mut code, 0x1000, 0x9000, fixup(9, ADDRESS, 0, 0x20)).is_none());
        assert!(fix(&mut code, 0, 0x9000, fixup(1, DISTANCE, 5, 1 << 40)).is_none());
        assert_eq!(words(-4), Some(0x03ff_ffff));
        assert_eq!((words(6), words(1 << 27)), (None, None));
    }
}
