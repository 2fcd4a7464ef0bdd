//! The column code of events blocks: one model predicts every field of the next event on both sides,
//! and only what it got wrong is written, as tokens under a Huffman code for each column and raw bits beside them.

pub mod bits;
pub mod collected;
pub mod decoder;
pub mod details;
pub mod encoder;
mod error;
pub mod huffman;
pub mod model;
pub mod pace;
pub mod plain;
mod rice;
mod side;
mod symbols;
pub mod token;
pub mod told;
mod young;
mod zigzag;

pub use error::Error;
pub use side::Side;
pub use symbols::{EARLY, ENCODING, PLAIN, mask};
pub use zigzag::{unzigzag, zigzag};
