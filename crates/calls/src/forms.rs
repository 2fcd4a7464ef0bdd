//! Forms: what the numbers mean that a call says of itself beyond its record. Traces carry names and units, so that a
//! reader understands forms that are newer than itself.

/// What a number of a form counts or stands for. A trace has it as a byte; a reader takes others for `Number`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Unit {
    /// A number
    Number = 0,
    /// A number that may be negative, in two's complement
    Signed = 1,
    /// So many bytes
    Bytes = 2,
    /// A position in a file; all bits: none
    Offset = 3,
    /// Bits, each of which means something
    Bits = 4,
    /// The id of a text of the part; 0: none
    Text = 5,
    /// The id of a path of the part; 0: none
    File = 6,
    /// A thread of the process, by its number
    Thread = 7,
    /// The number of a call in the thread that the form names, else in the call's own; 0: none
    Call = 8,
    /// A rank in MPI_COMM_WORLD; all bits: none
    Rank = 9,
    /// A collective call: the same number on all ranks that take part in it; 0: none
    Collective = 10,
    /// A time
    Nanoseconds = 11,
}

impl Unit {
    /// As a trace has it
    pub const fn of(byte: u8) -> Unit {
        match byte {
            1 => Unit::Signed,
            2 => Unit::Bytes,
            3 => Unit::Offset,
            4 => Unit::Bits,
            5 => Unit::Text,
            6 => Unit::File,
            7 => Unit::Thread,
            8 => Unit::Call,
            9 => Unit::Rank,
            10 => Unit::Collective,
            11 => Unit::Nanoseconds,
            _ => Unit::Number,
        }
    }
}

/// A field of a form
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name: letters and underscores
    pub name: &'static str,
    /// What it counts
    pub unit: Unit,
}

/// What a call's details mean, one number for each field
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormInfo {
    /// Its name
    pub name: &'static str,
    /// Its fields, at most [`MOST_FIELDS`]
    pub fields: &'static [Field],
}

/// Fields of a form at most
pub const MOST_FIELDS: usize = 24;

/// The number of a form, valid within one build; 0 is none
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Form(pub u16);

impl Form {
    /// What caused a call that another thread made, or a later call: the thread, and the call in it
    pub const CAUSE: Form = Form(1);
    /// A call of MPI-IO. `extent` ends behind the last byte, through the file view. `begun` is how long the function took that
    /// began a nonblocking or split transfer; `thread` and `call` say where, if another thread completed it
    pub const MPIIO: Form = Form(2);
    /// A call of MPI-IO that tells the hints in force, as `key=value;key=value`, and of an open those that were asked for; the bits of `amode` are those of MPI's
    /// standard ABI
    pub const MPIIO_OPEN: Form = Form(3);
    /// A file view: sizes of etype and filetype, and the extent of the filetype
    pub const MPIIO_VIEW: Form = Form(4);

    /// An object in a file of a library above MPI-IO, by its path in the file; `@` stands before the name of an attribute.
    /// In every form of such a library that is the first field
    pub const OBJECT: Form = Form(5);
    /// A file of HDF5 that was opened. `flags` are those of the call; `metadata_reads` and `metadata_writes` are 1 if they
    /// were asked to be collective
    pub const HDF5_OPEN: Form = Form(6);
    /// A dataset that was opened: `stored` bytes of an element in the file, `chunk` bytes of a chunk in memory, `filters` as
    /// `name;name`
    pub const DATASET: Form = Form(7);
    /// A transfer of elements of a dataset or variable: `element` bytes of one in memory, `stored` in the file. `converted` is
    /// 1 if their types differ. `collective` is 1 if that was asked for, `done` what came of it
    pub const ARRAY: Form = Form(8);

    /// A variable of PnetCDF or NetCDF, or what has a name there, and of a transfer what it moves: `element` bytes of one in
    /// memory, `stored` in the file, `chunk` bytes of a chunk in the file. `record` is 1 if a dimension is unlimited. `begun`,
    /// `thread` and `call` are as in [`Form::MPIIO`]
    pub const VARIABLE: Form = Form(9);
    /// An attribute of the variable that is the object, or of the file
    pub const ATTRIBUTE: Form = Form(10);
    /// A call that has completed so many requests
    pub const REQUESTS: Form = Form(11);
    /// From where a call was made: the functions under way, innermost first. A line for each object: its path, and behind tabs
    /// the addresses in its file, in hexadecimal, of the instructions that made the calls
    pub const STACK: Form = Form(12);

    /// What traces say of it; None for a number that no form has
    pub fn info(self) -> Option<&'static FormInfo> {
        FORMS.get(usize::from(self.0).checked_sub(1)?)
    }
}

const fn field(name: &'static str, unit: Unit) -> Field {
    Field { name, unit }
}

const RANKS: Field = field("ranks", Unit::Number);
const COLLECTIVE: Field = field("collective", Unit::Collective);
const HINTS: Field = field("hints", Unit::Text);
const THREAD: Field = field("thread", Unit::Thread);
const CALL: Field = field("call", Unit::Call);
const OBJECT: Field = field("object", Unit::Text);
const STORED: Field = field("stored", Unit::Bytes);
const LAYOUT: Field = field("layout", Unit::Text);
const CHUNK: Field = field("chunk", Unit::Bytes);
const FILTERS: Field = field("filters", Unit::Text);

/// Each form at the index that is one less than its number
pub static FORMS: [FormInfo; 12] = [
    FormInfo {
        name: "cause",
        fields: &[THREAD, CALL],
    },
    FormInfo {
        name: "mpiio",
        fields: &[
            RANKS,
            COLLECTIVE,
            field("extent", Unit::Bytes),
            field("begun", Unit::Nanoseconds),
            THREAD,
            CALL,
        ],
    },
    FormInfo {
        name: "mpiio_open",
        fields: &[
            RANKS,
            COLLECTIVE,
            field("amode", Unit::Bits),
            HINTS,
            field("asked", Unit::Text),
        ],
    },
    FormInfo {
        name: "mpiio_view",
        fields: &[
            RANKS,
            COLLECTIVE,
            field("etype", Unit::Bytes),
            field("filetype", Unit::Bytes),
            field("span", Unit::Bytes),
            HINTS,
        ],
    },
    FormInfo {
        name: "object",
        fields: &[OBJECT],
    },
    FormInfo {
        name: "hdf5_open",
        fields: &[
            OBJECT,
            field("flags", Unit::Bits),
            field("driver", Unit::Text),
            field("vol", Unit::Text),
            field("metadata_reads", Unit::Number),
            field("metadata_writes", Unit::Number),
        ],
    },
    FormInfo {
        name: "dataset",
        fields: &[OBJECT, STORED, LAYOUT, CHUNK, FILTERS],
    },
    FormInfo {
        name: "array",
        fields: &[
            OBJECT,
            field("elements", Unit::Number),
            field("element", Unit::Bytes),
            STORED,
            field("converted", Unit::Number),
            field("selection", Unit::Text),
            LAYOUT,
            CHUNK,
            FILTERS,
            field("collective", Unit::Number),
            field("done", Unit::Text),
        ],
    },
    FormInfo {
        name: "variable",
        fields: &[
            OBJECT,
            RANKS,
            COLLECTIVE,
            field("elements", Unit::Number),
            field("element", Unit::Bytes),
            STORED,
            CHUNK,
            field("record", Unit::Number),
            field("begun", Unit::Nanoseconds),
            THREAD,
            CALL,
        ],
    },
    FormInfo {
        name: "attribute",
        fields: &[OBJECT, RANKS, COLLECTIVE, field("attribute", Unit::Text)],
    },
    FormInfo {
        name: "requests",
        fields: &[OBJECT, RANKS, COLLECTIVE, field("requests", Unit::Number)],
    },
    FormInfo {
        name: "stack",
        fields: &[field("frames", Unit::Text)],
    },
];

const _: () = {
    let mut form = 0;
    while form < FORMS.len() {
        assert!(FORMS[form].fields.len() <= MOST_FIELDS);
        form += 1;
    }
};
