//! The slots of the functions that the user named, in the program and its libraries: each is given the address of a stub.
//!
//! A slot is used only as the dynamic linker has filled it (`iota run` sets LD_BIND_NOW), so that versions and resolvers of
//! IFUNCs were asked as always. Data has no stub: what a slot holds lies in code.

use super::stack;
use crate::real::is_ours;
use crate::real::objects::{self, Loaded, Place};
use crate::state::{log, phase, settings};
use crate::sys;
use crate::tables::probed;
use core::ffi::CStr;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering::*};
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
}

/// Gives the functions that the user named their stubs.
pub fn start(stubs: Stubs) {
    if settings::get().probe.is_empty() || !phase::is_active() {
        return;
    }
    if !probed::start() {
        return log::line(&[b"no memory for probes"]);
    }
    stack::start();
    let mut walk = Walk::new(stubs);
    objects::for_each_loaded(|loaded| {
        walk.object(loaded);
        false
    });
    walk.tell();
}

/// What is remembered from one object to the next.
struct Walk {
    stubs: Stubs,
    /// The code that a slot led to last.
    code: Range<usize>,
    /// Where the dynamic linker is.
    linker: usize,
    filled: i64,
    /// Slots that the dynamic linker has not filled, or that could not be written to.
    left: i64,
}

impl Walk {
    fn new(stubs: Stubs) -> Walk {
        Walk {
            stubs,
            code: 0..0,
            // SAFETY: only asks.
            linker: unsafe { libc::getauxval(libc::AT_BASE) } as usize,
            filled: 0,
            left: 0,
        }
    }

    fn object(&mut self, loaded: &Loaded) {
        let object = &loaded.object;
        if object.base == self.linker || is_ours(ptr::without_provenance(object.symbols)) {
            return;
        }
        let mut gate = Gate::new(loaded);
        object.for_each_place(|place| {
            // SAFETY: the object's own number of the name.
            let name = unsafe { object.name(place.symbol.st_name as usize) };
            if is_address(place) && is_wanted(name.to_bytes()) {
                self.slot(loaded, place, name, &mut gate);
            }
        });
    }

    fn slot(&mut self, loaded: &Loaded, place: &Place, name: &CStr, gate: &mut Gate) {
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
        } else {
            self.left = self.left.wrapping_add(1);
        }
    }

    /// The address of the stub for what a slot holds; None: it keeps that.
    fn stub(&mut self, loaded: &Loaded, place: &Place, name: &CStr, held: usize) -> Option<usize> {
        if held == 0 || self.is_stub(held) || !self.is_code(held) {
            return None;
        }
        let is_own = loaded.segment(held, PF_X).is_some();
        if is_own && place.symbol.st_shndx == 0 {
            // Not filled; or it leads to the object's own jump to the function, whose slot is another one.
            self.left = self.left.wrapping_add(1);
            return None;
        }
        if leads_to_slot(name, held) || is_ours(ptr::without_provenance(held)) {
            return None;
        }
        let before = probed::count();
        let number = probed::enter(name.to_bytes(), held)?;
        if probed::count() != before {
            tell(name, held);
        }
        let offset = usize::from(number).wrapping_mul(self.stubs.size);
        Some(self.stubs.start.wrapping_add(offset))
    }

    fn is_stub(&self, address: usize) -> bool {
        let all = self.stubs.size.wrapping_mul(iota_calls::MOST_PROBES);
        address.wrapping_sub(self.stubs.start) < all
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
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: it fills `info`, for which zero is valid too.
    let library = unsafe {
        libc::dladdr(ptr::without_provenance(real), info.as_mut_ptr());
        info.assume_init().dli_fname
    };
    let library = match library.is_null() {
        true => c"?",
        // SAFETY: the dynamic linker's, as long as the library is loaded.
        false => unsafe { CStr::from_ptr(library) },
    };
    log::line(&[b"probe: ", name.to_bytes(), b" of ", library.to_bytes()]);
}

/// Whether the function is one that the user named and that can have a probe.
fn is_wanted(name: &[u8]) -> bool {
    glob::any(settings::get().probe.bytes(), name) && iota_calls::refused(name).is_none()
}

/// Whether the place has the address of a function, and nothing added to it.
fn is_address(place: &Place) -> bool {
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
}

impl Gate {
    fn new(loaded: &Loaded) -> Gate {
        // SAFETY: only asks.
        let page = unsafe { libc::getauxval(libc::AT_PAGESZ) } as usize;
        let down = |address: usize| address & page.wrapping_neg();
        let bytes = loaded.protected().unwrap_or(0..0);
        Gate {
            pages: down(bytes.start)..down(bytes.end),
            is_open: false,
        }
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
