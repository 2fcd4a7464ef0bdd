//! Bytes and time of OSTs, against a model that asks for each byte.

use iota_analysis::stat::{Holder, Stat};
use iota_analysis::{Job, Pass};
use iota_calls::Op;
use iota_trace::Event;
use iota_trace::lustre::blob::{Comp, composite, plain};
use iota_trace::lustre::{END_OF_FILE, Layout, Storage};
use iota_trace::read::{Options, Trace};
use iota_trace::write::{ProcessFacts, Writer};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A transfer: file, whether it writes, offset, bytes, ns.
type Transfer = (usize, bool, i64, u64, i64);

fn layouts() -> [Option<Vec<u8>>; 4] {
    let grown = composite(&[
        Comp::new(0, 64, 0x10, 0x100, 64, 0, &[]),
        Comp::new(64, 200, 0x10, 1, 16, 2, &[8, 9]),
        Comp::new(200, END_OF_FILE, 0, 1, 16, 4, &[]),
    ]);
    [
        Some(plain(1, 10, 3, &[5, 6, 7], None)),
        Some(plain(1, 7, 1, &[5], None)),
        Some(grown),
        None,
    ]
}

fn written(transfers: &[Transfer]) -> tempfile::NamedTempFile {
    let mut writer = Writer::new(tempfile::tempfile().unwrap());
    let part = writer.part(0, 1, ProcessFacts::default());
    let files = layouts().map(|_| 0u32);
    let files: Vec<u32> = (0..files.len())
        .map(|n| {
            let file = writer.file(part, format!("/scratch/{n}").as_bytes());
            match &layouts()[n] {
                Some(layout) => writer.layout(part, file, layout),
                None => file,
            }
        })
        .collect();
    let mut now = 0;
    for (number, (file, is_write, offset, bytes, elapse)) in (1..).zip(transfers) {
        let name = match is_write {
            true => "pwrite64",
            false => "pread64",
        };
        let op = writer.op(part, Op::of(name).info().unwrap().into());
        let event = Event {
            start: now,
            end: now + elapse,
            ret: *bytes as i64,
            offset: *offset,
            length: *bytes,
            id: number,
            thread: 1,
            file: files[*file],
            fd: 3,
            op,
            ..Event::default()
        };
        now += elapse + 10;
        writer.call(part, &event).unwrap();
    }
    let mut out = tempfile::NamedTempFile::new().unwrap();
    writer
        .finish(iota_trace::Nanos(0), out.as_file_mut())
        .unwrap();
    out
}

/// Who holds a byte.
fn holder(layout: &[u8], offset: u64, is_write: bool) -> Holder {
    let Some(part) = Layout(layout).at(offset, is_write) else {
        return Holder::Unknown;
    };
    let osts: Vec<u32> = part.osts().collect();
    match part.storage() {
        Storage::Mdt => Holder::Mdt,
        _ if osts.is_empty() => Holder::Unknown,
        _ => Holder::Ost(osts[(offset / u64::from(part.stripe_size)) as usize % osts.len()]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_byte_and_all_time_is_somewhere(
        transfers in proptest::collection::vec((0usize..4, any::<bool>(), -1i64..300, 0u64..200, 0i64..1000), 0..60),
        threads in 1usize..3,
    ) {
        let file = written(&transfers);
        let trace = Trace::open(&[file.path().to_owned()], Options::default()).unwrap();
        let job = Job::in_units_of(&trace, 7);
        let stat = Pass::of(&job).threads(threads).run(|| Stat::new(&job));
        let mut bytes: BTreeMap<Holder, [u64; 2]> = BTreeMap::new();
        let mut calls: BTreeMap<Holder, u64> = BTreeMap::new();
        let mut time = 0;
        for (file, is_write, offset, length, elapse) in &transfers {
            let Some(layout) = &layouts()[*file] else { continue };
            let mut touched: BTreeMap<Holder, u64> = BTreeMap::new();
            for n in 0..*length {
                let at = match offset {
                    -1 => Holder::Unknown,
                    offset => holder(layout, *offset as u64 + n, *is_write),
                };
                *touched.entry(at).or_default() += 1;
            }
            for (holder, sum) in touched {
                bytes.entry(holder).or_default()[usize::from(*is_write)] += sum;
                *calls.entry(holder).or_default() += 1;
            }
            time += if *length > 0 { *elapse as u64 } else { 0 };
        }
        let found: BTreeMap<_, _> = stat.osts.all().map(|(holder, stat)| (holder, stat.bytes)).collect();
        prop_assert_eq!(found, bytes);
        let found: BTreeMap<_, _> = stat.osts.all().map(|(holder, stat)| (holder, stat.calls)).collect();
        prop_assert_eq!(found, calls);
        prop_assert_eq!(stat.osts.all().map(|(_, stat)| stat.time).sum::<u64>(), time);
    }
}
