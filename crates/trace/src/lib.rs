//! The .iota trace format: records, blocks, parts; writer without std, reader with it
#![no_std]
