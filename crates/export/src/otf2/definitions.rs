//! Definitions, each written when the first event needs it. What is kept of them does not grow with processes.

use crate::job::Row;
use iota_analysis::{FileId, Function, NO_FILE, OpId};
use iota_calls::{Kind, Layer};
use iota_otf2::{Definitions, Handle, IoParadigm, NONE, Region, Type, number};
use iota_trace::read::Part;
use iota_trace::{Printable, errno};
use std::collections::HashMap;

/// Attributes of events
pub mod attribute {
    /// File position at which a transfer began; Score-P has it under this name
    pub const OFFSET: u32 = 0;
    /// The file of a call that is no operation on a handle
    pub const FILE: u32 = 1;
    /// The second file of a call on two
    pub const SECOND_FILE: u32 = 2;
    /// The error of a call that failed
    pub const ERRNO: u32 = 3;
}

/// Interfaces of I/O as OTF2 numbers, identifies and names them, and the layers that they are
const PARADIGMS: [(&str, &str, Layer); 6] = [
    ("POSIX", "POSIX I/O", Layer::Posix),
    ("ISOC", "ISO C I/O", Layer::Stdio),
    ("MPI-IO", "MPI-IO", Layer::MpiIo),
    ("HDF5", "HDF5", Layer::Hdf5),
    ("PnetCDF", "PnetCDF", Layer::Pnetcdf),
    ("NetCDF", "NetCDF", Layer::Netcdf),
];

/// POSIX of these
pub const POSIX: u8 = 0;

/// The root of the system tree, below which each node is one
const MACHINE: u32 = 0;

/// What is defined
pub struct DefinitionWriter<'a> {
    to: Definitions<'a>,
    strings: u32,
    handles: u32,
    groups: u32,
    locations: u64,
    /// The latest event
    latest: u64,
    /// The string that is the class of nodes
    node: u32,
    nodes: HashMap<Vec<u8>, u32>,
    /// By their numbers in the job: readers want numbers in the order of definitions
    regions: HashMap<OpId, u32>,
    files: HashMap<FileId, u32>,
    /// Strings by error, and by descriptor
    errors: HashMap<(u8, u16), u32>,
    descriptors: HashMap<i32, u32>,
}

impl<'a> DefinitionWriter<'a> {
    /// With what every archive has
    pub fn new(to: Definitions<'a>) -> anyhow::Result<DefinitionWriter<'a>> {
        let mut definitions = DefinitionWriter {
            to,
            strings: 0,
            handles: 0,
            groups: 0,
            locations: 0,
            latest: 0,
            node: 0,
            nodes: HashMap::new(),
            regions: HashMap::new(),
            files: HashMap::new(),
            errors: HashMap::new(),
            descriptors: HashMap::new(),
        };
        let machine = definitions.string(b"machine")?;
        to.node(MACHINE, machine, machine, NONE, number::DOMAIN_MACHINE)?;
        definitions.node = definitions.string(b"node")?;
        definitions.paradigms()?;
        definitions.attributes()?;
        Ok(definitions)
    }

    fn paradigms(&mut self) -> anyhow::Result<()> {
        for (id, (identification, name, layer)) in (0..).zip(PARADIGMS) {
            let class = match layer {
                Layer::Posix | Layer::Stdio => number::SERIAL,
                _ => number::PARALLEL,
            };
            let paradigm = IoParadigm {
                identification: self.string(identification.as_bytes())?,
                name: self.string(name.as_bytes())?,
                class,
                is_os: layer == Layer::Posix,
            };
            self.to.io_paradigm(id, paradigm)?;
        }
        Ok(())
    }

    fn attributes(&mut self) -> anyhow::Result<()> {
        let attributes = [
            (
                attribute::OFFSET,
                "Offset",
                "file position before the transfer",
                Type::Uint64,
            ),
            (attribute::FILE, "File", "file of the call", Type::File),
            (
                attribute::SECOND_FILE,
                "Second file",
                "second file of a call on two",
                Type::File,
            ),
            (
                attribute::ERRNO,
                "Error",
                "error of a call that failed",
                Type::String,
            ),
        ];
        for (id, name, description, of) in attributes {
            let name = self.string(name.as_bytes())?;
            let description = self.string(description.as_bytes())?;
            self.to.attribute(id, name, description, of)?;
        }
        Ok(())
    }

    fn string(&mut self, text: &[u8]) -> anyhow::Result<u32> {
        self.to.string(self.strings, text)?;
        self.strings += 1;
        Ok(self.strings - 1)
    }

    /// The function of a call
    pub fn region(&mut self, row: &Row) -> anyhow::Result<u32> {
        let (op, function) = (row.call.op, row.call.function);
        if let Some(region) = self.regions.get(&op) {
            return Ok(*region);
        }
        let (role, paradigm) = kind(function);
        let region = Region {
            name: self.string(Printable(&function.name).to_string().as_bytes())?,
            description: self.string(function.kind.name().as_bytes())?,
            role,
            paradigm,
        };
        let id = self.regions.len() as u32;
        self.to.region(id, region)?;
        self.regions.insert(op, id);
        Ok(id)
    }

    /// A file of the job; [`NONE`]: none
    pub fn file(&mut self, row: &Row, file: FileId) -> anyhow::Result<u32> {
        if file == NO_FILE {
            return Ok(NONE);
        }
        if let Some(id) = self.files.get(&file) {
            return Ok(*id);
        }
        let name = self.string(Printable(row.path(file)).to_string().as_bytes())?;
        let id = self.files.len() as u32;
        self.to.file(id, name, MACHINE)?;
        self.files.insert(file, id);
        Ok(id)
    }

    /// A new handle on a file that is defined
    pub fn handle(
        &mut self,
        paradigm: u8,
        fd: i32,
        file: u32,
        pre_created: Option<u8>,
    ) -> anyhow::Result<u32> {
        let name = match self.descriptors.get(&fd) {
            Some(name) => *name,
            None => {
                let text = if fd < 0 {
                    "no descriptor".to_owned()
                } else {
                    format!("fd {fd}")
                };
                let name = self.string(text.as_bytes())?;
                self.descriptors.insert(fd, name);
                name
            }
        };
        let handle = Handle {
            name,
            file,
            paradigm,
            pre_created,
        };
        self.to.handle(self.handles, handle)?;
        self.handles += 1;
        Ok(self.handles - 1)
    }

    /// The string that names an error of a layer
    pub fn error(&mut self, layer: u8, number: u16) -> anyhow::Result<u32> {
        if let Some(string) = self.errors.get(&(layer, number)) {
            return Ok(*string);
        }
        let name = errno::of_layer(layer, number).map_or_else(|| number.to_string(), str::to_owned);
        let string = self.string(name.as_bytes())?;
        self.errors.insert((layer, number), string);
        Ok(string)
    }

    /// A number for a location
    pub fn location(&mut self) -> u64 {
        self.locations += 1;
        self.locations - 1
    }

    /// A process and its locations: their numbers, names, events
    pub fn process(
        &mut self,
        part: &Part,
        is_first: bool,
        locations: &[(u64, String, u64)],
        latest: u64,
    ) -> anyhow::Result<()> {
        let node = self.host(part.host())?;
        let name = self.string(process_name(part, is_first).as_bytes())?;
        let group = self.groups;
        self.groups += 1;
        self.to.process(group, name, node)?;
        for (location, name, events) in locations {
            let name = self.string(name.as_bytes())?;
            self.to.location(*location, name, *events, group)?;
        }
        self.latest = self.latest.max(latest);
        Ok(())
    }

    fn host(&mut self, host: &[u8]) -> anyhow::Result<u32> {
        if let Some(node) = self.nodes.get(host) {
            return Ok(*node);
        }
        let node = self.nodes.len() as u32 + MACHINE + 1;
        let name = self.string(Printable(host).to_string().as_bytes())?;
        let class = self.node;
        self.to
            .node(node, name, class, MACHINE, number::DOMAIN_NODE)?;
        self.nodes.insert(host.to_owned(), node);
        Ok(node)
    }

    /// The rest; says how many locations there are
    pub fn finish(self, duration: u64, start: u64) -> anyhow::Result<u64> {
        self.to.clock(duration.max(self.latest), start)?;
        Ok(self.locations)
    }
}

/// The interface of a layer; what is none stands with POSIX
pub fn paradigm(layer: u8) -> u8 {
    let place = PARADIGMS.iter().position(|(_, _, of)| *of as u8 == layer);
    place.map_or(POSIX, |place| place as u8)
}

/// Role and paradigm of a region
fn kind(function: &Function) -> (u8, u8) {
    let role = match function.kind {
        Kind::Process | Kind::Wait | Kind::Other => number::ROLE_FUNCTION,
        _ => number::ROLE_FILE_IO,
    };
    let paradigm = match function.layer {
        layer if layer == Layer::MpiIo as u8 => number::PARADIGM_MPI,
        layer if layer == Layer::User as u8 => number::PARADIGM_USER,
        _ => number::PARADIGM_NONE,
    };
    (role, paradigm)
}

/// A rank has a process, and those that it started
fn process_name(part: &Part, is_first: bool) -> String {
    if is_first {
        return format!("Rank {}", part.rank());
    }
    let process = part.process();
    let exe = process
        .as_ref()
        .map_or(&b""[..], |process| process.fields().exe);
    let program = iota_analysis::file_name(exe);
    let program = Printable(program).to_string();
    format!("Rank {}, {program} (process {})", part.rank(), part.pid())
}
