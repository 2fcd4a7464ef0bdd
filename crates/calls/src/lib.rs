//! The table of intercepted calls
#![no_std]
