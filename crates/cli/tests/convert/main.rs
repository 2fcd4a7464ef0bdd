//! `iota convert`: every format out of a trace and into one, and what goes wrong on the way.

#[path = "../common/mod.rs"]
mod common;

mod bad;
mod columns;
mod copies;
mod darshan;
mod dftracer;
mod groups;
mod into;
mod names;
mod otf2;
mod otf2_bad;
mod out;
mod printed;
mod round;
mod signals;
mod table;
