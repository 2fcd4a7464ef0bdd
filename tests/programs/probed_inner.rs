//! Functions of a program in Rust: with results of several words, closures, and a panic that passes.

mod in_model {
    #[inline(never)]
    pub fn sums(numbers: &[u64]) -> (u64, Option<u64>, String) {
        let sum = numbers.iter().sum();
        (sum, numbers.iter().copied().max(), format!("{numbers:?}"))
    }

    #[inline(never)]
    pub fn panics(n: u32) -> u32 {
        if n == 0 {
            panic!("at the bottom");
        }
        panics(n - 1) + 1
    }

    #[inline(never)]
    pub fn wide(a: u128, b: u128) -> u128 {
        std::hint::black_box(a) * b
    }

    #[inline(never)]
    pub fn threads(count: u64) -> u64 {
        let threads = (0..count).map(|n| std::thread::spawn(move || sums(&[n, n + 1]).0));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let caught = std::panic::catch_unwind(|| in_model::panics(5));
    println!("{:?} {}", in_model::sums(&[3, 1, 2]), caught.is_err());
    println!("{} {}", in_model::wide(1 << 70, 3), in_model::threads(20));
}
