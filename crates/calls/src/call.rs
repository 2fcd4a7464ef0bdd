//! What a row of the table says.

pub use crate::kind::{Kind, Layer, Library};
use crate::{Counts, Effects, Shape};

/// A parameter: its name and its type as the libc crate spells it
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// As in the C declaration
    pub name: &'static str,
    /// Type in Rust
    pub ty: &'static str,
}

/// What stands behind the fixed parameters
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variadic {
    /// None: the number of arguments is fixed
    No,
    /// One more argument: a `mode_t` that is there only when `flags` create a file, or a `c_long` that is always taken
    One(Param),
    /// Any number of arguments, passed on as a `va_list` to the named function
    List(Param, &'static str),
    /// Up to six words more, `a` to `f`: those that are not there hold anything
    Longs,
    /// Words up to NULL, the last parameter the first of them, passed on as an array to the named function
    Words {
        /// Whether the environment follows
        environment: bool,
        /// The function
        via: &'static str,
    },
}

impl Variadic {
    /// The function that is called in the place of the row's own
    pub fn via(self) -> Option<&'static str> {
        match self {
            Variadic::List(_, via) | Variadic::Words { via, .. } => Some(via),
            Variadic::No | Variadic::One(_) | Variadic::Longs => None,
        }
    }
}

impl Call {
    /// What a program asks for in memory that it shares with the kernel: no function is called, none is hooked
    pub fn is_request(&self) -> bool {
        self.shape == Shape::Request
    }

    /// Its hook cannot be a function: a child returns through the frame of its parent
    pub fn returns_twice(&self) -> bool {
        self.shape == Shape::Vfork
    }

    /// What readers of a trace must know of it
    pub const fn effects(&self) -> Effects {
        let moves = matches!(self.kind, Kind::Read | Kind::Write);
        Effects {
            counts: if moves {
                self.shape.counts()
            } else {
                Counts::Nothing
            },
            handles: self.shape.handles(self.kind),
        }
    }

    /// Its fixed parameters
    pub fn params(&self) -> impl DoubleEndedIterator<Item = Param> + Clone + use<> {
        let each = self.params.split_terminator(';');
        each.filter_map(|param| {
            let (name, ty) = param.split_once(": ")?;
            Some(Param { name, ty })
        })
    }

    /// Arguments of the shape's function: Rust expressions over the parameters
    pub fn args(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.args.split_terminator(';')
    }

    /// The parameter that its shape gets at this place; None: something else, or more than one
    pub fn parameter(&self, place: usize) -> Option<usize> {
        let name = self.args().nth(place)?.split([' ', '.']).next()?;
        self.params().position(|param| param.name == name)
    }
}

/// A row of the table
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The function's name, which is also the operation's name in traces
    pub name: &'static str,
    /// Fixed parameters, each as `NAME: TYPE;`. The compiler takes twice as long for a list
    pub(crate) params: &'static str,
    /// Parameters behind them
    pub variadic: Variadic,
    /// Return type in Rust
    pub ret: &'static str,
    /// The software level that it belongs to
    pub layer: Layer,
    /// What it does: reads, writes, opens, ...
    pub kind: Kind,
    /// How it is recorded
    pub shape: Shape,
    /// Arguments of the shape's function, each behind `;`
    pub(crate) args: &'static str,
    /// Heading in the documentation
    pub group: &'static str,
    /// Where it is defined
    pub library: Library,
    /// Of the C library, the version since which its libc.so and libc.a have it, if that is above the floor. The symbol
    /// versions under which an optional library has had it; of a library above MPI-IO, the first version that
    /// has it, if older ones do not, and the first that has it no more
    pub versions: &'static [&'static str],
    /// If it is one of several functions that differ in the type of the elements: their name, with `TYPE` for that
    pub family: &'static str,
}

const NONE: Call = Call {
    name: "",
    params: "",
    variadic: Variadic::No,
    ret: "()",
    layer: Layer::User,
    kind: Kind::Other,
    shape: Shape::Global,
    args: "",
    group: "",
    library: Library::Libc,
    versions: &[],
    family: "",
};

pub(crate) const fn count(parts: &[&[Call]]) -> usize {
    let (mut rows, mut part) = (0, 0);
    while part < parts.len() {
        rows += parts[part].len();
        part += 1;
    }
    rows
}

/// The rows of a list of lists, one after the other
pub(crate) const fn flat<const N: usize>(parts: &[&[Call]]) -> [Call; N] {
    let all = concat::<N>(parts, 0);
    assert!(count(parts) == N);
    all
}

/// The parts one after the other, behind so many reserved entries
pub(crate) const fn concat<const N: usize>(parts: &[&[Call]], reserved: usize) -> [Call; N] {
    let mut all = [NONE; N];
    let (mut rest, mut part) = (all.split_at_mut(reserved).1, 0);
    while part < parts.len() {
        let (own, behind) = rest.split_at_mut(parts[part].len());
        own.copy_from_slice(parts[part]);
        (rest, part) = (behind, part + 1);
    }
    all
}
