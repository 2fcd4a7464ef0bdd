//! How hooks get at the functions that the host meant, in Rust. A hook asks `iota_find` for the function when it first calls
//! it. In the archive that is a table in C, which the link editor fills; in the shared object `iota_shared_find` here, which
//! looks for the name.
//!
//! Every program that starts pays for this, so nothing here holds an address that would have to be relocated: the names lie
//! one behind the other, and what stands for a function is its number.

use crate::Libc;
use iota_calls::{Call, Op};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The names of all rows, their hashes and versions, and the words that say where wrapped calls go
pub fn names(rows: &[(Op, &'static Call)], libc: &Libc) -> String {
    let (mut text, mut starts) = (String::new(), String::new());
    let (mut hashes, mut wrapped) = (String::new(), String::new());
    let (mut versions, mut hidden) = (String::new(), vec![]);
    let mut known = BTreeMap::new();
    for (i, (_, call)) in rows.iter().enumerate() {
        let (version, is_hidden) =
            (libc.version(call.name)).unwrap_or((call.since().unwrap_or(""), false));
        if is_hidden {
            hidden.push(i.to_string());
        }
        let version = *known
            .entry(version)
            .or_insert_with(|| add(&mut text, version));
        let _ = write!(versions, "{version}, ");
        let _ = write!(starts, "{}, ", add(&mut text, call.name));
        let _ = write!(hashes, "{}, ", gnu_hash(call.name));
        let _ = write!(wrapped, "{}, ", gnu_hash(&format!("__wrap_{}", call.name)));
    }
    let (count, length, text) = (rows.len(), text.len(), text.replace('\0', "\\0"));
    let hidden = match hidden.join(" | ") {
        none if none.is_empty() => "false".into(),
        some => format!("matches!(number, {some})"),
    };
    format!(
        "
    static TEXT: [u8; {length}] = *b\"{text}\";
    static STARTS: [u16; {count}] = [{starts}];
    static HASHES: [u32; {count}] = [{hashes}];
    /// Of the names with `__wrap_` before them
    pub static WRAPPED_HASHES: [u32; {count}] = [{wrapped}];
    static VERSIONS: [u16; {count}] = [{versions}];
    pub const COUNT: usize = {count};
    const _: () = assert!(COUNT <= iota_runtime::real::wrapped::NameSet::MOST);
    static FOUND: [AtomicPtr<c_void>; COUNT] = [const {{ AtomicPtr::new(ptr::null_mut()) }}; COUNT];

    /// Whether programs that are linked today do not find it: dlsym does not either
    fn is_hidden(number: u16) -> bool {{
        {hidden}
    }}

    unsafe extern \"C\" {{
        #[link_name = \"iota_meant\"]
        static MEANT: [AtomicPtr<c_void>; COUNT];
    }}
"
    )
}

/// Where `one` begins in the text, to which it is added
fn add(text: &mut String, one: &str) -> usize {
    let start = text.len();
    *text += one;
    text.push('\0');
    start
}

/// The hash by which a dynamic linker looks for a name
fn gnu_hash(name: &str) -> u32 {
    let step = |hash: u32, byte: u8| hash.wrapping_mul(33).wrapping_add(byte.into());
    name.bytes().fold(5381, step)
}

/// The text before what [`names`] renders
pub const RESOLVED: &str = r#"
/// Sees to it that every function can be found later, when the dynamic linker may be locked by a thread that a fork left
/// behind, or interrupted by the signal whose handler calls one: at best by remembering where the libraries' tables
/// are, else by asking for all of them now. A wrapped call that means another function than the C library's, the program's
/// own or that of a library preloaded before us, goes there; one that another tracer wrapped goes to it
#[unsafe(export_name = "iota_find_all")]
extern "C" fn find_all() {
    // What this C library does not have is no error of the program's
    let errno = iota_runtime::sys::errno();
    let can_wait = iota_runtime::real::scope::remember();
    let all = || (0..real::COUNT as u16).map(real::Symbol);
    if !can_wait {
        all().for_each(|symbol| _ = symbol.get());
    }
    if iota_runtime::real::wrapped::are_called() {
        for symbol in all() {
            if iota_runtime::real::scope::may_be_before(symbol.hash()) {
                iota_runtime::real::prefer(symbol.name(), symbol.meant());
            }
        }
        iota_runtime::real::wrapped::leave_to_others(&real::WRAPPED_HASHES, |number| {
            let symbol = real::Symbol(number as u16);
            (symbol.name(), symbol.meant())
        });
    }
    iota_runtime::sys::set_errno(errno);
}

#[allow(dead_code, non_snake_case, non_upper_case_globals)]
mod real {
    use super::types::*;
    use core::ffi::CStr;
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};

    static NOWHERE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

    unsafe extern "C" {
        /// The function of this number; null: there is none, and errno is ENOSYS
        safe fn iota_find(number: u16) -> *mut c_void;
    }

    /// A function of the C library, by its number; found once
    #[derive(Clone, Copy)]
    pub struct Symbol(pub u16);

    impl Symbol {
        #[inline(always)]
        fn found(self) -> &'static AtomicPtr<c_void> {
            FOUND.get(usize::from(self.0)).unwrap_or(&NOWHERE)
        }

        /// Where wrapped calls of it go; null: to ours
        pub fn meant(self) -> &'static AtomicPtr<c_void> {
            // SAFETY: of as many words as there are names (the stubs)
            unsafe { &MEANT }.get(usize::from(self.0)).unwrap_or(&NOWHERE)
        }

        pub fn hash(self) -> u32 {
            HASHES.get(usize::from(self.0)).copied().unwrap_or(0)
        }

        pub fn name(self) -> &'static CStr {
            self.text(&STARTS)
        }

        /// The version that it had here
        fn version(self) -> &'static CStr {
            self.text(&VERSIONS)
        }

        fn text(self, starts: &[u16]) -> &'static CStr {
            let start = starts.get(usize::from(self.0)).copied().unwrap_or(0);
            let rest = TEXT.get(usize::from(start)..).unwrap_or_default();
            CStr::from_bytes_until_nul(rest).unwrap_or_default()
        }

        #[inline(always)]
        pub fn get(self) -> *mut c_void {
            let found = self.found().load(Relaxed);
            if found.is_null() { self.find() } else { found }
        }

        /// A function never moves: threads that find it at once store the same address
        #[cold]
        #[inline(never)]
        fn find(self) -> *mut c_void {
            // Called while libraries are being put together, ours not yet: nothing can be asked for.
            if !iota_runtime::early::is_placed() {
                return ptr::null_mut();
            }
            let found = iota_find(self.0);
            self.found().store(found, Relaxed);
            found
        }

        /// Behind this library. What has become hidden since this was built, dlsym does not find: then it is asked for by
        /// the version that it had
        fn look_up(self) -> *mut c_void {
            let by_default = (!is_hidden(self.0)).then_some(None);
            let version = Some(self.version()).filter(|version| !version.is_empty());
            let ways = [by_default, version.map(Some)];
            let mut found = self.find_by(&ways, |name, version| {
                iota_runtime::real::scope::find(name, self.hash(), version)
            });
            if found.is_null() {
                found = self.find_by(&ways, iota_runtime::real::resolve);
            }
            found
        }

        fn find_by(
            self,
            ways: &[Option<Option<&CStr>>],
            find: impl Fn(&CStr, Option<&CStr>) -> *mut c_void,
        ) -> *mut c_void {
            let mut all = ways.iter().flatten().map(|version| find(self.name(), *version));
            all.find(|found| !found.is_null()).unwrap_or(ptr::null_mut())
        }
    }

    #[unsafe(export_name = "iota_shared_find")]
    extern "C" fn look_up(number: u16) -> *mut c_void {
        let errno = iota_runtime::sys::errno();
        let found = Symbol(number).look_up();
        if !found.is_null() {
            return found;
        }
        let before = stand_in(number);
        if !before.is_null() {
            iota_runtime::sys::set_errno(errno);
        }
        before
    }

    /// A function of a library that the program may have brought along
    pub struct Optional {
        found: AtomicPtr<c_void>,
        name: &'static CStr,
        version: &'static CStr,
    }

    impl Optional {
        const fn new(name: &'static CStr, version: &'static CStr) -> Optional {
            Optional { found: AtomicPtr::new(ptr::null_mut()), name, version }
        }

        #[inline(always)]
        pub fn get(&self) -> *mut c_void {
            let found = self.found.load(Relaxed);
            if found.is_null() { self.find() } else { found }
        }

        #[cold]
        #[inline(never)]
        fn find(&self) -> *mut c_void {
            if !iota_runtime::early::is_placed() {
                return ptr::null_mut();
            }
            let found = iota_runtime::real::resolve_optional(self.name, self.version);
            self.found.store(found, Relaxed);
            found
        }
    }
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hash_as_dynamic_linkers_hash_them() {
        assert_eq!(gnu_hash(""), 0x1505);
        assert_eq!(gnu_hash("printf"), 0x156b_2bb8);
        assert_eq!(gnu_hash("syscall"), 0xbac2_12a0);
    }
}
