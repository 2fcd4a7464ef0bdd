//! Any bytes as the payload of an events block: decoded; what comes out is encoded and decoded again.
#![no_main]

use iota_trace::block::{HEADER_SIZE, Header, Ids, kind};
use iota_trace::clock::{Step, TICK};
use iota_trace::{Event, OP_DETAILS, OP_MORE, OP_NONE, Record, decode, encode, flags};
use libfuzzer_sys::fuzz_target;

/// What is no function: no writer makes a call of it.
const NO_CALLS: [u16; 3] = [OP_NONE, OP_MORE, OP_DETAILS];

fuzz_target!(|data: &[u8]| {
    let Some((count, payload)) = data.split_first_chunk::<2>() else {
        return;
    };
    let header = Header::new(
        kind::EVENTS,
        Ids::default(),
        u32::from(u16::from_le_bytes(*count)) % 2048 + 1,
    );
    let events = decoded(&header, payload);
    let calls = events.iter().filter(|event| !NO_CALLS.contains(&event.op));
    // The numbers of calls end at `u32::MAX` here, which is said below: behind it none has the low half 0.
    let calls = calls.filter(|event| event.id as u32 != 0);
    let records: Vec<Record> = calls.flat_map(records).collect();
    let records = &records[..records.len().min(encode::MAX_RECORDS)];
    let mut out = vec![0; encode::MAX_BLOCK];
    let mut scratch = Box::new(encode::Scratch::NEW);
    let step = Step::new(0, TICK);
    let len = encode::events(
        records,
        &step,
        u32::MAX.into(),
        Ids::default(),
        &mut scratch,
        &mut out,
    )
    .expect("room");
    if len > 0 {
        let header = Header::parse(&out).expect("a header");
        assert_eq!(
            decoded(&header, &out[HEADER_SIZE..len]),
            again(records, &step)
        );
    }
});

fn decoded(header: &Header, payload: &[u8]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut scratch = Box::new(decode::Scratch::NEW);
    let _ = decode::events(header, payload, &mut scratch, |event| events.push(*event));
    events
}

/// The records that an event could have been.
fn records(e: &Event) -> Vec<Record> {
    let (start, end, id) = (e.start as u64, e.end as u64, e.id as u32);
    let parent = if e.parent as u32 == id {
        0
    } else {
        e.parent as u32
    };
    let Event {
        ret,
        offset,
        length,
        file,
        fd,
        op,
        errno,
        flags,
        whence,
        ..
    } = *e;
    let record = Record {
        start,
        end,
        ret,
        offset,
        length,
        id,
        parent,
        file,
        fd,
        op,
        errno,
        flags,
        whence,
    };
    let more = Record::more(e.second.file, e.second.fd, e.second.offset, e.second.arg);
    if e.flags & flags::MORE == 0 {
        vec![record]
    } else {
        vec![record, more]
    }
}

fn again(records: &[Record], step: &Step) -> Vec<Event> {
    let nexts = records.iter().skip(1).map(Some).chain([None]);
    let calls = records
        .iter()
        .zip(nexts)
        .filter(|(record, _)| record.op != OP_MORE);
    calls
        .map(|(record, next)| Event::of(record, next, step, 0, u32::MAX.into()))
        .collect()
}
