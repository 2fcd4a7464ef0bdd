//! Events are told in plain numbers where they go into a pack, which is longer, and in codes elsewhere.

use super::common::{self, all, begin, directory, open};
use super::{kinds, merged, write};
use iota_trace::block::kind;
use iota_trace::names;
use iota_trace::pack::{MOST, SMALL};

/// Events in plain numbers are longer.
#[test]
fn a_part_that_just_goes_into_a_pack_goes_into_the_next_one() {
    let dir = directory("packs-again-large");
    let mut part = begin(0, 5, 500);
    // Lengths that take a few bits in codes.
    let call = |id: u32| iota_trace::Record {
        length: [3, 9, 14, 1, 7, 11, 5, 2][(id.wrapping_mul(0x9e37_79b1) >> 29) as usize],
        ..common::write(id, 0)
    };
    for thread in 1.. {
        part = part.events(thread, &(1..1000).map(call).collect::<Vec<_>>());
        if part.bytes.len() > SMALL - 6000 {
            break;
        }
    }
    let apart = write(&dir, "apart.iota", &part.finish().bytes);
    assert!(apart.metadata().unwrap().len() <= SMALL as u64);
    let once = merged(&dir, "once.iota", &apart);
    let twice = merged(&dir, "twice.iota", &once);
    assert_eq!(kinds(&once)[0], kind::PACK);
    assert_eq!(std::fs::read(once).unwrap(), std::fs::read(twice).unwrap());
}

/// A reader takes no pack of more than [`MOST`] bytes.
#[test]
fn parts_that_would_be_too_long_together_are_in_several_packs() {
    let dir = directory("packs-too-long");
    // Numbers that take a bit in codes.
    let bits = |id: u32| id.wrapping_mul(0x9e37_79b1) >> 20;
    let call = |id: u32| iota_trace::Record {
        start: u64::from(id) * 100,
        end: u64::from(id) * 100 + 20,
        length: [3, 9][(bits(id) & 1) as usize],
        offset: [0, 1, 2, 5][(bits(id) >> 1 & 3) as usize],
        ret: [1, 2, 3, 5][(bits(id) >> 3 & 3) as usize],
        errno: [7, 11][(bits(id) >> 5 & 1) as usize],
        ..common::write(id, 0)
    };
    let part = |pid: u32| {
        let mut part = begin(0, pid, 500);
        for thread in 1.. {
            part = part.events(thread, &(1..1000).map(call).collect::<Vec<_>>());
            if part.bytes.len() > 7000 {
                return part.finish().bytes;
            }
        }
        unreachable!()
    };
    let file: Vec<u8> = (1..60).flat_map(part).collect();
    assert!(file.len() < MOST as usize);
    let apart = write(&dir, "apart.iota", &file);
    let packed = merged(&dir, "packed.iota", &apart);
    let trace = open(&packed);
    assert_eq!(trace.problems(), []);
    assert_eq!(trace.parts().len(), 59);
    assert_eq!(all(&trace), all(&open(&apart)));
    let packs = |path| kinds(path).iter().filter(|of| **of == kind::PACK).count();
    assert!(packs(&packed) > file.len() / (5 << 16) + 1);
}

/// The same from either kind of blocks, whether they go into a pack or stand as they are.
#[test]
fn parts_in_plain_numbers_become_what_those_in_codes_do() {
    let dir = directory("packs-plain");
    let records: Vec<_> = (1..100).map(|id| common::write(id, 0)).collect();
    let merged = [false, true].map(|is_plain| {
        let small = begin(0, 5, 500).events_told(5, &records, is_plain);
        let mut large = begin(0, 6, 600).events_told(6, &records, is_plain);
        let ids = large.ids;
        for file in [3, 4] {
            large.add(|out| {
                let mut names = names::Writer::new(out);
                names.file(file, &[b'x'; 40_000]);
                names.finish(ids)
            });
        }
        let killed = begin(0, 7, 1500).events_told(7, &records, is_plain).bytes;
        let file = [small.finish().bytes, large.finish().bytes, killed].concat();
        let apart = write(&dir, "apart.iota", &file);
        assert_eq!(all(&open(&apart)).len(), 3 * records.len());
        std::fs::read(merged(&dir, "merged.iota", &apart)).unwrap()
    });
    assert!(merged[0] == merged[1]);
}
