//! What the records of MPI-IO ask of MPI. All of it is local: no other rank is waited for, no file is touched. Of an MPI that
//! is not known nothing is asked.

use super::library::*;
use super::ranks::{with_world, worked};
use super::types;
use crate::abi::{Constant, Constant::*, ConstantValue, Family, StatusCount, Word};
use core::ffi::{CStr, c_char, c_int, c_void};
use iota_calls::mpi_errors as class_of;

pub use super::library::{constant, read_handle};

/// Bytes of a key, and of a value, of an info: no MPI has longer ones.
const KEY: usize = 257;
const VALUE: usize = 1025;

/// What it said, if it said anything.
fn asked<T>(start: T, ask: impl FnOnce(&mut T) -> c_int) -> Option<T> {
    known_family()?;
    let mut answer = start;
    worked(ask(&mut answer)).ok()?;
    Some(answer)
}

/// The class of an error, as traces have it: the number of the standard ABI; 0: another.
pub fn class(code: c_int) -> u16 {
    let class = |class: &mut c_int| {
        if code == ABSENT {
            return ABSENT;
        }
        // SAFETY: a code that MPI has returned.
        unsafe { PMPI_Error_class(code, class) }
    };
    let family = known_family();
    let class = asked(0, class).zip(family);
    class.map_or(0, |(class, family)| family.standard_error(class))
}

/// Whether an error is the file's, and no fault of the arguments.
pub fn is_of_file(code: c_int) -> bool {
    matches!(
        class(code),
        class_of::MPI_ERR_ACCESS..=class_of::MPI_ERR_FILE | class_of::MPI_ERR_IO..
    )
}

/// Whether the statuses say which of several calls failed.
pub fn is_in_status(code: c_int) -> bool {
    class(code) == class_of::MPI_ERR_IN_STATUS
}

/// `whence` as `lseek` has it; 3: not known.
pub fn whence(whence: c_int) -> u16 {
    let seeks = known_family().and_then(Family::seeks);
    let place = seeks.and_then(|seeks| seeks.iter().position(|seek| *seek == whence));
    place.map_or(3, |place| place as u16)
}

const MODES: [Constant; 9] = [
    ModeAppend,
    ModeCreate,
    ModeDeleteOnClose,
    ModeExcl,
    ModeRdonly,
    ModeRdwr,
    ModeSequential,
    ModeUniqueOpen,
    ModeWronly,
];

/// An `amode`, with the bits of the standard ABI.
pub fn standard_amode(amode: u32) -> u64 {
    let bit = |mode: &Constant| match mode.row().value(Family::Standard) {
        ConstantValue::Is(bit) if amode & constant(*mode) as u32 != 0 => bit as u64,
        _ => 0,
    };
    MODES.iter().map(bit).fold(0, |all, bit| all | bit)
}

/// Whether ROMIO alone makes the calls of MPI-IO in this MPI.
#[inline(always)]
pub fn is_romio() -> bool {
    known_family() == Some(Family::Mpich)
}

/// Bytes of a datatype; 0: not known.
#[inline(always)]
pub fn size(datatype: Word) -> i64 {
    known_family().map_or(0, |family| types::size(family.handle(datatype)))
}

/// Whether it is MPI_DATATYPE_NULL.
pub fn is_null_type(datatype: Word) -> bool {
    known_family().is_none_or(|family| family.handle(datatype) == constant(DatatypeNull))
}

/// Lower bound and extent of a datatype.
pub fn extent(datatype: Word) -> (i64, i64) {
    let extent = |(lower, extent): &mut (i64, i64)| {
        // SAFETY: a datatype that a call has just taken.
        unsafe { PMPI_Type_get_extent_x(datatype, lower, extent) }
    };
    asked((0, 0), extent).unwrap_or_default()
}

/// Where the first byte of a datatype is, and how far it is from there to behind the last; none: not known.
pub fn true_extent(datatype: Word) -> Option<(i64, i64)> {
    let extent = |(lower, extent): &mut (i64, i64)| {
        // SAFETY: a datatype that a call has just taken.
        unsafe { PMPI_Type_get_true_extent_x(datatype, lower, extent) }
    };
    asked((0, 0), extent)
}

/// How many bytes a transfer moved, as its status says.
#[inline(always)]
pub fn moved(status: Word) -> Option<i64> {
    match known_family()?.status_count() {
        Some(StatusCount::LowAndHigh) => {
            let [low, high] = in_status::<[u32; 2]>(status, 0);
            // The lowest bit above says whether it was cancelled.
            Some((i64::from(high >> 1) << 32) | i64::from(low))
        }
        Some(StatusCount::At16) => Some(in_status::<u64>(status, 16) as i64),
        None => elements(status),
    }
}

/// What stands there in a status, which MPI has written.
#[inline(always)]
fn in_status<T: Copy>(status: Word, at: usize) -> T {
    let place = core::ptr::with_exposed_provenance::<T>(status.wrapping_add(at));
    // SAFETY: it is in the status, which MPI has written, and any bytes are a value of the integers that are asked for.
    unsafe { place.read_unaligned() }
}

#[inline(never)]
fn elements(status: Word) -> Option<i64> {
    let byte = constant(Byte);
    let count = |count: &mut i64| {
        // SAFETY: a status that MPI has written.
        unsafe { PMPI_Get_elements_x(status, byte, count) }
    };
    asked(0, count).filter(|count| *count >= 0)
}

/// This rank's position in a file, in etypes.
pub fn position(file: Word) -> Option<i64> {
    // SAFETY: a file that is open.
    asked(0, |position| unsafe {
        PMPI_File_get_position(file, position)
    })
}

/// The byte at a position of a file's view.
pub fn byte_of(file: Word, position: i64) -> Option<i64> {
    // SAFETY: a file that is open.
    asked(0, |offset| unsafe {
        PMPI_File_get_byte_offset(file, position, offset)
    })
}

/// The hints in force for a file, which are to be freed.
pub fn info_of(file: Word) -> Option<Word> {
    // SAFETY: a file that is open.
    asked(0, |info| unsafe { PMPI_File_get_info(file, info) })
}

/// Frees what [`info_of`] gave.
pub fn free_info(mut info: Word) {
    // SAFETY: MPI has made it for us, and it is not used any more.
    unsafe { PMPI_Info_free(&mut info) };
}

/// Does this with each hint of an info, up to so many.
pub fn for_each_hint(info: Word, most: c_int, mut each: impl FnMut(&CStr, &CStr)) {
    let info = known_family().map(|family| family.handle(info));
    let Some(info) = info.filter(|info| *info != constant(InfoNull)) else {
        return;
    };
    // SAFETY: an info that a call has just taken, or given.
    let count = asked(0, |count| unsafe { PMPI_Info_get_nkeys(info, count) }).unwrap_or(0);
    for number in 0..count.min(most) {
        let (mut key, mut value) = ([0; KEY], [0; VALUE]);
        if let Some((key, value)) = hint(info, number, &mut key, &mut value) {
            each(key, value);
        }
    }
}

fn hint<'t>(
    info: Word,
    number: c_int,
    key: &'t mut [u8; KEY],
    value: &'t mut [u8; VALUE],
) -> Option<(&'t CStr, &'t CStr)> {
    // SAFETY: the info has a key of this number, which fits.
    worked(unsafe { PMPI_Info_get_nthkey(info, number, key.as_mut_ptr().cast()) }).ok()?;
    let (mut found, room) = (0, (VALUE as c_int).wrapping_sub(1));
    // SAFETY: so many characters and a NUL fit.
    worked(unsafe {
        PMPI_Info_get(
            info,
            key.as_ptr().cast::<c_char>(),
            room,
            value.as_mut_ptr().cast(),
            &mut found,
        )
    })
    .ok()?;
    let text = |bytes: &'t [u8]| CStr::from_bytes_until_nul(bytes).ok();
    text(key).zip(text(value)).filter(|_| found != 0)
}

/// How many ranks a communicator has.
pub fn size_of_comm(comm: Word) -> Option<u32> {
    // SAFETY: a communicator that a call has just taken.
    asked(0, |size| unsafe { PMPI_Comm_size(comm, size) }).map(|size| size as u32)
}

/// Makes ranks of the world of those of a communicator. Where there is no world they stay as they are.
pub fn world_ranks(comm: Word, ranks: &mut [c_int]) -> &[c_int] {
    with_world(|world| {
        translate(comm, world, ranks);
        Ok(())
    });
    ranks
}

fn translate(comm: Word, world: Word, ranks: &mut [c_int]) -> Option<()> {
    // SAFETY: a communicator that a call has just taken.
    let mut group = asked(0, |group| unsafe { PMPI_Comm_group(comm, group) })?;
    let mut translated = [0; 16];
    let count = ranks.len().min(translated.len());
    // SAFETY: both groups are ours, and so many ranks are read and written.
    let done = worked(unsafe {
        PMPI_Group_translate_ranks(
            group,
            count as c_int,
            ranks.as_ptr(),
            world,
            translated.as_mut_ptr(),
        )
    });
    if done.is_ok() {
        ranks
            .iter_mut()
            .zip(translated)
            .for_each(|(to, from)| *to = from);
    }
    // SAFETY: not used any more.
    unsafe { PMPI_Group_free(&mut group) };
    Some(())
}

/// The place of the handle with this number in an array of MPI's.
pub fn handle_at(handles: *const c_void, number: usize) -> *const c_void {
    let bytes = known_family().map_or(0, Family::handle_bytes);
    handles.wrapping_byte_add(number.wrapping_mul(bytes))
}

/// The place of the status with this number in an array of MPI's.
pub fn status_at(statuses: Word, number: usize) -> Word {
    let bytes = known_family().map_or(0, |family| family.status().0);
    statuses.wrapping_add(number.wrapping_mul(bytes))
}

/// What a status says went wrong.
pub fn error_of(status: Word) -> c_int {
    let Some((_, at)) = known_family().map(Family::status) else {
        return 0;
    };
    in_status(status, at)
}
