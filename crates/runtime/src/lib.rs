//! The tracer inside the traced process
#![no_std]
