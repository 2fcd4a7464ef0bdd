//! The MPI of this process: which family it is of, and its `PMPI_` functions, each looked up when it is first called.

use crate::abi::{Constant, ConstantValue, Family, Word};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};

unsafe extern "C" {
    /// The address of a function or variable of the MPI; null: it has none of this name (c-shim/mpi in the archive,
    /// src/shared in the shared object).
    fn iota_mpi_find(name: *const c_char) -> *mut c_void;
    /// How many MPI libraries there are in this process.
    fn iota_mpi_libraries() -> c_int;
}

fn find(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with NUL.
    unsafe { iota_mpi_find(name.as_ptr()) }
}

/// What a function answers that this MPI does not have; no MPI has an error of this number.
pub const ABSENT: c_int = -1;

/// One function for each row, called as MPI calls it. c-shim/mpi/needs.h lists them as well.
macro_rules! functions {
    ($($name:ident($($arg:ident: $ty:ty),*);)*) => {
        $(
            /// The function of this name.
            ///
            /// # Safety
            /// MPI works, and the arguments are as the standard wants them.
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the standard's")]
            pub unsafe fn $name($($arg: $ty),*) -> c_int {
                static FOUND: AtomicPtr<c_void> = AtomicPtr::new(core::ptr::null_mut());
                let mut found = FOUND.load(Relaxed);
                if found.is_null() {
                    found = find(name_of(concat!(stringify!($name), "\0")));
                    FOUND.store(found, Relaxed);
                }
                if found.is_null() {
                    return ABSENT;
                }
                // SAFETY: the function of this name, which the standard gives these arguments; handles are words (abi.rs).
                unsafe {
                    let call: unsafe extern "C" fn($($ty),*) -> c_int = core::mem::transmute(found);
                    call($($arg),*)
                }
            }
        )*
    };
}

fn name_of(text: &'static str) -> &'static CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).unwrap_or_default()
}

/// What MPI calls as an attribute is copied.
pub type Copying =
    unsafe extern "C" fn(Word, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int;
/// What MPI calls as an attribute is deleted.
pub type Deleting = unsafe extern "C" fn(Word, c_int, *mut c_void, *mut c_void) -> c_int;

functions! {
    PMPI_Get_library_version(text: *mut c_char, length: *mut c_int);
    PMPI_Abi_get_version(major: *mut c_int, minor: *mut c_int);
    PMPI_Comm_rank(comm: Word, rank: *mut c_int);
    PMPI_Comm_size(comm: Word, size: *mut c_int);
    PMPI_Comm_remote_size(comm: Word, size: *mut c_int);
    PMPI_Comm_create(comm: Word, group: Word, new: *mut Word);
    PMPI_Comm_create_group(comm: Word, group: Word, tag: c_int, new: *mut Word);
    PMPI_Comm_free(comm: *mut Word);
    PMPI_Comm_get_errhandler(comm: Word, handler: *mut Word);
    PMPI_Comm_set_errhandler(comm: Word, handler: Word);
    PMPI_Errhandler_free(handler: *mut Word);
    PMPI_Comm_create_keyval(copy: Copying, delete: Deleting, key: *mut c_int, extra: *mut c_void);
    PMPI_Comm_set_attr(comm: Word, key: c_int, value: *mut c_void);
    PMPI_Comm_free_keyval(key: *mut c_int);
    PMPI_Send(from: *const c_void, count: c_int, kind: Word, to: c_int, tag: c_int, comm: Word);
    PMPI_Recv(to: *mut c_void, count: c_int, kind: Word, from: c_int, tag: c_int, comm: Word, status: Word);
    PMPI_Irecv(to: *mut c_void, count: c_int, kind: Word, from: c_int, tag: c_int, comm: Word, request: *mut Word);
    PMPI_Iprobe(from: c_int, tag: c_int, comm: Word, found: *mut c_int, status: Word);
    PMPI_Ibcast(at: *mut c_void, count: c_int, kind: Word, root: c_int, comm: Word, request: *mut Word);
    PMPI_Igather(from: *const c_void, count: c_int, kind: Word, to: *mut c_void, each: c_int, as_kind: Word, root: c_int, comm: Word, request: *mut Word);
    PMPI_Iexscan(from: *const c_void, to: *mut c_void, count: c_int, kind: Word, op: Word, comm: Word, request: *mut Word);
    PMPI_Iallreduce(from: *const c_void, to: *mut c_void, count: c_int, kind: Word, op: Word, comm: Word, request: *mut Word);
    PMPI_Iallgather(from: *const c_void, count: c_int, kind: Word, to: *mut c_void, each: c_int, as_kind: Word, comm: Word, request: *mut Word);
    PMPI_Ibarrier(comm: Word, request: *mut Word);
    PMPI_Test(request: *mut Word, done: *mut c_int, status: Word);
    PMPI_Group_from_session_pset(session: Word, set: *const c_char, group: *mut Word);
    PMPI_Comm_create_from_group(group: Word, tag: *const c_char, info: Word, handler: Word, new: *mut Word);
    PMPI_Group_incl(group: Word, count: c_int, ranks: *const c_int, new: *mut Word);
    PMPI_Group_rank(group: Word, rank: *mut c_int);
    PMPI_Group_size(group: Word, size: *mut c_int);
    PMPI_Group_free(group: *mut Word);
    PMPI_Comm_group(comm: Word, group: *mut Word);
    PMPI_Group_translate_ranks(group: Word, count: c_int, ranks: *const c_int, other: Word, others: *mut c_int);
    PMPI_Error_class(code: c_int, class: *mut c_int);
    PMPI_Type_size_x(kind: Word, size: *mut i64);
    PMPI_Type_get_envelope(kind: Word, integers: *mut c_int, addresses: *mut c_int, types: *mut c_int, combiner: *mut c_int);
    PMPI_Type_get_extent_x(kind: Word, lower: *mut i64, extent: *mut i64);
    PMPI_Type_get_true_extent_x(kind: Word, lower: *mut i64, extent: *mut i64);
    PMPI_Get_elements_x(status: Word, kind: Word, count: *mut i64);
    PMPI_File_get_position(file: Word, position: *mut i64);
    PMPI_File_get_byte_offset(file: Word, position: i64, offset: *mut i64);
    PMPI_File_get_info(file: Word, info: *mut Word);
    PMPI_Info_get_nkeys(info: Word, count: *mut c_int);
    PMPI_Info_get_nthkey(info: Word, number: c_int, key: *mut c_char);
    PMPI_Info_get(info: Word, key: *const c_char, room: c_int, value: *mut c_char, found: *mut c_int);
    PMPI_Info_free(info: *mut Word);
}

/// The constants of this process' MPI.
static VALUES: [AtomicUsize; Constant::ALL.len()] =
    [const { AtomicUsize::new(0) }; Constant::ALL.len()];

/// What a constant is here; only after [`meet`].
pub fn constant(which: Constant) -> Word {
    VALUES
        .get(which as usize)
        .map_or(0, |value| value.load(Relaxed))
}

/// A handle that MPI has written; only after [`meet`].
///
/// # Safety
/// MPI has written one there.
pub unsafe fn read_handle(at: *const c_void) -> Word {
    if known_family().is_some_and(|family| family.handle_bytes() == size_of::<Word>()) {
        // SAFETY: a handle of this size.
        unsafe { *at.cast() }
    } else {
        // SAFETY: likewise.
        unsafe { *at.cast::<u32>() as Word }
    }
}

/// The place of this process' family in [`Family::ALL`], and 1 more; 0: not known yet.
static FAMILY: AtomicUsize = AtomicUsize::new(0);

/// This process' family, once it is known.
pub fn known_family() -> Option<Family> {
    let number = FAMILY.load(Acquire);
    Family::ALL.get(number.wrapping_sub(1)).copied()
}

/// Why no use can be made of this process' MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnsupportedMpi {
    /// There are several.
    Several,
    /// It is of no known family, or says of itself what cannot be.
    Unknown,
}

/// Learns which MPI this process has. Nothing else is asked of MPI before.
pub fn meet() -> Result<(), UnsupportedMpi> {
    // SAFETY: asks only.
    if unsafe { iota_mpi_libraries() } > 1 {
        return Err(UnsupportedMpi::Several);
    }
    let family = family().ok_or(UnsupportedMpi::Unknown)?;
    for (constant, place) in Constant::ALL.iter().zip(&VALUES) {
        let value = match constant.row().value(family) {
            ConstantValue::Is(number) => number as Word,
            ConstantValue::At(name) => Some(find(name).addr())
                .filter(|&at| at != 0)
                .ok_or(UnsupportedMpi::Unknown)?,
        };
        place.store(value, Relaxed);
    }
    let number = Family::ALL.iter().position(|one| *one == family);
    FAMILY.store(number.map_or(0, |number| number.wrapping_add(1)), Release);
    Ok(())
}

/// A variable that MPIs of MPICH's own ABI have for Fortran, and none of the standard ABI.
const MARK_OF_MPICH: &CStr = c"MPIR_F08_MPI_STATUS_IGNORE_OBJ";
const MARK_OF_OPEN_MPI: &CStr = c"ompi_mpi_comm_world";
/// What MPIs of MPICH's family call themselves.
const MPICHS: [&[u8]; 4] = [b"MPICH", b"MVAPICH", b"Intel(R) MPI", b"ParaStation"];

/// By the version of the standard ABI, which other MPIs do not have or give as -1; then by what each has of its own.
fn family() -> Option<Family> {
    match abi_version() {
        Some(1) => find(MARK_OF_MPICH).is_null().then_some(Family::Standard),
        Some(_) => None,
        None if !find(MARK_OF_OPEN_MPI).is_null() => Some(Family::OpenMpi),
        None => calls_itself_mpich().then_some(Family::Mpich),
    }
}

fn abi_version() -> Option<c_int> {
    let (mut major, mut minor) = (-1, -1);
    // SAFETY: may be called at any time.
    let failed = unsafe { PMPI_Abi_get_version(&mut major, &mut minor) } != 0;
    (!failed && major != -1).then_some(major)
}

/// Bytes that the standard ABI reserves for the text; of the families no other MPI has more.
const LONGEST_TEXT: usize = 8192;

fn calls_itself_mpich() -> bool {
    let (mut text, mut length) = ([0u8; LONGEST_TEXT], 0);
    // SAFETY: may be called at any time, and has room for what it writes.
    if unsafe { PMPI_Get_library_version(text.as_mut_ptr().cast(), &mut length) } != 0 {
        return false;
    }
    let text = text.get(..length as usize).unwrap_or_default();
    MPICHS.iter().any(|name| {
        let mut places = text.windows(name.len());
        places.any(|place| place == *name)
    })
}
