//! What a block costs: nanoseconds and bytes an event, on synthetic loops and on calls made and timed here.
//!
//! `cargo bench -p iota-trace` prints a line for each pattern, `cargo bench -p iota-trace --bench codec -- nested` for those with that in their names. The median is over rounds, the least is what
//! a busy machine cannot hide; both are sums over blocks, divided by their events.

use std::hint::black_box;
use std::time::Instant;

use iota_trace::block::{HEADER_SIZE, Header, Ids};
use iota_trace::{Record, Step, decode, encode};

mod patterns;

const BLOCKS: usize = 24;
const ROUNDS: usize = 41;

fn main() {
    println!(
        "{:24} {:>17} {:>17} {:>8}",
        "ns an event", "encode (least)", "decode (least)", "bytes"
    );
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    for (name, make) in patterns::ALL {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(&**wanted)) {
            continue;
        }
        let (step, records) = make(BLOCKS * encode::MAX_RECORDS);
        let blocks: Vec<&[Record]> = records.chunks(encode::MAX_RECORDS).collect();
        let (encoded, coded) = encoding(&blocks, &step);
        let decoded = decoding(&coded);
        let events = coded
            .iter()
            .map(|block| Header::parse(block).unwrap().count)
            .sum::<u32>()
            .into();
        let bytes = coded.iter().map(Vec::len).sum::<usize>() as f64 / events;
        println!(
            "{name:24} {} {} {bytes:>8.3}",
            encoded.per(events),
            decoded.per(events)
        );
    }
}

fn encoding(blocks: &[&[Record]], step: &Step) -> (Cost, Vec<Vec<u8>>) {
    let calls = blocks
        .iter()
        .flat_map(|block| block.iter())
        .map(|record| record.id)
        .max()
        .unwrap_or(0)
        .into();
    let mut scratch = Box::new(encode::Scratch::NEW);
    let mut out = vec![0; encode::MAX_BLOCK];
    let mut encode = |records: &[Record]| {
        let len = encode::events(
            black_box(records),
            step,
            calls,
            Ids::default(),
            &mut scratch,
            &mut out,
        );
        out[..len.unwrap()].to_vec()
    };
    (
        Cost::of(blocks, |block| encode(block)),
        blocks.iter().map(|block| encode(block)).collect(),
    )
}

fn decoding(coded: &[Vec<u8>]) -> Cost {
    let mut scratch = Box::new(decode::Scratch::NEW);
    Cost::of(coded, |block| {
        let header = Header::parse(block).unwrap();
        let mut sum = 0;
        decode::events(&header, &block[HEADER_SIZE..], &mut scratch, |event| {
            sum ^= event.end
        })
        .unwrap();
        sum
    })
}

struct Cost {
    median: f64,
    least: f64,
}

impl Cost {
    /// Of `work` on each of `items`, summed up.
    fn of<T, R>(items: &[T], mut work: impl FnMut(&T) -> R) -> Cost {
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
            .for_each(|times| times.sort_by(f64::total_cmp));
        let sum = |nth: usize| times.iter().map(|times| times[nth]).sum();
        Cost {
            median: sum(ROUNDS / 2),
            least: sum(0),
        }
    }

    fn per(&self, events: f64) -> String {
        format!(
            "{:>8.2} {:>8}",
            self.median / events,
            format!("({:.2})", self.least / events)
        )
    }
}
