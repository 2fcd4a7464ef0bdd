use super::*;
use crate::bytes::{Get, Put};
use crate::columns::bits::BitWriter;
use proptest::prelude::*;

/// What becomes of a column that is written and read back; how many bytes it takes.
fn back(numbers: &[i64], write: impl Fn(&mut ColumnWriter, &mut [i64])) -> (Vec<i64>, usize) {
    let (mut bytes, mut bits) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut words = Dictionary::NEW;
    let mut to = ColumnWriter {
        bytes: Put::new(&mut bytes),
        bits: BitWriter::new(&mut bits),
        words: &mut words,
    };
    write(&mut to, &mut numbers.to_vec());
    let (bytes_end, bits_end) = (to.bytes.done().unwrap(), to.bits.finish().unwrap());
    let mut from = Reader {
        bytes: Get(&bytes[..bytes_end]),
        bits: &bits[..bits_end],
    };
    let mut read = vec![0; numbers.len()];
    from.column(&mut read).unwrap();
    assert!(from.bytes.0.is_empty() && from.bits.is_empty());
    (read, bytes_end + bits_end)
}

/// Columns of all kinds: a few numbers, a slope, noise, and exceptions in all of them.
fn numbers() -> impl Strategy<Value = Vec<i64>> {
    let number = prop_oneof![
        4 => 0..20i64,
        2 => (0..63u32).prop_map(|bits| 1 << bits),
        1 => any::<i64>(),
        1 => Just(i64::MIN),
        1 => Just(-1),
    ];
    let exceptions = prop::collection::vec((any::<prop::sample::Index>(), number.clone()), 0..9);
    let slope = prop_oneof![3 => Just(0i64), 1 => any::<i64>(), 1 => -9..9i64];
    let few = prop::collection::vec(number, 1..9);
    (1..2048usize, few, slope, 0..63u32, exceptions).prop_map(
        |(count, few, slope, noise, exceptions)| {
            let mut seed = 1u64;
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                seed >> 20
            };
            let one = |nth: usize| {
                let number =
                    few[next() as usize % few.len()].wrapping_add(slope.wrapping_mul(nth as i64));
                number.wrapping_add((next() & ((1 << noise) - 1)) as i64)
            };
            let mut numbers: Vec<i64> = (0..count).map(one).collect();
            for (at, number) in exceptions {
                numbers[at.index(count)] = number;
            }
            numbers
        },
    )
}

proptest! {
    #[test]
    fn any_column_comes_back(numbers in numbers()) {
        let ways: [fn(&mut ColumnWriter, &mut [i64]); 4] = [
            |to, numbers| to.column(numbers),
            |to, numbers| to.times(numbers),
            |to, numbers| to.column_in_bytes(numbers),
            |to, numbers| to.times_of_all_sizes(numbers),
        ];
        for way in ways {
            prop_assert_eq!(&back(&numbers, way).0, &numbers);
        }
    }

    #[test]
    fn any_bytes_are_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..300), bits in prop::collection::vec(any::<u8>(), 0..300),
        form in 0..32u8, count in 0..600usize,
    ) {
        let bytes = [&[form][..], &bytes].concat();
        let mut from = Reader { bytes: Get(&bytes), bits: &bits };
        let _ = from.column(&mut vec![0; count]);
    }
}

fn length(numbers: impl Iterator<Item = i64>) -> usize {
    let numbers: Vec<i64> = numbers.collect();
    let (read, length) = back(&numbers, |to, numbers| to.column(numbers));
    assert_eq!(read, numbers);
    length
}

#[test]
fn each_form_is_short_where_it_fits() {
    assert_eq!(length([0; 2000].into_iter()), 1);
    assert_eq!(length([-7; 2000].into_iter()), 2);
    assert_eq!(length((0..2000).map(|n| n * 4096)), 4, "differences");
    assert_eq!(
        length((0..2000).map(|n| i64::from(n > 0) * 8)),
        3,
        "the first apart"
    );
    let scattered = |n: i64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64) as u64 >> 54;
    assert!(
        length((0..2000).map(|n| (scattered(n) << 12) as i64)) < 2000 * 10 / 8 + 20,
        "ten bits each"
    );
    let outliers = |n: i64| {
        if n % 200 == 0 {
            1 << 40
        } else {
            (scattered(n) >> 4) as i64
        }
    };
    assert!(
        length((0..2000).map(outliers)) < 2000 * 6 / 8 + 120,
        "ten exceptions"
    );
    let words = |n: i64| [100, 1 << 30, -5, 1 << 50][scattered(n) as usize % 4];
    assert!(
        length((0..2000).map(words)) < 2000 * 3 / 8 + 40,
        "a dictionary"
    );
}
