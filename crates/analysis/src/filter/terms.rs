//! What a filter consists of.

use crate::{Function, Medium};
use iota_calls::Kind;
use iota_trace::glob;
use std::ops::RangeInclusive;

/// Calls that meet all terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// The terms, in the order in which they were given.
    pub terms: Vec<Term>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number among ranges, or not among them.
    Among(Number, bool, Vec<RangeInclusive<i64>>),
    /// A name that one of the wildcards matches, or none.
    Named(Name, bool, Vec<Vec<u8>>),
    /// What the function does, or does not.
    Class(bool, Vec<Kind>),
    /// The call was under way in this time, first and last moment in ns since the job's start.
    During(RangeInclusive<i64>),
    /// The call failed, or did not.
    Failed(bool),
    /// MPI made the call for itself, while it started or ended, or it did not.
    Startup(bool),
    /// Its file is on one of these.
    On(Vec<Medium>),
}

/// A number that a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Rank in MPI_COMM_WORLD.
    Rank,
    /// The process.
    Pid,
    /// The number of the thread in its process.
    Thread,
    /// The descriptor.
    Fd,
    /// The offset; a call without one has none of any value.
    Offset,
    /// Bytes asked for, of calls that read or write; others have none.
    Length,
    /// Bytes moved.
    Bytes,
    /// The result.
    Ret,
    /// The error number.
    Errno,
    /// How long it took, in ns.
    Elapse,
    /// When it began, in ns since the job's start.
    Start,
    /// When it ended.
    End,
}

/// A name that a call has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// The path of its file, or of its second one.
    File,
    /// The directory that this path is in.
    Dir,
    /// The function.
    Op,
    /// The name of the layer, such as posix.
    Layer,
    /// The node.
    Host,
    /// The dataset, variable or attribute.
    Object,
    /// The function and line of the program.
    Site,
}

impl Filter {
    /// Whether every call passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// What passes both.
    #[must_use]
    pub fn and(mut self, other: Filter) -> Filter {
        self.terms.extend(other.terms);
        self
    }

    /// Without what MPI does for itself while it starts and ends, unless a term asks for or against that.
    #[must_use]
    pub fn of_program(mut self) -> Filter {
        if !self
            .terms
            .iter()
            .any(|term| matches!(term, Term::Startup(_)))
        {
            self.terms.push(Term::Startup(false));
        }
        self
    }

    /// Whether it asks for what MPI does for itself while it starts and ends.
    pub fn asks_for_startup(&self) -> bool {
        self.terms.contains(&Term::Startup(true))
    }

    /// Only calls on storage, unless [`Filter::chooses_files`].
    #[must_use]
    pub fn on_storage(mut self) -> Filter {
        if !self.chooses_files() {
            self.terms.push(Term::On(vec![Medium::Storage]));
        }
        self
    }

    /// Whether a term asks for or against files or descriptors, or what files are on.
    pub fn chooses_files(&self) -> bool {
        self.terms.iter().any(|term| {
            matches!(
                term,
                Term::On(_) | Term::Named(Name::File | Name::Dir, ..) | Term::Among(Number::Fd, ..)
            )
        })
    }

    /// Whether a user chose calls: [`Filter::of_program`] and [`Filter::on_storage`] alone are no choice.
    pub fn is_chosen(&self) -> bool {
        let implied = [Term::Startup(false), Term::On(vec![Medium::Storage])];
        self.terms.iter().any(|term| !implied.contains(term))
    }

    /// Whether it selects layers.
    pub fn asks_for_layers(&self) -> bool {
        let is_layer = |term: &Term| matches!(term, Term::Named(Name::Layer, ..));
        self.terms.iter().any(is_layer)
    }

    /// Whether it selects the layer of a function, whatever else it asks.
    pub fn is_of_layers(&self, function: &Function) -> bool {
        self.terms.iter().all(|term| match term {
            Term::Named(Name::Layer, wanted, globs) => layer(globs, function) == *wanted,
            _ => true,
        })
    }
}

/// Whether a pattern matches the name of a function's layer, written with its hyphen or without.
pub(super) fn layer(globs: &[Vec<u8>], function: &Function) -> bool {
    let name = function.layer_name();
    let plain = name.replace('-', "");
    globs.iter().any(|glob| {
        let glob = glob.to_ascii_uppercase();
        glob::matches(&glob, name.as_bytes()) || glob::matches(&glob, plain.as_bytes())
    })
}

/// An error's number; those of MPI's classes stand beyond the system's.
pub(super) fn error(number: u16, is_class: bool) -> i64 {
    match number {
        0 => 0,
        number => i64::from(number) | i64::from(is_class) << 16,
    }
}
