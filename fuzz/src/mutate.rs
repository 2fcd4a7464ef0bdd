//! Changes a trace block by block: what comes out is a row of whole blocks with right lengths and checksums, and its
//! indices and footers say where these stand, unless it was them that were changed.

use crate::random::Random;
use crate::seal;
use iota_trace::block::{HEADER_SIZE, Header, MAGIC, kind};
use libfuzzer_sys::fuzzer_mutate;
use miniz_oxide::{deflate, inflate};

/// Where the length of its payload stands in a block.
const LENGTH: std::ops::Range<usize> = 8..12;
/// Bytes that a payload may grow by.
const GROWTH: usize = 256;

/// Changes `data[..size]` to something of at most `most` bytes; returns how many.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    let mut blocks = blocks(&data[..size]);
    // Now and then the bytes as they come, whatever they are.
    if blocks.is_empty() || random.below(16) == 0 {
        return fuzzer_mutate(data, size, most);
    }
    for _ in 0..=random.below(3) {
        change(&mut blocks, &mut random);
    }
    if random.below(8) > 0 {
        footer_of_all(&mut blocks);
    }
    let all = blocks.concat();
    if all.len() > most {
        return fuzzer_mutate(data, size, most);
    }
    data[..all.len()].copy_from_slice(&all);
    all.len()
}

/// The blocks of a trace; what is none stays with the one before.
fn blocks(data: &[u8]) -> Vec<Vec<u8>> {
    let (mut blocks, mut at) = (Vec::new(), 0);
    while let Some(header) = Header::parse(&data[at..]).filter(|_| data[at..].starts_with(&MAGIC)) {
        let length = header.block_len() as usize;
        if length < HEADER_SIZE || length > data.len() - at {
            break;
        }
        blocks.push(data[at..at + length].to_vec());
        at += length;
    }
    blocks
}

fn change(blocks: &mut Vec<Vec<u8>>, random: &mut Random) {
    let (at, other) = (random.below(blocks.len()), random.below(blocks.len()));
    match random.below(10) {
        0 if blocks.len() > 1 => drop(blocks.remove(at)),
        1 if blocks.len() < 64 => blocks.insert(at, blocks[other].clone()),
        2 => blocks.swap(at, other),
        3 => header(&mut blocks[at], random),
        _ => payload(&mut blocks[at]),
    }
}

/// One field of the header: kind, count, ids, times.
fn header(block: &mut [u8], random: &mut Random) {
    let at = random.below(HEADER_SIZE);
    let is_fixed = at < 4 || LENGTH.contains(&at) || (28..32).contains(&at);
    if !is_fixed {
        block[at] = [0, 1, 0x7f, 0x80, 0xff, block[at] ^ 1][random.below(6)];
    }
    seal(block);
}

/// Its contents, as libFuzzer changes bytes; the header says how many they are.
fn payload(block: &mut Vec<u8>) {
    let Some(header) = Header::parse(block) else {
        return;
    };
    let start = usize::from(header.header_len).clamp(HEADER_SIZE, block.len());
    let contents = block.split_off(start);
    block.extend(match header.kind {
        kind::PACK => packed(&contents),
        _ => changed(contents),
    });
    let length = block.len() - start;
    block[LENGTH].copy_from_slice(&(length as u32).to_le_bytes());
    seal(block);
}

fn changed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = bytes.len();
    bytes.resize(length + GROWTH, 0);
    let length = fuzzer_mutate(&mut bytes, length, length + GROWTH);
    bytes.truncate(length);
    bytes
}

/// What was compressed changes, and is compressed again.
fn packed(contents: &[u8]) -> Vec<u8> {
    let compressed = contents.get(4..).unwrap_or_default();
    let Ok(raw) = inflate::decompress_to_vec_with_limit(compressed, 1 << 20) else {
        return changed(contents.to_vec());
    };
    let raw = changed(raw);
    [
        &(raw.len() as u32).to_le_bytes()[..],
        &deflate::compress_to_vec(&raw, 1),
    ]
    .concat()
}

/// The last footer says how long all is, and where the last index stands.
fn footer_of_all(blocks: &mut [Vec<u8>]) {
    let kind_of = |block: &Vec<u8>| Header::parse(block).map(|header| header.kind);
    let length: usize = blocks.iter().map(Vec::len).sum();
    let index = blocks
        .iter()
        .rposition(|block| kind_of(block) == Some(kind::INDEX));
    let before = blocks
        .iter()
        .take(index.unwrap_or(0))
        .map(Vec::len)
        .sum::<usize>();
    let Some(footer) = blocks
        .last_mut()
        .filter(|block| kind_of(block) == Some(kind::FOOTER))
    else {
        return;
    };
    if let Some(fields) = footer.get_mut(HEADER_SIZE..HEADER_SIZE + 16) {
        fields[..8].copy_from_slice(&(length as u64).to_le_bytes());
        fields[8..].copy_from_slice(&(before as u64).to_le_bytes());
        seal(footer);
    }
}
