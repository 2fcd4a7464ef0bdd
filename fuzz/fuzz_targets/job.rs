//! Any text as a job file of the load generator: read, and its phases made of it.
#![no_main]

use iota_fuzz::file;
use iota_load::job::Job;
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

static FILE: LazyLock<PathBuf> = LazyLock::new(|| file("job"));

fuzz_target!(|data: &[u8]| {
    std::fs::write(&*FILE, data).expect("room for the input");
    if let Ok(job) = Job::read(&FILE) {
        std::hint::black_box(job.phases(&[]).is_ok());
    }
});
