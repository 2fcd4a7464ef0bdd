//! Pieces of output that several threads make, a stretch each, and one takes in the order of stretches. However slowly they
//! are taken, what waits takes no more than so much memory.

use bytes::Bytes;
use parquet::column::writer::ColumnCloseResult;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What is made
pub trait Piece: Send {
    /// Bytes that it takes
    fn bytes(&self) -> usize;
}

impl Piece for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl Piece for Vec<(Bytes, ColumnCloseResult)> {
    fn bytes(&self) -> usize {
        self.iter().map(|(bytes, _)| bytes.len()).sum()
    }
}

impl<P: Piece> Piece for anyhow::Result<P> {
    fn bytes(&self) -> usize {
        self.as_ref().map_or(0, Piece::bytes)
    }
}

/// Pieces that wait
pub struct Pieces<P> {
    waiting: Mutex<PendingPieces<P>>,
    moved: Condvar,
    /// Bytes that may wait, besides a piece of the stretch that is taken
    most: usize,
}

struct PendingPieces<P> {
    stretches: Vec<Stretch<P>>,
    /// The next stretch that no thread has begun
    next: usize,
    /// The stretch that is taken
    first: usize,
    bytes: usize,
    is_over: bool,
}

/// The pieces of a stretch
struct Stretch<P> {
    pieces: VecDeque<P>,
    has_ended: bool,
}

impl<P: Piece> Pieces<P> {
    /// Of so many stretches.
    pub fn new(stretches: usize, most: usize) -> Pieces<P> {
        let stretch = |_| Stretch {
            pieces: VecDeque::new(),
            has_ended: false,
        };
        let waiting = PendingPieces {
            stretches: (0..stretches).map(stretch).collect(),
            next: 0,
            first: 0,
            bytes: 0,
            is_over: false,
        };
        Pieces {
            waiting: Mutex::new(waiting),
            moved: Condvar::new(),
            most,
        }
    }

    /// A stretch that no thread has begun; none: there is no more, or nobody takes pieces any more.
    pub fn begin(&self) -> Option<Making<'_, P>> {
        let mut waiting = self.lock();
        let is_there = waiting.next < waiting.stretches.len() && !waiting.is_over;
        is_there.then(|| {
            waiting.next += 1;
            Making {
                pieces: self,
                number: waiting.next - 1,
            }
        })
    }

    /// The next piece in order, when there is one; none: that was the last.
    pub fn take(&self) -> Option<P> {
        let mut waiting = self.lock();
        loop {
            let first = waiting.first;
            let stretch = waiting.stretches.get_mut(first)?;
            if let Some(piece) = stretch.pieces.pop_front() {
                waiting.bytes -= piece.bytes();
                self.moved.notify_all();
                return Some(piece);
            }
            if stretch.has_ended {
                waiting.first += 1;
                self.moved.notify_all();
            } else {
                waiting = self.wait(waiting);
            }
        }
    }

    /// Nobody takes pieces any more.
    pub fn end(&self) {
        self.lock().is_over = true;
        self.moved.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, PendingPieces<P>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'w>(
        &self,
        waiting: MutexGuard<'w, PendingPieces<P>>,
    ) -> MutexGuard<'w, PendingPieces<P>> {
        let waited = self.moved.wait(waiting);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stretch under way, which ends when this goes
pub struct Making<'p, P: Piece> {
    pieces: &'p Pieces<P>,
    /// Which stretch
    pub number: usize,
}

impl<P: Piece> Making<'_, P> {
    /// Adds a piece, once there is room. False: nobody takes it.
    pub fn put(&self, piece: P) -> bool {
        let mut waiting = self.pieces.lock();
        loop {
            let is_first = self.number == waiting.first;
            let Some(stretch) = waiting.stretches.get_mut(self.number) else {
                return false;
            };
            let is_awaited = is_first && stretch.pieces.is_empty();
            if waiting.is_over {
                return false;
            }
            if is_awaited || waiting.bytes + piece.bytes() <= self.pieces.most {
                waiting.bytes += piece.bytes();
                waiting.stretches[self.number].pieces.push_back(piece);
                self.pieces.moved.notify_all();
                return true;
            }
            waiting = self.pieces.wait(waiting);
        }
    }
}

impl<P: Piece> Drop for Making<'_, P> {
    fn drop(&mut self) {
        self.pieces.lock().stretches[self.number].has_ended = true;
        self.pieces.moved.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::thread;
    use std::time::Duration;

    const PIECE: usize = 100;

    #[test]
    fn pieces_come_in_order_and_few_wait_for_a_slow_taker() {
        let (pieces, waiting) = (Pieces::new(20, 5 * PIECE), AtomicUsize::new(0));
        let (mut taken, mut most) = (Vec::new(), 0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some(making) = pieces.begin() {
                        for nth in 0..4 {
                            let piece = vec![(making.number * 4 + nth) as u8; PIECE];
                            assert!(making.put(piece));
                            waiting.fetch_add(1, Relaxed);
                        }
                    }
                });
            }
            while let Some(piece) = pieces.take() {
                taken.push(usize::from(piece[0]));
                thread::sleep(Duration::from_millis(2));
                most = most.max(waiting.load(Relaxed) - taken.len().min(waiting.load(Relaxed)));
            }
        });
        assert_eq!(taken, (0..80).collect::<Vec<_>>());
        assert!(most <= 6, "{most} waited");
    }

    #[test]
    fn who_makes_pieces_that_nobody_takes_hears_of_it() {
        let pieces = Pieces::new(3, PIECE);
        let making = [pieces.begin().unwrap(), pieces.begin().unwrap()];
        assert!(making[1].put(vec![0; PIECE]));
        thread::scope(|scope| {
            let waits = scope.spawn(|| making[1].put(vec![0; PIECE]));
            pieces.end();
            assert!(!waits.join().unwrap());
        });
        assert!(pieces.begin().is_none() && !making[0].put(vec![0; PIECE]));
    }
}
