//! The shared flavour: public names over the next definition
#![no_std]
