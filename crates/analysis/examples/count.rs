//! What a pass costs without an accumulator that does anything: `count TRACE`.
use iota_analysis::{Accumulator, Call, Job, Pass};
use iota_trace::read::{Options, Trace};
use std::time::Instant;

#[derive(Default)]
struct Count(u64, u64);

impl Accumulator for Count {
    #[inline(always)]
    fn add(&mut self, call: &Call) {
        self.0 += 1;
        self.1 += call.moved.written + call.elapse();
    }
    fn merge(&mut self, later: Count) {
        self.0 += later.0;
        self.1 += later.1;
    }
}

fn main() {
    let paths: Vec<_> = std::env::args_os().skip(1).map(Into::into).collect();
    let t0 = Instant::now();
    let trace = Trace::open(&paths, Options::default()).unwrap();
    let t1 = Instant::now();
    let job = Job::of(&trace);
    let t2 = Instant::now();
    let count = Pass::of(&job).threads(1).run(Count::default);
    let t3 = t2.elapsed();
    let t4 = Instant::now();
    let stat = Pass::of(&job)
        .threads(1)
        .run(|| iota_analysis::stat::Stat::new(&job));
    let t4 = t4.elapsed();
    println!(
        "stat {t4:?} = {:.1} M/s; {} files {} ranks",
        count.0 as f64 / t4.as_secs_f64() / 1e6,
        stat.files.len(),
        stat.tasks.len()
    );
    println!(
        "open {:?} job {:?} pass {t3:?} = {} M/s; {} {}",
        t1 - t0,
        t2 - t1,
        count.0 as f64 / t3.as_secs_f64() / 1e6,
        count.0,
        count.1
    );
}
