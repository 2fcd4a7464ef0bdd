//! What the records of threads say that was read and written, as the kernel counts it (`/proc/PID/io`).

use core::sync::atomic::{AtomicU64, Ordering::*};
use iota_calls::{Accounting, Op};
use iota_trace::Record;
use iota_trace::part::Traffic;

/// Bytes of a buffer that a stream may write with a call that does not tell how many.
const STREAM_BUFFER: u64 = 4096;
/// Bytes that an eventfd moves.
const EVENT: u64 = 8;

/// Sums that others may read. One alone adds to them, whoever seals the thread's records; those of threads that have ended get
/// more from whoever takes their state.
pub struct Recorded([AtomicU64; 4]);

/// What threads recorded whose state another one has now.
static ENDED: Recorded = Recorded([const { AtomicU64::new(0) }; 4]);

impl Recorded {
    /// Takes more in.
    pub fn add(&self, more: Traffic) {
        let words = [more.read, more.reads, more.written, more.writes];
        for (sum, word) in self.0.iter().zip(words).filter(|(_, word)| *word != 0) {
            let added = |now: u64| Some(now.saturating_add(word));
            let _ = sum.fetch_update(Relaxed, Relaxed, added);
        }
    }

    /// What they are.
    pub fn now(&self) -> Traffic {
        let [read, reads, written, writes] = self.0.each_ref().map(|sum| sum.load(Relaxed));
        Traffic {
            read,
            reads,
            written,
            writes,
        }
    }

    /// Another thread goes on with the state that has it.
    pub fn end(&self) {
        ENDED.add(self.now());
        self.clear();
    }

    fn clear(&self) {
        self.0.iter().for_each(|sum| sum.store(0, Relaxed));
    }
}

/// In a forked child: what its parent's threads recorded is not its own.
pub fn forget() {
    ENDED.clear();
}

/// What threads recorded that have ended, and whose state another one has.
pub fn ended() -> Traffic {
    ENDED.now()
}

/// What these records say. Of reading by streams nobody can tell how much it is: the most.
pub fn traffic(records: &[Record]) -> Traffic {
    records.iter().fold(Traffic::default(), |sum, record| {
        match Accounting::of(Op(record.op)) {
            Accounting::Nothing => sum,
            accounting => sum.plus(of_call(accounting, record)),
        }
    })
}

#[inline(always)]
fn of_call(accounting: Accounting, record: &Record) -> Traffic {
    let returned = record.ret.max(0) as u64;
    let (read, written) = match accounting {
        Accounting::Nothing => return Traffic::default(),
        Accounting::Read => (returned, 0),
        Accounting::Written => (0, returned),
        Accounting::Copied => (returned, returned),
        Accounting::EventRead => (EVENT, 0),
        Accounting::EventWritten => (0, EVENT),
        Accounting::StreamRead => (u64::MAX, 0),
        Accounting::StreamWritten => (0, record.length),
        Accounting::StreamPrinted => (0, record.length.saturating_add(STREAM_BUFFER)),
        Accounting::Reserved => (record.length, record.length),
    };
    Traffic {
        read,
        reads: u64::from(read != 0 || accounting == Accounting::Read),
        written,
        writes: u64::from(written != 0 || accounting == Accounting::Written),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, ret: i64, length: u64) -> Record {
        Record {
            op: iota_calls::rows()
                .find(|(_, call)| call.name == name)
                .expect("a row")
                .0
                .0,
            ret,
            length,
            ..Record::default()
        }
    }

    #[test]
    fn records_say_what_the_kernel_counts() {
        let records = [
            record("write", 7, 10),
            record("write", -1, 10),
            record("pread", 5, 5),
            record("sendfile", 3, 100),
            record("fwrite", 2, 20),
            record("open", 3, 0o644),
            Record::more(1, 2, 3, 4),
        ];
        let expected = Traffic {
            read: 8,
            reads: 2,
            written: 30,
            writes: 4,
        };
        assert_eq!(traffic(&records), expected);
        let streams = traffic(&[record("getc", 1, 1), record("fread", 4, 9)]);
        assert_eq!((streams.read, streams.written), (u64::MAX, 0));
    }
}
