//! What a block costs: nanoseconds and bytes an event, on synthetic loops and on calls made and timed here.
//!
//! `cargo bench -p iota-trace` prints one line for each pattern: medians of many blocks.

use std::hint::black_box;
use std::time::Instant;

use iota_trace::block::{HEADER_SIZE, Header, Ids};
use iota_trace::clock::{Step, TICK};
use iota_trace::{Record, decode, encode};

mod patterns;

const BLOCKS: usize = 24;
const ROUNDS: usize = 41;

fn main() {
    println!(
        "{:24} {:>9} {:>10} {:>10} {:>9}",
        "pattern", "events", "encode ns", "decode ns", "bytes"
    );
    for (name, make) in patterns::ALL {
        let (step, records) = make(BLOCKS * encode::MAX_RECORDS);
        let figures = Figures::of(&records, &step);
        println!(
            "{name:24} {:>9} {:>10.2} {:>10.2} {:>9.3}",
            figures.events, figures.encode, figures.decode, figures.bytes
        );
    }
}

struct Figures {
    events: usize,
    encode: f64,
    decode: f64,
    bytes: f64,
}

impl Figures {
    fn of(records: &[Record], step: &Step) -> Figures {
        let mut scratch = Box::new(encode::Scratch::NEW);
        let mut out = vec![0u8; encode::MAX_BLOCK];
        let calls = records.iter().map(|r| r.id).max().unwrap_or(0).into();
        let mut encode = |part: &[Record]| {
            encode::events(part, step, calls, Ids::default(), &mut scratch, &mut out).unwrap()
        };
        let blocks: Vec<&[Record]> = records.chunks(encode::MAX_RECORDS).collect();
        let encode_ns = medians(&blocks, |part| encode(black_box(part)));
        let mut coded = Vec::new();
        for part in &blocks {
            let len = encode(part);
            coded.push(len);
        }
        let bytes: usize = coded.iter().sum();
        let coded: Vec<Vec<u8>> = blocks
            .iter()
            .map(|part| {
                let mut out = vec![0u8; encode::MAX_BLOCK];
                let mut scratch = Box::new(encode::Scratch::NEW);
                let len = encode::events(part, step, calls, Ids::default(), &mut scratch, &mut out)
                    .unwrap();
                out.truncate(len);
                out
            })
            .collect();
        let mut scratch = Box::new(decode::Scratch::NEW);
        let decode_ns = medians(&coded, |block| {
            let header = Header::parse(block).unwrap();
            let mut sum = 0;
            decode::events(&header, &block[HEADER_SIZE..], &mut scratch, |event| {
                sum ^= event.end
            })
            .unwrap();
            black_box(sum) as usize
        });
        let events: usize = coded
            .iter()
            .map(|block| Header::parse(block).unwrap().count as usize)
            .sum();
        Figures {
            events,
            encode: encode_ns / events as f64,
            decode: decode_ns / events as f64,
            bytes: bytes as f64 / events as f64,
        }
    }
}

/// Sum over `items` of the median time of `work` on each.
fn medians<T>(items: &[T], mut work: impl FnMut(&T) -> usize) -> f64 {
    let mut times = vec![Vec::new(); items.len()];
    for _ in 0..ROUNDS {
        for (item, times) in items.iter().zip(&mut times) {
            let start = Instant::now();
            black_box(work(item));
            times.push(start.elapsed().as_nanos() as f64);
        }
    }
    times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .sum()
}

#[allow(dead_code)]
const ONE_TICK: u64 = TICK;
