//! What rendered hooks need of `iota_calls`.
#![no_std]

#[derive(Clone, Copy)]
pub struct Op(pub u16);
