//! Lustre: how a file lies on its OSTs, and which bytes of it are where.

#[cfg(any(test, feature = "std"))]
pub mod blob;
mod component;
mod layout;
#[cfg(any(test, feature = "std"))]
mod parse;
mod share;
mod show;

pub use component::{Component, END_OF_FILE, FOREIGN, Storage, V1, V3};
pub use layout::{ATTRIBUTE, COMPOSITE, Components, Layout, LayoutForm, SUPER_MAGIC, wish};
#[cfg(any(test, feature = "std"))]
pub use parse::parse;
pub use share::Target;
