//! Definitions of an archive, which its events refer to by number.

use crate::api::{self, Code, SUCCESS};
use crate::archive::string;
use crate::{Archive, Error, NONE};
use std::ptr::{NonNull, null};

/// OTF2_LOCATION_GROUP_TYPE_PROCESS, OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_IO_HANDLE_FLAG_PRE_CREATED
const PROCESS: u8 = 1;
const CPU_THREAD: u8 = 1;
const PRE_CREATED: u32 = 1;

/// Writes definitions
#[derive(Clone, Copy)]
pub struct Definitions<'a> {
    archive: &'a Archive,
    writer: NonNull<api::GlobalDefWriter>,
}

/// Types of attributes
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Type {
    /// A number of 64 bits without a sign
    Uint64 = 4,
    /// A defined string
    String = 11,
    /// A defined file
    File = 23,
}

/// An interface of I/O
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoParadigm {
    /// String by which programs know it
    pub identification: u32,
    /// String for people
    pub name: u32,
    /// OTF2_IoParadigmClass
    pub class: u8,
    /// It is the operating system's
    pub is_os: bool,
}

/// A function
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// String
    pub name: u32,
    /// String
    pub description: u32,
    /// OTF2_RegionRole
    pub role: u8,
    /// OTF2_Paradigm
    pub paradigm: u8,
}

/// What a program holds to do I/O on
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handle {
    /// String
    pub name: u32,
    /// [`NONE`]: no file of a path
    pub file: u32,
    /// An interface of I/O
    pub paradigm: u8,
    /// How it may be used, if it was there before the first event
    pub pre_created: Option<u8>,
}

impl<'a> Definitions<'a> {
    pub(crate) fn of(
        archive: &'a Archive,
        writer: NonNull<api::GlobalDefWriter>,
    ) -> Definitions<'a> {
        Definitions { archive, writer }
    }

    /// Times are ns from 0 on; the length of the trace, and the time 0 in ns since 1970
    ///
    /// # Errors
    /// What the library says.
    pub fn clock(&self, length: u64, realtime: u64) -> Result<(), Error> {
        let clock = self.archive.api.define_clock;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { clock(self.writer(), 1_000_000_000, 0, length, realtime) })
    }

    /// A string of bytes other than NUL
    ///
    /// # Errors
    /// The text has a NUL, or the library says no.
    pub fn string(&self, id: u32, text: &[u8]) -> Result<(), Error> {
        let text = string(text)?;
        // SAFETY: a writer of an open archive, and a text that ends in NUL.
        self.is_done(unsafe { (self.archive.api.define_string)(self.writer(), id, text.as_ptr()) })
    }

    /// What an event may have more
    ///
    /// # Errors
    /// What the library says.
    pub fn attribute(&self, id: u32, name: u32, description: u32, of: Type) -> Result<(), Error> {
        let attribute = self.archive.api.define_attribute;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { attribute(self.writer(), id, name, description, of as u8) })
    }

    /// An interface of I/O
    ///
    /// # Errors
    /// What the library says.
    pub fn io_paradigm(&self, id: u8, of: IoParadigm) -> Result<(), Error> {
        let (function, flags) = (self.archive.api.define_io_paradigm, u32::from(of.is_os));
        let (identification, name, class) = (of.identification, of.name, of.class);
        // SAFETY: a writer of an open archive; of no properties it reads none.
        self.is_done(unsafe {
            function(
                self.writer(),
                id,
                identification,
                name,
                class,
                flags,
                0,
                null(),
                null(),
                null(),
            )
        })
    }

    /// A part of the machine, its name and class strings
    ///
    /// # Errors
    /// What the library says.
    pub fn node(
        &self,
        id: u32,
        name: u32,
        class: u32,
        parent: u32,
        domain: u8,
    ) -> Result<(), Error> {
        let api = &self.archive.api;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { (api.define_node)(self.writer(), id, name, class, parent) })?;
        // SAFETY: the same.
        self.is_done(unsafe { (api.define_domain)(self.writer(), id, domain) })
    }

    /// A process on a node
    ///
    /// # Errors
    /// What the library says.
    pub fn process(&self, id: u32, name: u32, node: u32) -> Result<(), Error> {
        let group = self.archive.api.define_group;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { group(self.writer(), id, name, PROCESS, node, NONE) })
    }

    /// A thread of a process, which has so many events
    ///
    /// # Errors
    /// What the library says.
    pub fn location(&self, id: u64, name: u32, events: u64, process: u32) -> Result<(), Error> {
        let location = self.archive.api.define_location;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { location(self.writer(), id, name, CPU_THREAD, events, process) })
    }

    /// A function
    ///
    /// # Errors
    /// What the library says.
    pub fn region(&self, id: u32, of: Region) -> Result<(), Error> {
        let (function, writer) = (self.archive.api.define_region, self.writer());
        let Region {
            name,
            description,
            role,
            paradigm,
        } = of;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe {
            function(
                writer,
                id,
                name,
                name,
                description,
                role,
                paradigm,
                0,
                NONE,
                0,
                0,
            )
        })
    }

    /// A file that is the same on all below a node
    ///
    /// # Errors
    /// What the library says.
    pub fn file(&self, id: u32, name: u32, node: u32) -> Result<(), Error> {
        let file = self.archive.api.define_file;
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe { file(self.writer(), id, name, node) })
    }

    /// Defines a handle of a file
    ///
    /// # Errors
    /// What the library says.
    pub fn handle(&self, id: u32, of: Handle) -> Result<(), Error> {
        let (api, writer) = (&self.archive.api, self.writer());
        let Handle {
            name,
            file,
            paradigm,
            pre_created,
        } = of;
        let flags = pre_created.map_or(0, |_| PRE_CREATED);
        // SAFETY: a writer of an open archive.
        self.is_done(unsafe {
            (api.define_handle)(writer, id, name, file, paradigm, flags, NONE, NONE)
        })?;
        let Some(access) = pre_created else {
            return Ok(());
        };
        // SAFETY: the same.
        self.is_done(unsafe { (api.define_handle_state)(writer, id, access, 0) })
    }

    fn writer(&self) -> *mut api::GlobalDefWriter {
        self.writer.as_ptr()
    }

    fn is_done(&self, code: Code) -> Result<(), Error> {
        self.archive.is_done(code)
    }
}

impl Archive {
    /// What events refer to; may be written beside them
    ///
    /// # Errors
    /// What the library says.
    pub fn definitions(&self) -> Result<Definitions<'_>, Error> {
        let mut global = self.global.borrow_mut();
        let writer = match *global {
            Some(writer) => writer,
            None => {
                // SAFETY: an open archive.
                let writer = unsafe { (self.api.global_writer)(self.archive()) };
                NonNull::new(writer).ok_or_else(|| self.failure(SUCCESS))?
            }
        };
        *global = Some(writer);
        Ok(Definitions::of(self, writer))
    }
}
