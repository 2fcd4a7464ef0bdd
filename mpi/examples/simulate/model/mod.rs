//! A machine in one thread. Every rank runs the gathering to its end, one after the other, and the model answers for
//! the others: it knows the parts, the nodes and the clocks, so that it knows what they would say. What a rank says
//! itself is held against that, and all that is sent against all that is expected.

mod voice;

use iota_mpi::clocks::Offset;
use iota_mpi::ending::Index;
use iota_mpi::gather::{Ending, Gathering, Name, Output, Part};
use iota_mpi::group::{GroupRank, Groups, Result};
use iota_mpi::packing::{self, Packing};
use iota_mpi::plan::{Extent, MemoryNeed, PIECE, Share};
use iota_mpi::random::Random;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use voice::Model;

/// What one rank did.
#[derive(Clone, Copy, Default, Debug)]
pub struct Load {
    /// Messages that it sent.
    pub sent: u64,
    /// Messages that it received.
    pub received: u64,
    /// Collective calls on its node.
    pub node_calls: u64,
    /// Collective calls among the leaders.
    pub leader_calls: u64,
    /// Messages inside these calls, where MPI makes them of binomial trees.
    pub inside: u64,
    /// Bytes in its messages.
    pub bytes: u64,
    /// Writes to the output.
    pub writes: u64,
    /// Bytes of memory that it took.
    pub memory: u64,
}

/// The machine, and what has been said on it so far.
pub struct Machine {
    ranks: u32,
    per_node: u32,
    lengths: Vec<u64>,
    /// Each node's CLOCK_MONOTONIC minus node 0's.
    ahead: Vec<i64>,
    /// Where each node's segment begins, worked out here and not by the code under test; the last is the end.
    bases: Vec<u64>,
    /// The longest segment.
    longest: u64,
    time: Cell<u64>,
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    /// Bytes sent minus bytes expected, by sender, receiver and group; empty in the end.
    balance: HashMap<(u32, u32, bool), i64>,
    /// What a rank sends that its receiver runs later.
    kept: HashMap<(u32, u32, bool), VecDeque<Vec<u8>>>,
    /// What rank 0 of a group broadcasts, by the node (none: the leaders) and the number of the call.
    broadcasts: HashMap<(Option<u32>, u64), Vec<u8>>,
    /// What was written.
    writes: Vec<Extent>,
}

/// The machine after the gathering.
pub struct Report {
    pub nodes: u32,
    /// What each rank did.
    pub loads: Vec<Load>,
    pub file: u64,
    /// The largest error of a clock, in nanoseconds.
    pub clock_error: u64,
}

impl Machine {
    /// So many ranks, so many on each node, with parts of at most so many bytes.
    pub fn new(ranks: u32, per_node: u32, longest: u64, seed: u64) -> Rc<Machine> {
        let mut random = Random::new(seed);
        let nodes = ranks.div_ceil(per_node);
        let lengths: Vec<u64> = (0..ranks)
            .map(|_| random.below(16).min(1) * random.below(longest))
            .collect();
        let ahead = (0..nodes).map(|node| (random.below(1 << 40) * u64::from(node.min(1))) as i64);
        let mut machine = Machine {
            ranks,
            per_node,
            lengths,
            ahead: ahead.collect(),
            bases: vec![0],
            longest: 0,
            time: Cell::new(1 << 50),
            said: RefCell::default(),
        };
        for node in 0..nodes {
            let segment = machine.segment(node);
            machine.longest = machine.longest.max(segment);
            machine.bases.push(machine.bases[node as usize] + segment);
        }
        Rc::new(machine)
    }

    fn members(&self, node: u32) -> std::ops::Range<u32> {
        node * self.per_node..self.ranks.min((node + 1) * self.per_node)
    }

    fn segment(&self, node: u32) -> u64 {
        let lengths: Vec<u64> = self
            .members(node)
            .map(|rank| self.lengths[rank as usize])
            .filter(|l| *l != 0)
            .collect();
        let ending = if lengths.is_empty() {
            0
        } else {
            Index.length(lengths.len())
        };
        lengths.iter().sum::<u64>() + ending
    }

    fn nodes(&self) -> u32 {
        self.ahead.len() as u32
    }

    fn share(&self, rank: u32) -> Share {
        let length = self.lengths[rank as usize];
        Share {
            rank,
            pid: rank ^ 0x5555,
            length,
            events: length / 2,
            // What stands in a part is not simulated: none is packed.
            ..Share::default()
        }
    }

    /// CLOCK_MONOTONIC of a node.
    fn clock(&self, node: u32) -> u64 {
        self.time
            .get()
            .wrapping_add_signed(self.ahead[node as usize])
    }

    /// A message takes a while.
    fn pass(&self) {
        self.time.set(self.time.get() + 900 + self.time.get() % 200);
    }

    /// Runs all ranks: leaders first, because the others need to hear what they say.
    pub fn run(self: &Rc<Machine>) -> Report {
        let mut loads = vec![Load::default(); self.ranks as usize];
        let mut clock_error = 0;
        let leads = |rank: &u32| rank.is_multiple_of(self.per_node);
        let leaders = (0..self.ranks).filter(leads);
        for rank in leaders.chain((0..self.ranks).filter(|rank| !leads(rank))) {
            let (load, error) = self.rank(rank);
            loads[rank as usize] = load;
            clock_error = clock_error.max(error);
        }
        self.check();
        let file = *self.bases.last().expect("never empty");
        Report {
            nodes: self.nodes(),
            loads,
            file,
            clock_error,
        }
    }

    fn rank(self: &Rc<Machine>, rank: u32) -> (Load, u64) {
        let (node, load) = (rank / self.per_node, Rc::new(Cell::new(Load::default())));
        let members = self.members(node);
        let group = |leaders: bool, rank, size| Model {
            machine: self.clone(),
            load: load.clone(),
            leaders,
            node,
            place: GroupRank { rank, size },
            broadcasts: 0,
            greatest: 0,
        };
        let on_node = group(false, rank - members.start, members.len() as u32);
        let leaders = (rank == members.start).then(|| group(true, node, self.nodes()));
        let memory = MemoryNeed::of(on_node.place, |units| Index.length(units));
        let [mut piece, mut table] = [memory.piece, memory.table].map(|length| vec![0; length]);
        let mut room = Box::new(packing::Room::NEW);
        let mut part = Bytes {
            machine: self.clone(),
            rank,
            error: 0,
        };
        let mut output = Disk {
            machine: self.clone(),
            load: load.clone(),
        };
        let done = Gathering {
            rank,
            pid: self.share(rank).pid,
            groups: &mut Groups {
                node: on_node,
                leaders,
            },
            part: Packing::new(&mut part, &mut room),
            output: &mut output,
            ending: Index,
            now: || self.clock(node),
            name: &mut [0; 4096],
            piece: &mut piece,
            table: &mut table,
        }
        .run();
        assert_eq!(done, Ok(()), "rank {rank}");
        (
            Load {
                memory: (memory.total() + size_of::<packing::Room>()) as u64,
                ..load.get()
            },
            part.error,
        )
    }

    /// Nothing was sent that nobody expects, and the file is whole.
    fn check(&self) {
        let said = self.said.borrow();
        if let Some((road, bytes)) = said.balance.iter().find(|(_, bytes)| **bytes != 0) {
            panic!("{road:?}: sent minus received is {bytes} bytes");
        }
        let mut writes = said.writes.clone();
        writes.sort_by_key(|write| write.offset);
        let end = writes.iter().fold(0, |at, write| {
            assert_eq!(write.offset, at, "a hole, or bytes written twice");
            assert_eq!(
                write.offset / PIECE,
                (write.end() - 1) / PIECE,
                "{write:?} crosses a boundary"
            );
            write.end()
        });
        assert_eq!(end, *self.bases.last().expect("never empty"));
    }
}

struct Bytes {
    machine: Rc<Machine>,
    rank: u32,
    error: u64,
}

impl Part for Bytes {
    fn base(&self) -> i64 {
        1_700_000_000_000_000_000 + i64::from(self.rank)
    }

    fn set_clock(&mut self, clock: Offset) {
        let ahead = self.machine.ahead[(self.rank / self.machine.per_node) as usize];
        let truth = ahead + i64::from(self.rank);
        let wrong = clock.offset.abs_diff(truth);
        assert!(
            wrong <= clock.error,
            "rank {}: {clock:?}, wrong by {wrong}",
            self.rank
        );
        self.error = clock.error;
    }

    fn length(&mut self) -> u64 {
        self.machine.share(self.rank).length
    }

    fn events(&self) -> u64 {
        self.machine.share(self.rank).events
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> bool {
        offset + to.len() as u64 <= self.machine.share(self.rank).length
    }
}

struct Disk {
    machine: Rc<Machine>,
    load: Rc<Cell<Load>>,
}

impl Output for Disk {
    fn create(&mut self, name: &mut Name, _stripes: u32) -> Result<()> {
        name[0] = 1;
        Ok(())
    }

    fn open(&mut self, name: &Name) -> Result<()> {
        assert_eq!(name[0], 1);
        Ok(())
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        let length = bytes.len() as u64;
        self.machine
            .said
            .borrow_mut()
            .writes
            .push(Extent { offset, length });
        self.load.set(Load {
            writes: self.load.get().writes + 1,
            ..self.load.get()
        });
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn remove(&mut self) {
        panic!("nothing goes wrong here");
    }
}
