//! MPI-IO: MPI_File_open, MPI_File_read_at, MPI_File_write_at, with `-collective` their _all forms. A file is the rank's
//! own (MPI_COMM_SELF), or with `-share_files` that of all ranks.

use iota_load::api::{Api, Calls, Handle, Open};
use iota_load::options::Op;
use mpi_sys::*;
use std::ffi::{CString, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;

/// As `-io_api` names it
pub const NAME: &str = "mpiio";

/// The interface
pub struct Mpiio;

struct File {
    file: MPI_File,
    collective: bool,
}

// SAFETY: MPI was started for as many threads as there are.
unsafe impl Send for File {}
// SAFETY: MPI was started for as many threads as there are.
unsafe impl Sync for File {}

impl Api for Mpiio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn calls(&self) -> Calls {
        Calls {
            open: "MPI_File_open",
            seek: "",
            read: "MPI_File_read_at",
            write: "MPI_File_write_at",
            sync: ["MPI_File_sync"; 2],
            close: "MPI_File_close",
        }
    }

    fn direct(&self) -> bool {
        false
    }

    fn opens_by_flags(&self) -> bool {
        false
    }

    fn collective(&self) -> bool {
        true
    }

    /// MPICH's MPI_File_open needs more than 128 KiB. What is not touched takes no memory.
    fn stack(&self) -> usize {
        8 << 20
    }

    fn open(&self, open: &Open) -> io::Result<Box<dyn Handle>> {
        let path = CString::new(open.path.as_os_str().as_bytes())?;
        let mode = match open.op {
            Op::R => MPI_MODE_RDONLY,
            Op::W => MPI_MODE_WRONLY | MPI_MODE_CREATE,
            Op::Rw => MPI_MODE_RDWR | MPI_MODE_CREATE,
        };
        let mut file = MaybeUninit::uninit();
        // SAFETY: a C string, and a place that is filled; the communicator is one of the MPI's own.
        unsafe {
            let comm = if open.shared_by_ranks {
                RSMPI_COMM_WORLD
            } else {
                RSMPI_COMM_SELF
            };
            worked(MPI_File_open(
                comm,
                path.as_ptr(),
                mode as c_int,
                RSMPI_INFO_NULL,
                file.as_mut_ptr(),
            ))?;
            Ok(Box::new(File {
                file: file.assume_init(),
                collective: open.collective,
            }))
        }
    }
}

/// What MPI says of a failure; errors of files are returned unless a program asks for something else.
fn worked(result: c_int) -> io::Result<()> {
    if result == MPI_SUCCESS as c_int {
        return Ok(());
    }
    let (mut class, mut text, mut length) = (0, [0u8; MPI_MAX_ERROR_STRING as usize], 0);
    // SAFETY: the text has as much room as MPI asks for.
    unsafe {
        MPI_Error_class(result, &mut class);
        MPI_Error_string(result, text.as_mut_ptr().cast(), &mut length);
    }
    if class == MPI_ERR_NO_SPACE as c_int {
        return Err(io::Error::from_raw_os_error(libc::ENOSPC));
    }
    Err(io::Error::other(
        String::from_utf8_lossy(&text[..length as usize]).into_owned(),
    ))
}

impl File {
    fn moved(&self, call: impl FnOnce(*mut MPI_Status) -> c_int) -> io::Result<usize> {
        let (mut status, mut count) = (MaybeUninit::<MPI_Status>::zeroed(), 0);
        worked(call(status.as_mut_ptr()))?;
        // SAFETY: the call has filled the status.
        worked(unsafe { MPI_Get_count(status.as_ptr(), RSMPI_UINT8_T, &mut count) })?;
        usize::try_from(count).map_err(io::Error::other)
    }
}

impl Handle for File {
    fn fd(&self) -> i32 {
        -1
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let (start, length) = (buffer.as_mut_ptr().cast(), buffer.len() as c_int);
        let read = if self.collective {
            MPI_File_read_at_all
        } else {
            MPI_File_read_at
        };
        // SAFETY: the slice's own pointer and length; the file is open.
        self.moved(|status| unsafe {
            read(
                self.file,
                offset as MPI_Offset,
                start,
                length,
                RSMPI_UINT8_T,
                status,
            )
        })
    }

    fn write(&self, buffer: &[u8], offset: u64) -> io::Result<usize> {
        let (start, length) = (buffer.as_ptr().cast(), buffer.len() as c_int);
        let write = if self.collective {
            MPI_File_write_at_all
        } else {
            MPI_File_write_at
        };
        // SAFETY: the slice's own pointer and length; the file is open.
        self.moved(|status| unsafe {
            write(
                self.file,
                offset as MPI_Offset,
                start,
                length,
                RSMPI_UINT8_T,
                status,
            )
        })
    }

    fn sync(&self, _data_only: bool) -> io::Result<()> {
        // SAFETY: the file is open.
        worked(unsafe { MPI_File_sync(self.file) })
    }

    fn close(&self) -> io::Result<()> {
        let mut file = self.file;
        // SAFETY: the trait says that it is not used afterwards.
        worked(unsafe { MPI_File_close(&mut file) })
    }
}
