//! The link-time flavour.
#![no_std]
