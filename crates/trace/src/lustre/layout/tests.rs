//! Layouts are taken apart as they were put together, and any bytes are harmless.

use super::super::END_OF_FILE;
use super::*;
use crate::lustre::blob::{Comp, composite, plain};
use proptest::prelude::*;

fn blobs() -> Vec<Vec<u8>> {
    let mut mirrored = Comp::new(0, END_OF_FILE, 0x11, 1, 1 << 20, 2, &[1, 2]);
    mirrored.id = 2 << 16;
    mirrored.pool = Some("fifteen_letters".into());
    let mut foreign = FOREIGN.to_le_bytes().to_vec();
    foreign.extend([4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]);
    vec![
        plain(1, 1 << 20, 3, &[4, 5, 6], None),
        plain(1, 1 << 20, 3, &[4, 5, 6], Some("pool")),
        plain(0x8000_0001, 1 << 20, 3, &[], None),
        composite(&[
            Comp::new(0, 1 << 20, 0x10, 0x100, 1 << 20, 0, &[]),
            Comp::new(1 << 20, END_OF_FILE, 0, 1, 1 << 20, 0xffff, &[]),
            mirrored,
        ]),
        foreign,
        vec![0xd0, 0x0b, 0xd9, 0x0b, 1, 2, 3],
        vec![],
    ]
}

fn read_all(bytes: &[u8]) -> Vec<(u64, u64, Vec<u32>)> {
    let layout = Layout(bytes);
    let mut room = [0; 4096];
    let _ = (
        layout.short(&mut room),
        layout.long(&mut room),
        layout.is_complete(),
    );
    let mut shared = 0u64;
    layout.share(0, 10 << 20, true, |_, bytes| shared += bytes);
    assert_eq!(shared, 10 << 20);
    let part = |part: Component| (part.start, part.end, part.osts().collect());
    layout.components().map(part).collect()
}

#[test]
fn a_layout_that_is_cut_off_says_no_more_than_it_has() {
    for blob in blobs() {
        let whole = read_all(&blob);
        for length in 0..blob.len() {
            let cut = read_all(&blob[..length]);
            let seen = |part: &(u64, u64, Vec<u32>)| {
                whole
                    .iter()
                    .any(|all| (all.0, all.1) == (part.0, part.1) && all.2.starts_with(&part.2))
            };
            assert!(cut.iter().all(seen), "{length} of {blob:02x?}: {cut:?}");
        }
    }
}

#[test]
fn of_two_mirrors_the_one_that_is_not_stale_has_the_bytes() {
    let mut first = Comp::new(0, END_OF_FILE, 0x11, 1, 1 << 20, 1, &[1]);
    let mut second = Comp::new(0, END_OF_FILE, 0x10, 1, 1 << 20, 1, &[2]);
    let mut third = Comp::new(0, END_OF_FILE, 0x12, 1, 1 << 20, 1, &[3]);
    (first.id, second.id, third.id) = (1 << 16, 2 << 16, 3 << 16);
    let blob = composite(&[first, second, third]);
    let ost = |is_write| Layout(&blob).at(5, is_write).unwrap().osts().next();
    assert_eq!((ost(true), ost(false)), (Some(2), Some(3)));
    assert_eq!(Layout(&blob).at(5, true).unwrap().mirror, 2);
}

proptest! {
    #[test]
    fn whatever_the_bytes_nothing_panics(
        which in 0usize..7,
        changes in proptest::collection::vec((0usize..300, any::<u8>()), 0..8),
    ) {
        let mut blob = blobs()[which].clone();
        for (at, byte) in changes {
            if let Some(place) = blob.get_mut(at) {
                *place = byte;
            }
        }
        read_all(&blob);
    }
}
