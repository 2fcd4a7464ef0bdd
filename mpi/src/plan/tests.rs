use super::*;
use crate::random::Random;

fn table(shares: &[Share]) -> Vec<u8> {
    shares.iter().flat_map(|share| share.to_bytes()).collect()
}

#[test]
fn there_are_as_many_stripes_as_writers_that_have_something_to_fill_them() {
    assert_eq!(stripes(1, 100 << 20), 1);
    assert_eq!(stripes(64, 1000), 1);
    assert_eq!(stripes(64, PIECE / 2), 32);
    assert_eq!(stripes(64, PIECE), 64);
    assert_eq!(stripes(u32::MAX, u64::MAX), u32::MAX);
    assert_eq!(stripes(3, 0), 1);
}

#[test]
fn pieces_are_disjoint_complete_and_never_cross_a_boundary() {
    let mut random = Random::new(1);
    for _ in 0..10_000 {
        let extent = Extent {
            offset: random.below(5 * PIECE),
            length: random.below(5 * PIECE),
        };
        let mut at = extent.offset;
        for piece in extent.pieces() {
            assert_eq!(piece.offset, at);
            assert!(piece.length > 0);
            assert_eq!(piece.offset / PIECE, (piece.end() - 1) / PIECE);
            at = piece.end();
        }
        assert_eq!(at, extent.end());
    }
}

#[test]
fn an_empty_extent_has_no_piece() {
    assert_eq!(
        Extent {
            offset: 77,
            length: 0
        }
        .pieces()
        .next(),
        None
    );
}

#[test]
fn only_the_first_and_the_last_piece_are_short() {
    let lengths: Vec<u64> = Extent {
        offset: 10,
        length: 3 * PIECE,
    }
    .pieces()
    .map(|p| p.length)
    .collect();
    assert_eq!(lengths, [PIECE - 10, PIECE, PIECE, 10]);
}

#[test]
fn parts_of_a_node_follow_each_other_and_empty_ones_are_left_out() {
    let mut random = Random::new(2);
    for _ in 0..1_000 {
        let shares: Vec<Share> = (0..random.below(70) as u32)
            .map(|rank| Share {
                rank,
                pid: 9,
                length: random.below(3).min(1) * random.below(1 << 22),
                events: 1,
                ..Share::default()
            })
            .collect();
        let bytes = table(&shares);
        let node = Node::new(&bytes);
        let (base, mut at) = (123, 123);
        for (member, extent) in node.units(base).flat_map(Unit::parts) {
            assert_eq!(
                (extent.offset, extent.length),
                (at, shares[member as usize].length)
            );
            assert_ne!(extent.length, 0);
            at = extent.end();
        }
        assert_eq!(at - base, shares.iter().map(|s| s.length).sum::<u64>());
        assert_eq!(node.count(), shares.iter().filter(|s| s.length > 0).count());
        let trailer = if node.count() == 0 { 0 } else { 1000 };
        assert_eq!(node.length(|_| 1000), at - base + trailer);
    }
}

#[test]
fn neighbours_that_are_packed_have_a_pack_in_common() {
    let packed = |raw: u32| Share {
        length: u64::from(raw),
        raw,
        ..Share::default()
    };
    let plain = |length| Share {
        length,
        ..Share::default()
    };
    let mut shares = vec![
        packed(5),
        packed(6),
        plain(70),
        packed(7),
        plain(0),
        packed(8),
        plain(9),
    ];
    shares.extend([packed(1); 18]);
    let bytes = table(&shares);
    let around = (HEAD + LAST.len()) as u64;
    let found: Vec<(u64, usize, bool)> = Node::new(&bytes)
        .units(1000)
        .map(|unit| {
            (
                unit.end() - unit.offset,
                unit.shares().count(),
                unit.pack().is_some(),
            )
        })
        .collect();
    let expected = [
        (around + 11, 2, true),
        (70, 1, false),
        (around + 7, 1, true),
        (around + 8, 1, true),
        (9, 1, false),
        (around + 9, 9, true),
        (around + 9, 9, true),
    ];
    assert_eq!(found, expected);
    let ends = Node::new(&bytes)
        .units(1000)
        .flat_map(Unit::parts)
        .map(|(_, part)| part.end());
    assert!(ends.is_sorted());
    let members: Vec<u32> = Node::new(&bytes)
        .units(0)
        .flat_map(Unit::parts)
        .map(|part| part.0)
        .collect();
    assert_eq!(
        members,
        [0, 1, 2, 3, 5, 6]
            .into_iter()
            .chain(7..25)
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_share_survives_its_journey() {
    let share = Share {
        rank: 110_051,
        pid: u32::MAX,
        length: u64::MAX - 3,
        events: 1 << 40,
        raw: 1 << 16,
        sum: u32::MAX - 7,
    };
    assert_eq!(Share::from_bytes(&share.to_bytes()), share);
    assert_eq!(Share::from_bytes(&[]), Share::default());
}
