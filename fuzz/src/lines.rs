//! Changes a log line by line and field by field: what comes out has lines of the right form with numbers that none has.

use crate::random::Random;
use libfuzzer_sys::fuzzer_mutate;

/// What may stand instead of a number.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "4096",
    "2147483647",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "9223372036.854775807",
    "1e308",
];

/// Changes `data[..size]` to something of at most `most` bytes; returns how many.
pub fn mutate_lines(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    if random.below(4) == 0 {
        return fuzzer_mutate(data, size, most);
    }
    let mut lines: Vec<Vec<u8>> = data[..size]
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..=random.below(3) {
        change(&mut lines, &mut random);
    }
    let all = lines.join(&b'\n');
    if all.len() > most {
        return fuzzer_mutate(data, size, most);
    }
    data[..all.len()].copy_from_slice(&all);
    all.len()
}

fn change(lines: &mut Vec<Vec<u8>>, random: &mut Random) {
    let (at, other) = (random.below(lines.len()), random.below(lines.len()));
    match random.below(8) {
        0 if lines.len() > 2 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[other].clone()),
        2 => lines.swap(at, other),
        3 => bytes(&mut lines[at]),
        _ => field(lines, at, other, random),
    }
}

/// A line as libFuzzer changes bytes.
fn bytes(line: &mut Vec<u8>) {
    let length = line.len();
    line.resize(length + 32, 0);
    let length = fuzzer_mutate(line, length, length + 32);
    line.truncate(length);
}

/// One field: another number, or one of another line.
fn field(lines: &mut [Vec<u8>], at: usize, other: usize, random: &mut Random) {
    let (here, there) = (fields(&lines[at]), fields(&lines[other]));
    let Some(here) = here.get(random.below(here.len())).cloned() else {
        return;
    };
    let new = match there.get(random.below(there.len())) {
        Some(there) if random.below(2) == 0 => lines[other][there.clone()].to_vec(),
        _ => NUMBERS[random.below(NUMBERS.len())].into(),
    };
    lines[at].splice(here, new);
}

/// Where words of a line stand.
fn fields(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./-".contains(byte);
    let (mut all, mut at) = (Vec::new(), 0);
    for word in line.chunk_by(|a, b| is_word(a) == is_word(b)) {
        if word.first().is_some_and(is_word) {
            all.push(at..at + word.len());
        }
        at += word.len();
    }
    all
}
