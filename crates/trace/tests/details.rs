//! Details of calls come out of a block as they went in, and cost what is in them.

use iota_trace::block::{HEADER_SIZE, Header, Ids};
use iota_trace::clock::TICK;
use iota_trace::details::{MOST, MOST_FIELDS};
use iota_trace::{
    Details, Event, OP_DETAILS, OP_MORE, OP_NONE, Record, Step, decode, encode, flags,
};
use proptest::prelude::*;

/// A call and its details.
type Call = (Event, Vec<Details>);

fn call(id: u64, op: u16, file: u32) -> Event {
    Event {
        start: 100 * id as i64,
        end: 100 * id as i64 + 40,
        ret: 8,
        offset: 8 * id as i64,
        length: 8,
        id,
        thread: 9,
        file,
        fd: 5,
        op,
        ..Event::default()
    }
}

fn records(calls: &[Call]) -> Vec<Record> {
    let records = |(event, details): &Call| event.records_with(details).collect::<Vec<_>>();
    calls.iter().flat_map(records).collect()
}

fn coded(records: &[Record]) -> Vec<u8> {
    let mut scratch = Box::new(encode::Scratch::NEW);
    coded_in(&mut scratch, &[records])
}

/// A block of records that come in pieces.
fn coded_in(scratch: &mut encode::Scratch, pieces: &[&[Record]]) -> Vec<u8> {
    let mut out = vec![0; encode::MAX_BLOCK];
    let step = Step::new(0, TICK);
    for piece in pieces {
        encode::add(piece, &step, u32::MAX.into(), scratch);
    }
    let ids = Ids {
        thread: 9,
        ..Ids::default()
    };
    let len = encode::finish(ids, scratch, &mut out).unwrap();
    out.truncate(len);
    out
}

fn decoded(block: &[u8]) -> Vec<Call> {
    let header = Header::parse(block).unwrap();
    let mut scratch = Box::new(decode::Scratch::NEW);
    let (mut calls, payload) = (Vec::new(), &block[usize::from(header.header_len)..]);
    decode::detailed(&header, payload, &mut scratch, |event, details| {
        calls.push((*event, details.to_vec()));
    })
    .unwrap();
    let mut events = Vec::new();
    decode::events(&header, payload, &mut scratch, |event| events.push(*event)).unwrap();
    assert!(events.iter().eq(calls.iter().map(|(event, _)| event)));
    calls
}

fn check(calls: &[Call]) {
    let records = records(calls);
    assert!(records.len() <= encode::MAX_RECORDS);
    let back = decoded(&coded(&records));
    let differs = back.iter().zip(calls).position(|(a, b)| a != b);
    assert_eq!(differs.map(|at| (&back[at], &calls[at])), None);
    assert_eq!(back.len(), calls.len());
}

/// Any number, but often a small or an extreme one.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0..20u64, 2 => (0..64u32).prop_map(|e| 1 << e), 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn details() -> impl Strategy<Value = Details> {
    let form = prop_oneof![4 => 1..4u16, 1 => any::<u16>()];
    let numbers = prop::collection::vec(number(), 0..=MOST_FIELDS);
    (form, numbers).prop_map(|(form, numbers)| Details::new(form, &numbers))
}

prop_compose! {
    fn any_call()(
        op in 1..5u16, file in 0..3u32, more in any::<bool>(),
        details in prop::collection::vec(details(), 0..=MOST),
    ) -> Call {
        let mut event = call(0, op, file);
        if more {
            event.flags = flags::MORE;
            event.second.file = file;
        }
        (event, details)
    }
}

fn numbered(mut calls: Vec<Call>) -> Vec<Call> {
    for ((event, _), id) in calls.iter_mut().zip(1..) {
        *event = Event {
            flags: event.flags,
            second: event.second,
            ..call(id, event.op, event.file)
        };
    }
    calls
}

/// Calls of a loop: op and file in turn, the numbers of each a stride on.
fn looped(count: u64, ops: u16, stride: [u64; 4]) -> Vec<Call> {
    let one = |id: u64| {
        let numbers: Vec<u64> = stride
            .iter()
            .map(|by| by.wrapping_mul(id / u64::from(ops)).wrapping_add(7))
            .collect();
        let op = (id % u64::from(ops)) as u16 + 1;
        let details = Details::new(op, &numbers);
        (
            call(id, op, op.into()),
            if op == 1 { vec![] } else { vec![details] },
        )
    };
    (1..=count).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]
    #[test]
    fn any_details_come_back(calls in prop::collection::vec(any_call(), 1..60)) {
        check(&numbered(calls));
    }

    #[test]
    fn details_of_loops_come_back(
        count in 1..400u64, ops in 1..5u16, stride in prop::array::uniform4(number()),
    ) {
        check(&looped(count, ops, stride));
    }

    #[test]
    fn pieces_make_the_block_that_the_whole_makes(
        calls in prop::collection::vec(any_call(), 1..60), cuts in prop::collection::vec(0..400usize, 0..6),
    ) {
        let records = records(&numbered(calls));
        // Both records of a call on two files come at once.
        let is_cut = |at: &usize| *at < records.len() && records[*at].op != OP_MORE;
        let mut ends: Vec<usize> = cuts.into_iter().filter(is_cut).chain([records.len()]).collect();
        ends.sort();
        let starts = [0].into_iter().chain(ends.iter().copied());
        let pieces: Vec<&[Record]> = starts.zip(&ends).map(|(from, to)| &records[from..*to]).collect();
        let mut scratch = Box::new(encode::Scratch::NEW);
        let first = coded_in(&mut scratch, &pieces);
        prop_assert_eq!(&first, &coded(&records));
        prop_assert_eq!(first, coded_in(&mut scratch, &pieces), "nothing stays from the block before");
    }

    #[test]
    fn whatever_a_record_is_blocks_are_read(
        calls in prop::collection::vec(any_call(), 1..30),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6u8, any::<u16>()), 1..10),
    ) {
        let mut records = records(&numbered(calls));
        for (at, what, value) in changes {
            let at = at.index(records.len());
            match what {
                0 => records[at].op = OP_NONE,
                1 => records[at].op = OP_DETAILS,
                2 => records[at].id = value.into(),
                3 => records[at].whence = value & 0x303,
                4 => drop(records.remove(at)),
                _ => records.insert(at, records[(at + usize::from(value)) % records.len()]),
            }
            if records.is_empty() { return Ok(()); }
        }
        let block = coded(&records);
        if !block.is_empty() { decoded(&block); }
    }

    #[test]
    fn damaged_columns_are_an_error_or_others(
        calls in prop::collection::vec(any_call(), 1..30),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let block = coded(&records(&numbered(calls)));
        let header = Header::parse(&block).unwrap();
        let whole = &block[HEADER_SIZE..];
        let mut payload = whole.to_vec();
        for (at, value) in changes {
            payload[at.index(whole.len())] = value;
        }
        let mut scratch = Box::new(decode::Scratch::NEW);
        let _ = decode::detailed(&header, &payload, &mut scratch, |_, _| {});
        let _ = decode::detailed(&header, &whole[..cut.index(whole.len())], &mut scratch, |_, _| {});
    }
}

/// Details stand last in a block.
#[test]
fn details_that_are_cut_off_leave_their_calls() {
    let block = coded(&records(&looped(300, 3, [1, 0, 4096, 5])));
    let header = Header::parse(&block).unwrap();
    let (mut seen, mut scratch) = (0, Box::new(decode::Scratch::NEW));
    let cut = &block[HEADER_SIZE..block.len() - 1];
    let result = decode::detailed(&header, cut, &mut scratch, |_, details| {
        seen += 1;
        assert!(details.is_empty());
    });
    assert_eq!(
        (result, seen),
        (Err(decode::ColumnError::Details), header.count)
    );
}

#[test]
fn calls_without_details_cost_nothing_more_and_those_of_a_loop_next_to_nothing() {
    let mut calls = looped(600, 2, [1, 0, 4096, 0]);
    let with = coded(&records(&calls)).len();
    calls.iter_mut().for_each(|(_, details)| details.clear());
    let without = coded(&records(&calls)).len();
    assert!(
        with < without + 40,
        "{with} and {without} bytes for 300 calls"
    );
}

#[test]
fn a_call_has_so_many_details_and_no_more() {
    let details: Vec<Details> = (1..=MOST as u16 + 1)
        .map(|form| Details::new(form, &[1]))
        .collect();
    let back = decoded(&coded(&records(&[(call(1, 1, 1), details.clone())])));
    assert_eq!(back[0].1, details[..MOST]);
}

#[test]
fn the_largest_details_of_a_full_block_find_room() {
    let (mut calls, mut total, mut seed) = (Vec::new(), 0, 1u64);
    loop {
        let mut next = || {
            seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            seed | 1 << 63
        };
        let mut form = |at: u64| {
            Details::new(
                (at << 14 | next() >> 50) as u16,
                &[0; MOST_FIELDS].map(|_: u64| next()),
            )
        };
        let details: Vec<Details> = (0..MOST as u64).map(&mut form).collect();
        let call = (call(calls.len() as u64 + 1, 1, 1), details);
        total += records(std::slice::from_ref(&call)).len();
        if total > encode::MAX_RECORDS {
            break;
        }
        calls.push(call);
    }
    check(&calls);
}

#[test]
fn pieces_of_many_records_keep_what_follows_a_call() {
    let calls = looped(5000, 3, [1, 2, 3, 4]);
    let records = records(&calls);
    let pieces: Vec<&[Record]> = encode::blocks(&records).collect();
    assert!(
        pieces.len() > 3
            && pieces
                .iter()
                .all(|piece| piece.len() <= encode::MAX_RECORDS)
    );
    assert!(pieces.iter().all(|piece| piece[0].op != OP_DETAILS));
    assert_eq!(pieces.concat(), records);
}
