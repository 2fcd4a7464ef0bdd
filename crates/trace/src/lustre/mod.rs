//! Lustre: how a file lies on its OSTs, and which bytes of it are where.

#[cfg(any(test, feature = "std"))]
pub mod blob;
mod layout;
#[cfg(any(test, feature = "std"))]
mod parse;
mod share;
mod show;

pub use layout::{
    ATTRIBUTE, COMPOSITE, Component, Components, END_OF_FILE, FOREIGN, Form, Layout, Place,
    SUPER_MAGIC, V1, V3, wish,
};
#[cfg(any(test, feature = "std"))]
pub use parse::parse;
pub use share::Target;
