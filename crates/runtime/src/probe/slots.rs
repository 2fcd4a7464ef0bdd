//! The slots of the functions that the user named, in the program and its libraries: each is given the address of a stub.
//!
//! A slot is used only as the dynamic linker has filled it (`iota run` sets LD_BIND_NOW), so that versions and resolvers of
//! IFUNCs were asked as always. Data has no stub: what a slot holds lies in code.

use super::{around, island, linker, patches, seen};
use crate::real::objects::{self, Loaded, Relocated};
use crate::state::{log, phase, settings};
use crate::sys;
use crate::tables::probed;
use core::ffi::CStr;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use iota_trace::glob;

// <elf.h>
const PF_X: u32 = 1;
const PF_W: u32 = 2;
/// `STO_AARCH64_VARIANT_PCS`: arguments of the function may be in registers that no trampoline keeps.
const VARIANT: u8 = 0x80;

/// The stubs, one behind the other.
#[derive(Clone, Copy)]
pub struct Stubs {
    /// Where the first one is.
    pub start: usize,
    /// From one to the next.
    pub size: usize,
    /// Where calls of the dynamic linker's functions go, see [`linker`].
    pub asking: usize,
    /// Where functions lead whose first instructions are patched.
    pub inner: usize,
}

impl Stubs {
    /// Those of this process; none before [`start`].
    fn known() -> Stubs {
        let [start, size, asking] =
            [0, 1, 2].map(|n: usize| STUBS.get(n).map_or(0, |value| value.load(Relaxed)));
        Stubs {
            start,
            size,
            asking,
            inner: 0,
        }
    }

    fn hold(&self, address: usize) -> bool {
        let all = self.size.wrapping_mul(iota_calls::MOST_PROBES);
        let asking = self.size.wrapping_mul(linker::COUNT);
        address.wrapping_sub(self.start) < all || address.wrapping_sub(self.asking) < asking
    }
}

/// Whether an address is that of a stub.
pub fn is_stub(address: usize) -> bool {
    Stubs::known().hold(address)
}

/// Gives the functions that the user named their stubs.
pub fn start(stubs: Stubs) {
    if settings::get().probe.is_empty() || !phase::is_active() {
        return;
    }
    if !probed::start() {
        return log::line(&[b"no memory for probes"]);
    }
    around::look();
    for (place, value) in STUBS.iter().zip([stubs.start, stubs.size, stubs.asking]) {
        place.store(value, Relaxed);
    }
    patches::start(stubs.inner);
    Walk::all().tell();
}

/// The same in objects that were loaded since.
pub fn look_again() {
    let mut is_same = true;
    objects::for_each_loaded(|loaded| {
        is_same = loaded.changes() == changes();
        true
    });
    if !is_same {
        tell_more(Walk::all().filled);
    }
}

fn tell_more(filled: i64) {
    if filled > 0 {
        let filled = log::number(filled);
        log::line(&[b"probes: ", filled.bytes(), b" more slots"]);
    }
}

/// What a program is to be given for the address of a function that it asked for.
pub fn stub_of(name: &CStr, function: usize) -> usize {
    let found = objects::exclusively(|| Walk::new().stub_for(name, function));
    found.flatten().unwrap_or(function)
}

/// [`Stubs`].
static STUBS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
/// What [`Loaded::changes`] said last.
static CHANGES: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

fn changes() -> (u64, u64) {
    let [loaded, taken_away] = &CHANGES;
    (loaded.load(Relaxed), taken_away.load(Relaxed))
}

/// What is remembered from one object to the next.
struct Walk {
    stubs: Stubs,
    /// The first slot of the object that has a stub.
    first: usize,
    /// The code that a slot led to last.
    code: Range<usize>,
    /// Where the dynamic linker is, and where the tracer is. While it holds its list, `dladdr` must not be asked: another
    /// thread may hold what that waits for, and wait for the list.
    linker: usize,
    ours: Range<usize>,
    filled: i64,
    /// Slots that the dynamic linker has not filled, or that could not be written to.
    left: i64,
}

impl Walk {
    /// Looks at all objects that were not looked at before.
    fn all() -> Walk {
        let (mut walk, mut is_first) = (Walk::new(), true);
        objects::for_each_loaded(|loaded| {
            if core::mem::take(&mut is_first) {
                let (count, taken_away) = loaded.changes();
                CHANGES[0].store(count, Relaxed);
                CHANGES[1].store(taken_away, Relaxed);
            }
            walk.object(loaded);
            false
        });
        walk
    }

    fn new() -> Walk {
        Walk {
            stubs: Stubs::known(),
            first: 0,
            code: 0..0,
            linker: sys::auxiliary(libc::AT_BASE),
            ours: objects::around((&raw const STUBS).addr()),
            filled: 0,
            left: 0,
        }
    }

    fn object(&mut self, loaded: &Loaded) {
        let object = &loaded.object;
        if object.base == self.linker || self.ours.contains(&object.symbols) {
            return;
        }
        let key = seen::key(loaded);
        if seen::knows(key, |held| self.is_stub(held)) {
            return;
        }
        self.first = 0;
        let mut gate = Gate::new(loaded);
        object.for_each_place(|place| {
            // SAFETY: the object's own number of the name.
            let name = unsafe { object.name(place.symbol.st_name as usize) };
            let is_wanted = || linker::number(name).is_some() || is_wanted(name.to_bytes());
            if is_address(place) && is_wanted() && gate.is_complete() {
                self.slot(loaded, place, name, &mut gate);
            }
        });
        if gate.is_complete == Some(false) {
            // Another thread is loading it: it is looked at again before the next question.
            CHANGES[0].store(0, Relaxed);
        } else {
            seen::remember(key, self.first);
        }
    }

    fn slot(&mut self, loaded: &Loaded, place: &Relocated, name: &CStr, gate: &mut Gate) {
        if loaded.segment(place.address, PF_W).is_none() {
            self.left = self.left.wrapping_add(1);
            return;
        }
        // SAFETY: a word in the object's data, which the dynamic linker has filled.
        let slot = unsafe { AtomicUsize::from_ptr(place.address as *mut usize) };
        let held = slot.load(Relaxed);
        let Some(stub) = self.stub(loaded, place, name, held) else {
            return;
        };
        if gate.open(place.address) {
            slot.store(stub, Release);
            self.filled = self.filled.wrapping_add(1);
            if self.first == 0 {
                self.first = place.address;
            }
        } else {
            self.left = self.left.wrapping_add(1);
        }
    }

    /// The address of the stub for what a slot holds; None: it keeps that.
    fn stub(
        &mut self,
        loaded: &Loaded,
        place: &Relocated,
        name: &CStr,
        held: usize,
    ) -> Option<usize> {
        if held == 0 || self.is_stub(held) {
            return None;
        }
        let is_own = loaded.segment(held, PF_X).is_some();
        if is_own && place.symbol.st_shndx == 0 {
            // Not filled; or it leads to the object's own jump to the function, whose slot is another one.
            self.left = self.left.wrapping_add(1);
            return None;
        }
        if leads_to_slot(name, held) {
            return None;
        }
        match linker::number(name) {
            Some(number) => self.asking(number, held),
            None => self.stub_for(name, held),
        }
    }

    /// The entry for a function of the dynamic linker.
    fn asking(&mut self, number: usize, held: usize) -> Option<usize> {
        let offset = number.wrapping_mul(self.stubs.size);
        let is_it = self.is_code(held) && linker::is_real(number, held);
        is_it.then(|| self.stubs.asking.wrapping_add(offset))
    }

    /// The stub for a function; None: there is none.
    fn stub_for(&mut self, name: &CStr, function: usize) -> Option<usize> {
        let is_theirs = !self.is_stub(function) && !self.ours.contains(&function);
        if !is_theirs || !self.is_code(function) || island::is_patched(function) {
            return None;
        }
        let before = probed::count();
        let number = probed::enter(name.to_bytes(), function)?;
        if probed::count() != before {
            tell(name, function);
        }
        let offset = usize::from(number).wrapping_mul(self.stubs.size);
        Some(self.stubs.start.wrapping_add(offset))
    }

    fn is_stub(&self, address: usize) -> bool {
        self.stubs.hold(address)
    }

    fn is_code(&mut self, address: usize) -> bool {
        if !self.code.contains(&address) {
            let code = &mut self.code;
            objects::for_each_loaded(|loaded| {
                let found = loaded.segment(address, PF_X);
                found.map(|found| *code = found).is_some()
            });
        }
        self.code.contains(&address)
    }

    fn tell(&self) {
        let functions = log::number(probed::count() as i64);
        let (filled, left) = (log::number(self.filled), log::number(self.left));
        log::line(&[
            b"probes: ",
            functions.bytes(),
            b" functions, called by way of ",
            filled.bytes(),
            b" slots; ",
            left.bytes(),
            b" slots left alone",
        ]);
        if probed::count() == iota_calls::MOST_PROBES {
            log::line(&[b"probes: there is no room for more functions"]);
        }
    }
}

fn tell(name: &CStr, real: usize) {
    objects::for_each_loaded(|loaded| {
        let is_it = loaded.range_of_all().contains(&real);
        if is_it {
            let library: &[u8] = match loaded.name().to_bytes() {
                b"" => b"the program",
                library => library,
            };
            log::line(&[b"probe: ", name.to_bytes(), b" of ", library]);
        }
        is_it
    });
}

/// Whether the function is one that the user named and that can have a probe.
pub fn is_wanted(name: &[u8]) -> bool {
    glob::any(settings::get().probe.bytes(), name) && iota_calls::refused(name).is_none()
}

/// Whether the place has the address of a function, and nothing added to it.
fn is_address(place: &Relocated) -> bool {
    #[cfg(target_arch = "x86_64")]
    const KINDS: [u32; 3] = [1, 6, 7];
    #[cfg(target_arch = "aarch64")]
    const KINDS: [u32; 3] = [257, 1025, 1026];
    let kind = place.symbol.st_info & 15;
    KINDS.contains(&place.kind)
        && place.addend == 0
        && matches!(kind, STT_NOTYPE | STT_FUNC | STT_GNU_IFUNC)
        && !(cfg!(target_arch = "aarch64") && place.symbol.st_other & VARIANT != 0)
}

const STT_NOTYPE: u8 = 0;
const STT_FUNC: u8 = 2;
const STT_GNU_IFUNC: u8 = 10;

/// Whether an address is what a program that is not position-independent takes for that of a library's function: a jump of its
/// own, by way of a slot that has a stub.
fn leads_to_slot(name: &CStr, held: usize) -> bool {
    let mut leads = false;
    objects::for_each_loaded(|program| {
        if program.segment(held, PF_X).is_some() {
            program.object.for_each_place(|place| {
                let symbol = place.symbol;
                let jump = program.object.base.wrapping_add(symbol.st_value as usize);
                // SAFETY: the object's own number of the name.
                leads |= symbol.st_shndx == 0
                    && symbol.st_value != 0
                    && jump == held
                    && unsafe { program.object.name(symbol.st_name as usize) } == name;
            });
        }
        // The program is the first of all.
        true
    });
    leads
}

/// What the dynamic linker has protected of an object, while slots in it are written.
struct Gate {
    pages: Range<usize>,
    is_open: bool,
    /// Whether the dynamic linker has protected them, if that is known.
    is_complete: Option<bool>,
}

impl Gate {
    fn new(loaded: &Loaded) -> Gate {
        let page = sys::auxiliary(libc::AT_PAGESZ);
        let down = |address: usize| address & page.wrapping_neg();
        let bytes = loaded.protected().unwrap_or(0..0);
        Gate {
            pages: down(bytes.start)..down(bytes.end),
            is_open: false,
            is_complete: None,
        }
    }

    /// Whether the dynamic linker has filled all slots: it protects them afterwards.
    fn is_complete(&mut self) -> bool {
        let pages = &self.pages;
        let look = || pages.is_empty() || !sys::is_writable(pages.start);
        *self.is_complete.get_or_insert_with(look)
    }

    /// True when the address can be written to.
    fn open(&mut self, address: usize) -> bool {
        if self.is_open || !self.pages.contains(&address) {
            return true;
        }
        // SAFETY: data of the object, protected only after it was filled.
        self.is_open = unsafe { sys::protect(self.pages.clone(), true) }.is_ok();
        self.is_open
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if self.is_open {
            // SAFETY: as it was.
            let _ = unsafe { sys::protect(self.pages.clone(), false) };
        }
    }
}
