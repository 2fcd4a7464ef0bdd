//! The table rendered: hooks, C stubs, wraps.txt, docs/CALLS.md, signature checks
#![no_std]
