//! The agreement among ranks that come, come late, or never come. Times are virtual: a rank that pauses lets the clock
//! of the whole job advance, so that nothing here depends on the machine.

use iota_mpi::agree::{self, Agreement, Waiting};
use std::sync::{Arc, Condvar, Mutex};

const SECOND: u64 = 1_000_000_000;
const DEADLINE: u64 = 20 * SECOND;

/// The job: who is there, who said what, and until when each rank sleeps.
#[derive(Default)]
struct Job {
    now: u64,
    entered: usize,
    votes: Vec<bool>,
    sleeping: Vec<u64>,
    /// When the batch system stops the whole job for an hour.
    stopped: Option<u64>,
}

impl Job {
    /// Moves the clock to where the next one wakes.
    fn advance(&mut self) {
        let next = *self.sleeping.iter().min().unwrap();
        if next != u64::MAX && next > self.now {
            self.now = next;
        }
        if self.stopped.is_some_and(|at| at < self.now) {
            self.stopped = None;
            self.now += 3600 * SECOND;
        }
    }
}

struct Rank {
    job: Arc<(Mutex<Job>, Condvar)>,
    ranks: usize,
    me: usize,
}

impl Rank {
    /// Sleeps until the clock says so; the last one awake moves it to where the next one wakes.
    fn sleep(&self, nanoseconds: u64) {
        let (job, woken) = &*self.job;
        let mut job = job.lock().unwrap();
        let until = job.now + nanoseconds;
        job.sleeping[self.me] = until;
        while job.now < until {
            let before = job.now;
            job.advance();
            if job.now != before {
                woken.notify_all();
            } else {
                job = woken.wait(job).unwrap();
            }
        }
    }

    /// Nobody else may be awake to move the clock.
    fn leave(&self) {
        let mut job = self.job.0.lock().unwrap();
        job.sleeping[self.me] = u64::MAX;
        job.advance();
        self.job.1.notify_all();
    }
}

impl Agreement for Rank {
    fn enter(&mut self) -> bool {
        self.job.0.lock().unwrap().entered += 1;
        true
    }

    fn all_entered(&mut self) -> bool {
        self.job.0.lock().unwrap().entered == self.ranks
    }

    fn vote(&mut self, yes: bool) -> bool {
        self.job.0.lock().unwrap().votes.push(yes);
        true
    }

    fn outcome(&mut self) -> Option<bool> {
        let job = self.job.0.lock().unwrap();
        (job.votes.len() == self.ranks).then(|| job.votes.iter().all(|yes| *yes))
    }
}

impl Waiting for Rank {
    fn pause(&mut self, nanoseconds: u64) {
        // Looking less often keeps the test short; the waiting is the same.
        self.sleep(nanoseconds * 200);
    }

    fn now(&self) -> u64 {
        self.job.0.lock().unwrap().now
    }
}

/// Each rank comes after so many seconds, or never. Answers what each heard, and when.
fn run(comes: &[Option<u64>]) -> Vec<(bool, u64)> {
    run_stopped(comes, None)
}

fn run_stopped(comes: &[Option<u64>], stopped: Option<u64>) -> Vec<(bool, u64)> {
    let job = Job {
        sleeping: vec![0; comes.len()],
        stopped,
        ..Job::default()
    };
    let job = Arc::new((Mutex::new(job), Condvar::new()));
    let ranks: Vec<_> = (0..comes.len())
        .map(|me| {
            (
                Rank {
                    job: job.clone(),
                    ranks: comes.len(),
                    me,
                },
                comes[me],
            )
        })
        .map(|(mut rank, comes)| {
            std::thread::spawn(move || {
                let answer = comes.map(|seconds| {
                    rank.sleep(seconds * SECOND);
                    (
                        agree::all_are_here(&mut rank, DEADLINE),
                        rank.now() / SECOND,
                    )
                });
                rank.leave();
                answer
            })
        })
        .collect();
    ranks
        .into_iter()
        .filter_map(|rank| rank.join().unwrap())
        .collect()
}

#[test]
fn all_there_at_once() {
    assert_eq!(run(&[Some(0)]), [(true, 0)]);
    assert_eq!(run(&[Some(0); 8]), [(true, 0); 8]);
}

#[test]
fn the_last_comes_before_the_deadline() {
    let heard = run(&[Some(0), Some(3), Some(19), Some(5)]);
    assert!(heard.iter().all(|(yes, at)| *yes && *at == 19), "{heard:?}");
}

#[test]
fn one_never_comes() {
    let heard = run(&[Some(0), None, Some(7), Some(2)]);
    let until: Vec<u64> = heard.iter().map(|(_, at)| *at).collect();
    assert!(heard.iter().all(|(yes, _)| !yes), "{heard:?}");
    assert!(
        until
            .iter()
            .zip([20, 27, 22])
            .all(|(at, end)| at.abs_diff(end) <= 1),
        "{heard:?}"
    );
}

#[test]
fn a_late_one_sees_everybody_enter_and_learns_at_once_that_they_gave_up() {
    let heard = run(&[Some(0), Some(0), Some(100)]);
    assert!(heard.iter().all(|(yes, _)| !yes), "{heard:?}");
    assert_eq!(heard[2].1, 100);
}

#[test]
fn some_still_wait_when_the_late_one_comes_and_others_gave_up() {
    // The barrier completes for ranks 1 and 2, after rank 0 has gone.
    let heard = run(&[Some(0), Some(10), Some(25)]);
    assert!(heard.iter().all(|(yes, _)| !yes), "{heard:?}");
}

#[test]
fn an_hour_in_which_the_job_was_stopped_is_not_waiting() {
    let heard = run_stopped(&[Some(0), Some(2), Some(10)], Some(5 * SECOND));
    assert!(
        heard.iter().all(|(yes, at)| *yes && *at > 3600),
        "{heard:?}"
    );
}

#[test]
fn whenever_they_come_all_hear_the_same() {
    for a in (0..60).step_by(7) {
        for b in (0..60).step_by(9) {
            let heard = run(&[Some(a), Some(b), Some(20)]);
            assert!(
                heard.iter().all(|(yes, _)| *yes == heard[0].0),
                "{a} {b}: {heard:?}"
            );
        }
    }
}

/// A rank whose partners never come.
#[derive(Default)]
struct Alone {
    now: u64,
    votes: Vec<bool>,
    looked: u32,
}

impl Agreement for Alone {
    fn enter(&mut self) -> bool {
        true
    }

    fn all_entered(&mut self) -> bool {
        false
    }

    fn vote(&mut self, yes: bool) -> bool {
        self.votes.push(yes);
        true
    }

    fn outcome(&mut self) -> Option<bool> {
        self.looked += 1;
        None
    }
}

impl Waiting for Alone {
    fn pause(&mut self, nanoseconds: u64) {
        self.now += nanoseconds;
    }

    fn now(&self) -> u64 {
        self.now
    }
}

#[test]
fn who_gave_up_sees_its_vote_off() {
    let mut rank = Alone::default();
    assert!(!agree::all_are_here(&mut rank, DEADLINE));
    assert_eq!(rank.votes, [false]);
    assert!(rank.looked > 100, "MPI sends while it is looked at");
    let longer = rank.now - DEADLINE;
    assert!((SECOND / 10..SECOND / 9).contains(&longer), "{longer}");
}
