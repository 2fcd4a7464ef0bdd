//! What the tracer asks of PnetCDF and NetCDF: their own functions, past the hooks.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicPtr, Ordering::*};
use iota_calls::{Layer, Op};
use iota_runtime::library::{Owners, find_beside};

/// Longest name, with its NUL: NC_MAX_NAME.
pub const NAME: usize = 257;
/// Dimensions of a variable that are looked at; of one with more the shape is not known.
pub const DIMENSIONS: usize = 64;
/// Longest path that is asked for, with its NUL.
pub const PATH: usize = 4097;
/// NC_CHUNKED is 0; NC_CONTIGUOUS and NC_COMPACT are not.
const CHUNKED: c_int = 0;

/// PnetCDF and NetCDF libraries that a process may have, all together.
const MOST: usize = 8;
static OWNERS: Owners<MOST> = Owners::new();

/// Functions that were found, of one library: null is not looked for yet.
struct FunctionPointers([AtomicPtr<c_void>; FUNCTIONS]);

const FUNCTIONS: usize = 9;
static FOUND: [FunctionPointers; MOST] =
    [const { FunctionPointers([const { AtomicPtr::new(core::ptr::null_mut()) }; FUNCTIONS]) };
        MOST];

/// Which library, and one of its functions.
#[derive(Clone, Copy)]
pub struct Library {
    /// PnetCDF.
    pub is_parallel: bool,
    index: usize,
    beside: *const c_void,
}

/// A function that is asked: its place among those that were found, and its names.
struct AskedFunction {
    place: usize,
    netcdf: &'static CStr,
    pnetcdf: &'static CStr,
}

const fn asked(place: usize, netcdf: &'static CStr, pnetcdf: &'static CStr) -> AskedFunction {
    AskedFunction {
        place,
        netcdf,
        pnetcdf,
    }
}

const INQ_VAR: AskedFunction = asked(0, c"nc_inq_var", c"ncmpi_inq_var");
const INQ_DIMLEN: AskedFunction = asked(1, c"nc_inq_dimlen", c"ncmpi_inq_dimlen");
const INQ_UNLIMDIM: AskedFunction = asked(2, c"nc_inq_unlimdims", c"ncmpi_inq_unlimdim");
const INQ_PATH: AskedFunction = asked(3, c"nc_inq_path", c"ncmpi_inq_path");
const INQ_TYPE: AskedFunction = asked(4, c"nc_inq_type", c"");
const INQ_VAR_CHUNKING: AskedFunction = asked(5, c"nc_inq_var_chunking", c"");
const INQ_GRPNAME_FULL: AskedFunction = asked(6, c"nc_inq_grpname_full", c"");
const INQ_GRP_PARENT: AskedFunction = asked(7, c"nc_inq_grp_parent", c"");
const INQ_FORMAT: AskedFunction = asked(8, c"nc_inq_format", c"");
/// NC_FORMAT_NETCDF4 and NC_FORMAT_NETCDF4_CLASSIC: files of HDF5.
const OF_HDF5: [c_int; 2] = [3, 4];
/// Groups in groups that are looked at.
const DEPTH: usize = 64;

/// What a library says of a variable.
pub struct VariableInfo {
    pub name: [u8; NAME],
    pub kind: c_int,
    pub dimensions: usize,
    pub ids: [c_int; DIMENSIONS],
}

type InqVar = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut c_char,
    *mut c_int,
    *mut c_int,
    *mut c_int,
    *mut c_int,
) -> c_int;
type InqDimlen = unsafe extern "C" fn(c_int, c_int, *mut usize) -> c_int;
type InqUnlimdims = unsafe extern "C" fn(c_int, *mut c_int, *mut c_int) -> c_int;
type InqUnlimdim = unsafe extern "C" fn(c_int, *mut c_int) -> c_int;
type InqPath = unsafe extern "C" fn(c_int, *mut usize, *mut c_char) -> c_int;
type InqPathParallel = unsafe extern "C" fn(c_int, *mut c_int, *mut c_char) -> c_int;
type InqType = unsafe extern "C" fn(c_int, c_int, *mut c_char, *mut usize) -> c_int;
type InqVarChunking = unsafe extern "C" fn(c_int, c_int, *mut c_int, *mut usize) -> c_int;
type InqGrpname = unsafe extern "C" fn(c_int, *mut usize, *mut c_char) -> c_int;

impl Library {
    /// That of an operation, one of whose functions this is.
    pub fn of(op: Op, beside: *const c_void) -> Library {
        let layer = op.info().map(|info| info.layer);
        Library {
            is_parallel: layer == Some(Layer::Pnetcdf),
            index: OWNERS.index(beside).unwrap_or(MOST),
            beside,
        }
    }

    /// A number for the file of this id, or of this group: each library counts files for itself, and in NetCDF the groups of
    /// a file have its number in their upper half.
    pub fn key(self, ncid: c_int) -> u64 {
        let (parallel, library) = (u64::from(self.is_parallel) << 40, (self.index as u64) << 41);
        let file = if self.is_parallel {
            ncid as u32
        } else {
            ncid as u32 >> 16
        };
        library | parallel | 1 << 32 | u64::from(file)
    }

    fn find(self, asked: &AskedFunction) -> Option<*mut c_void> {
        let place = FOUND.get(self.index)?.0.get(asked.place)?;
        let mut function = place.load(Relaxed);
        if function.is_null() {
            let name = if self.is_parallel {
                asked.pnetcdf
            } else {
                asked.netcdf
            };
            function = find_beside(self.beside, name);
            place.store(function, Relaxed);
        }
        (!function.is_null()).then_some(function)
    }

    /// A variable that a call has just used.
    pub fn variable(self, ncid: c_int, varid: c_int) -> Option<VariableInfo> {
        let function = self.find(&INQ_VAR)?;
        let mut info = VariableInfo {
            name: [0; NAME],
            kind: 0,
            dimensions: 0,
            ids: [-1; DIMENSIONS],
        };
        let (mut count, none) = (0, core::ptr::null_mut());
        // SAFETY: the function of this name; a name has no more than so many bytes, and what is null is not asked for.
        unsafe {
            let ask = transmute::<*mut c_void, InqVar>(function);
            let name = info.name.as_mut_ptr().cast();
            if ask(ncid, varid, name, &mut info.kind, &mut count, none, none) != 0 {
                return None;
            }
            info.dimensions = count.max(0) as usize;
            let ids = info.ids.as_mut_ptr();
            if info.dimensions <= DIMENSIONS
                && ask(ncid, varid, none.cast(), none, none, ids, none) != 0
            {
                return None;
            }
        }
        Some(info)
    }

    /// How long a dimension is. For one that is unlimited that may be asked of the file.
    pub fn length(self, ncid: c_int, dimension: c_int) -> Option<u64> {
        let function = self.find(&INQ_DIMLEN)?;
        let mut length = 0usize;
        // SAFETY: the function of this name; an MPI_Offset has the size of a size_t.
        let code =
            unsafe { transmute::<*mut c_void, InqDimlen>(function)(ncid, dimension, &mut length) };
        (code == 0).then_some(length as u64)
    }

    /// Whether a dimension is unlimited.
    pub fn is_unlimited(self, ncid: c_int, dimension: c_int) -> bool {
        let Some(function) = self.find(&INQ_UNLIMDIM) else {
            return false;
        };
        if self.is_parallel {
            let mut unlimited = -1;
            // SAFETY: the function of this name.
            unsafe { transmute::<*mut c_void, InqUnlimdim>(function)(ncid, &mut unlimited) };
            return unlimited == dimension && dimension >= 0;
        }
        // It may be one of an outer group.
        let mut group = Some(ncid);
        (0..DEPTH).any(|_| match group {
            Some(own) => {
                group = self.parent(own);
                has_unlimited(function, own, dimension)
            }
            None => false,
        })
    }

    /// Whether a file of NetCDF is of a classic format: CDF-1, CDF-2 or CDF-5.
    pub fn is_classic(self, ncid: c_int) -> bool {
        let Some(function) = self.find(&INQ_FORMAT) else {
            return false;
        };
        let mut format = 0;
        // SAFETY: the function of this name, which tells a number as nc_inq_unlimdim does.
        let code = unsafe { transmute::<*mut c_void, InqUnlimdim>(function)(ncid, &mut format) };
        code == 0 && !OF_HDF5.contains(&format)
    }

    fn parent(self, ncid: c_int) -> Option<c_int> {
        let (function, mut parent) = (self.find(&INQ_GRP_PARENT)?, 0);
        // SAFETY: the function of this name.
        let code = unsafe { transmute::<*mut c_void, InqUnlimdim>(function)(ncid, &mut parent) };
        (code == 0).then_some(parent)
    }

    /// Bytes of a type; 0: not known.
    pub fn size(self, ncid: c_int, kind: c_int) -> u64 {
        match kind {
            1 | 2 | 7 => 1,
            3 | 8 => 2,
            4 | 5 | 9 => 4,
            6 | 10 | 11 => 8,
            other => self.made_size(ncid, other),
        }
    }

    /// Of one that the file defines, or of a string.
    fn made_size(self, ncid: c_int, kind: c_int) -> u64 {
        let (mut size, none) = (0usize, core::ptr::null_mut());
        if !self.is_parallel
            && let Some(function) = self.find(&INQ_TYPE)
        {
            // SAFETY: the function of this name.
            unsafe { transmute::<*mut c_void, InqType>(function)(ncid, kind, none, &mut size) };
        }
        size as u64
    }

    /// Elements of a chunk, of a variable with so many dimensions; 0: there are none.
    pub fn chunk(self, ncid: c_int, varid: c_int, dimensions: usize) -> u64 {
        if self.is_parallel || dimensions == 0 || dimensions > DIMENSIONS {
            return 0;
        }
        let Some(function) = self.find(&INQ_VAR_CHUNKING) else {
            return 0;
        };
        let (mut storage, mut sizes) = (-1, [0usize; DIMENSIONS]);
        // SAFETY: the function of this name, which tells a size for each dimension.
        let code = unsafe {
            transmute::<*mut c_void, InqVarChunking>(function)(
                ncid,
                varid,
                &mut storage,
                sizes.as_mut_ptr(),
            )
        };
        if code != 0 || storage != CHUNKED {
            return 0;
        }
        let sizes = sizes.iter().take(dimensions);
        sizes.fold(1, |all, size| u64::wrapping_mul(all, *size as u64))
    }

    /// The path of an open file, if it ends within the room.
    pub fn path(self, ncid: c_int, path: &mut [u8; PATH]) -> Option<()> {
        let function = self.find(&INQ_PATH)?;
        let (mut length, mut short, none) = (0usize, 0, core::ptr::null_mut());
        // SAFETY: the function of this name, which tells the length alone if there is no room.
        unsafe {
            if self.is_parallel {
                let ask = transmute::<*mut c_void, InqPathParallel>(function);
                if ask(ncid, &mut short, none) != 0 || short.max(0) as usize >= PATH {
                    return None;
                }
                (ask(ncid, &mut short, path.as_mut_ptr().cast()) == 0).then_some(())
            } else {
                let ask = transmute::<*mut c_void, InqPath>(function);
                if ask(ncid, &mut length, none) != 0 || length >= PATH {
                    return None;
                }
                (ask(ncid, &mut length, path.as_mut_ptr().cast()) == 0).then_some(())
            }
        }
    }

    /// The name of a group, from the root: `/` of the root itself. How long it is; none: there are no groups.
    pub fn group(self, ncid: c_int, name: &mut [u8; PATH]) -> Option<usize> {
        // Files of formats without groups have the number 0 for the only one.
        if self.is_parallel || ncid & 0xffff == 0 {
            return None;
        }
        let function = self.find(&INQ_GRPNAME_FULL)?;
        let (mut length, none) = (0usize, core::ptr::null_mut());
        // SAFETY: the function of this name, which tells the length alone if there is no room.
        unsafe {
            let ask = transmute::<*mut c_void, InqGrpname>(function);
            if ask(ncid, &mut length, none) != 0 || length >= PATH {
                return None;
            }
            (ask(ncid, &mut length, name.as_mut_ptr().cast()) == 0).then_some(length)
        }
    }
}

/// Whether a dimension is one of a group's own that are unlimited.
fn has_unlimited(function: *mut c_void, ncid: c_int, dimension: c_int) -> bool {
    let (mut count, mut ids) = (0, [-1; DIMENSIONS]);
    // SAFETY: nc_inq_unlimdims, which tells the number alone if the list is null.
    unsafe {
        let ask = transmute::<*mut c_void, InqUnlimdims>(function);
        if ask(ncid, &mut count, core::ptr::null_mut()) != 0 || count as usize > DIMENSIONS {
            return false;
        }
        ask(ncid, &mut count, ids.as_mut_ptr());
    }
    dimension >= 0 && ids.contains(&dimension)
}
