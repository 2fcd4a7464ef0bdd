use super::*;
use miniz_oxide::inflate::decompress_to_vec;
use proptest::prelude::*;

/// So many, and few where each step takes long.
const fn scaled(many: usize) -> usize {
    if cfg!(miri) { many / 32 } else { many }
}

fn packed(bytes: &[u8], from: usize) -> Vec<u8> {
    packed_apart(bytes, from, &[])
}

/// Every second stretch as noise.
fn with_noise(ends: &[usize]) -> Vec<DeflateSegment> {
    let stretches = (1..).zip(ends);
    let stretches = stretches.map(|(nth, end)| DeflateSegment {
        end: *end,
        is_noise: nth % 2 == 0,
    });
    stretches.collect()
}

fn packed_apart(bytes: &[u8], from: usize, ends: &[usize]) -> Vec<u8> {
    let (mut room, mut out) = (vec![0xa5; ROOM], vec![0; 2 * bytes.len() + 1024]);
    let stretches = with_noise(ends);
    let length = deflate(bytes, from, &stretches, &mut room, &mut out).expect("there is room");
    out.truncate(length);
    out
}

fn comes_back(pieces: &[&[u8]]) {
    let (mut known, mut stream) = (Vec::new(), Vec::new());
    for piece in pieces {
        let from = known.len();
        known.extend_from_slice(piece);
        let ends = [piece.len() / 5, piece.len() / 2, piece.len()];
        stream.extend(packed_apart(&known, from, &ends));
    }
    stream.extend(LAST);
    assert!(decompress_to_vec(&stream).is_ok_and(|bytes| bytes == known));
}

#[test]
fn what_is_packed_comes_back() {
    comes_back(&[]);
    comes_back(&[b""]);
    comes_back(&[b"a", b"", b"a"]);
    comes_back(&[&[7; scaled(100_000)]]);
    let all: Vec<u8> = (0..=255).collect();
    comes_back(&[&all, &all, &all[7..]]);
    let numbers = 0..scaled(60_000) as u32;
    let numbers: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    comes_back(&[&numbers, &numbers]);
}

fn noise(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 56) as u8
    });
    noise.take(count).collect()
}

#[test]
fn bytes_of_another_kind_have_a_code_of_their_own() {
    let noise = noise(4000);
    let small = noise.iter().map(|byte| byte & 7).collect::<Vec<_>>();
    let bytes = [&small[..2000], &noise[2000..]].concat();
    let (apart, together) = (packed_apart(&bytes, 0, &[2000]), packed(&bytes, 0));
    assert!(apart.len() * 10 < together.len() * 9);
    // A piece of few bytes is not worth it.
    assert_eq!(packed_apart(&bytes, 0, &[20, 20, 40, 40, 60]), together);
}

#[test]
fn nothing_is_looked_for_in_noise() {
    let twice = [noise(2000), noise(2000)].concat();
    assert!(packed_apart(&twice, 0, &[2000]).len() < 2400);
    assert!(packed_apart(&twice, 0, &[2000, 4000]).len() > 4000);
    let thrice = [&twice[..], &twice[..2000]].concat();
    assert!(
        packed_apart(&thrice, 0, &[0, 2000]).len() < 4400,
        "in noise"
    );
}

#[test]
fn noise_grows_by_little_and_what_was_there_before_costs_little() {
    let noise = noise(scaled(1 << 16));
    assert!(packed(&noise, 0).len() < noise.len() + noise.len() / 512);
    let known = scaled(WINDOW);
    let twice = [&noise[..known], &noise[..known]].concat();
    assert!(packed(&twice, known).len() < 400);
}

#[test]
fn nothing_depends_on_what_was_in_the_room() {
    // Long enough for places to come round, and for bytes to come again near and far.
    let byte = |n: usize| ((n * n / 777) as u8) ^ ((n >> 13) as u8);
    let bytes: Vec<u8> = (0..scaled(200_000)).map(byte).collect();
    let with = |fill: &dyn Fn(usize) -> u8| {
        let mut room: Vec<u8> = (0..ROOM).map(fill).collect();
        let mut out = vec![0; 2 * bytes.len() + 1024];
        let stretches = with_noise(&[0, bytes.len() / 9, bytes.len() / 2, bytes.len() * 2 / 3]);
        let length = deflate(&bytes, 0, &stretches, &mut room, &mut out).expect("there is room");
        out.truncate(length);
        out
    };
    let clean = with(&|_| 0);
    assert!(clean.len() < bytes.len());
    assert_eq!(with(&|_| 0xff), clean);
    assert_eq!(with(&|n| (n * 31 / 7) as u8), clean);
}

#[test]
fn too_little_room_is_reported() {
    let bytes: Vec<u8> = (0..200).collect();
    let (mut room, mut out) = (vec![0; ROOM], [0; 300]);
    assert_eq!(deflate(&bytes, 0, &[], &mut room[..1000], &mut out), None);
    let length = deflate(&bytes, 0, &[], &mut room, &mut out).expect("enough");
    for short in (0..length).step_by(if cfg!(miri) { 50 } else { 1 }) {
        assert_eq!(deflate(&bytes, 0, &[], &mut room, &mut out[..short]), None);
    }
}

#[test]
fn numbers_have_the_symbols_of_the_standard() {
    let of = |part: CodedNumber| (part.symbol, part.rest, part.bits);
    assert_eq!(
        [3, 10, 11, 12, 13].map(|n| of(length(n))),
        [
            (257, 0, 0),
            (264, 0, 0),
            (265, 0, 1),
            (265, 1, 1),
            (266, 0, 1)
        ]
    );
    assert_eq!(
        [34, 35, 257, 258].map(|n| of(length(n))),
        [(272, 3, 2), (273, 0, 3), (284, 30, 5), (285, 0, 0)]
    );
    assert_eq!(
        [1, 4, 5, 6, 7, 24577, 32768].map(|n| of(distance(n))),
        [
            (0, 0, 0),
            (3, 0, 0),
            (4, 0, 1),
            (4, 1, 1),
            (5, 0, 1),
            (29, 0, 13),
            (29, 8191, 13)
        ]
    );
}

proptest! {
    #[test]
    fn whatever_is_packed_comes_back(
        pieces in prop::collection::vec(prop::collection::vec((0u8..6, 0usize..400), 0..60), 0..5)
    ) {
        let pieces: Vec<Vec<u8>> = pieces.iter().map(|runs| {
            runs.iter().flat_map(|(byte, length)| (0..*length).map(move |n| byte.wrapping_mul(n as u8))).collect()
        }).collect();
        comes_back(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }
}
