//! Any calls as a recording: a script is made of them, in which nobody waits for what never comes.
#![no_main]

use iota_load::replay::{Recorded, Script};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use std::collections::HashMap;

const NAMES: [&str; 16] = [
    "open",
    "close",
    "read",
    "write",
    "pread64",
    "pwrite64",
    "lseek",
    "dup",
    "dup2",
    "fopen",
    "fread",
    "fwrite",
    "fclose",
    "ftruncate",
    "unlink",
    "stat",
];
const PATHS: [&[u8]; 5] = [b"", b"/a", b"/b", b"/dev/null", b"/dev/shm/x"];
const MOST: usize = 200;

fuzz_target!(|data: &[u8]| {
    let mut data = Unstructured::new(data);
    let mut calls = Vec::new();
    while let Ok(call) = call(&mut data) {
        if data.is_empty() || calls.len() == MOST {
            break;
        }
        calls.push(call);
    }
    check(&Script::new(calls));
});

fn call(data: &mut Unstructured) -> Result<Recorded> {
    let name = *data.choose(&NAMES)?;
    // Mostly small numbers, which meet each other.
    let mut number = || -> Result<i64> {
        match data.arbitrary::<u8>()? {
            0xff => data.arbitrary(),
            small => Ok(i64::from(small as i8)),
        }
    };
    let numbers: [i64; 10] = {
        let mut numbers = [0; 10];
        for place in &mut numbers {
            *place = number()?;
        }
        numbers
    };
    let [
        process,
        thread,
        fd,
        offset,
        length,
        ret,
        start,
        end,
        id,
        parent,
    ] = numbers;
    Ok(Recorded {
        process: process as u32 % 3,
        thread: thread as u32 % 3,
        name: name.into(),
        moves: data.arbitrary()?,
        stream: name.starts_with('f') && name != "ftruncate",
        makes: ["open", "fopen", "dup", "dup2"].contains(&name),
        path: (*data.choose(&PATHS)?).into(),
        fd: fd as i32,
        offset,
        length: length as u64,
        ret,
        errno: data.int_in_range(0..=40)?,
        whence: data.int_in_range(0..=3)?,
        times: (start, end),
        id: id as u64,
        parent: parent as u64,
    })
}

/// Numbers stand for something, and every turn of a handle comes once.
fn check(script: &Script) {
    let mut turns: HashMap<u32, Vec<u32>> = HashMap::new();
    for call in script.threads.iter().flatten() {
        assert!((call.file as usize) < script.files.len());
        let is_known = |handle: u32| handle == u32::MAX || (handle as usize) < script.handles.len();
        assert!(is_known(call.handle) && is_known(call.copy));
        if call.handle != u32::MAX && call.function.keeps_turn() {
            turns.entry(call.handle).or_default().push(call.turn);
        }
    }
    for turns in turns.values_mut() {
        turns.sort_unstable();
        assert!(turns.is_sorted_by(|a, b| a < b), "{turns:?}");
    }
}
