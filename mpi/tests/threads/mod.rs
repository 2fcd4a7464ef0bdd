//! A job whose ranks are threads: every message is a real one, and who waits for a message that nobody sends hangs.
#![allow(dead_code, reason = "each test file uses its own share")]

mod ending;

use ending::Close;
use iota_mpi::clocks::Offset;
use iota_mpi::gather::{Ending, Gathering, Name, Output, Part};
use iota_mpi::group::{GatherError, Group, GroupRank, Groups, Result};
use iota_mpi::packing::{self, Packing};
use iota_mpi::plan::{Extent, MemoryNeed, PIECE, word};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

/// From and to, as ranks of the world, and the group.
type Road = (u32, u32, bool);

/// Messages under way.
#[derive(Default)]
struct Mail {
    roads: Mutex<HashMap<Road, VecDeque<Vec<u8>>>>,
    came: Condvar,
}

/// A group of threads.
pub struct Threads {
    mail: Arc<Mail>,
    members: Vec<u32>,
    me: usize,
    leaders: bool,
}

impl Threads {
    fn road(&self, from: usize, to: usize) -> Road {
        (self.members[from], self.members[to], self.leaders)
    }
}

impl Group for Threads {
    fn place(&self) -> GroupRank {
        GroupRank {
            rank: self.me as u32,
            size: self.members.len() as u32,
        }
    }

    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()> {
        let road = self.road(self.me, to as usize);
        self.mail
            .roads
            .lock()
            .unwrap()
            .entry(road)
            .or_default()
            .push_back(bytes.to_vec());
        self.mail.came.notify_all();
        Ok(())
    }

    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        let road = self.road(from as usize, self.me);
        let mut roads = self.mail.roads.lock().unwrap();
        loop {
            if let Some(message) = roads.get_mut(&road).and_then(VecDeque::pop_front) {
                assert_eq!(message.len(), bytes.len(), "{road:?}");
                bytes.copy_from_slice(&message);
                return Ok(());
            }
            roads = self.mail.came.wait(roads).unwrap();
        }
    }

    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()> {
        if self.me != 0 {
            return self.receive(0, bytes);
        }
        (1..self.members.len() as u32).try_for_each(|to| self.send(to, bytes))
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        if self.me != 0 {
            return self.send(0, mine);
        }
        all[..mine.len()].copy_from_slice(mine);
        (1u32..)
            .zip(all.chunks_exact_mut(mine.len()).skip(1))
            .try_for_each(|(from, to)| self.receive(from, to))
    }

    fn sum_before(&mut self, value: u64) -> Result<u64> {
        let values = self.everybody(value)?;
        Ok(values[..self.me].iter().sum())
    }

    fn greatest(&mut self, value: u64) -> Result<u64> {
        Ok(self.everybody(value)?.into_iter().max().unwrap())
    }
}

impl Threads {
    fn everybody(&mut self, value: u64) -> Result<Vec<u64>> {
        let mut all = vec![0; 8 * self.members.len()];
        self.gather(&value.to_ne_bytes(), &mut all)?;
        self.broadcast(&mut all)?;
        Ok(all.chunks_exact(8).map(word).collect())
    }
}

/// What breaks, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Breaks {
    Nothing,
    Create,
    /// The leader of this node does not find the file.
    Open(u32),
    /// The disk ends here.
    DiskFullAt(u64),
    Close,
    /// The part of this rank cannot be read.
    Part(u32),
}

/// The job: ranks on nodes, and what they have to give.
#[derive(Clone)]
pub struct Job {
    /// The node of each rank.
    pub nodes: Vec<u32>,
    /// Bytes of each rank's part.
    pub lengths: Vec<u64>,
    /// They, if they are to be those of a trace.
    pub parts: Vec<Vec<u8>>,
    /// How far each node's CLOCK_MONOTONIC is behind node 0's, in nanoseconds.
    pub behind: Vec<i64>,
    /// What makes each rank's clock out of it.
    pub bases: Vec<i64>,
    pub breaks: Breaks,
}

/// What became of it.
pub struct Outcome {
    pub verdicts: Vec<Result<()>>,
    pub clocks: Vec<Offset>,
    /// The file, when there is one.
    pub file: Option<Vec<u8>>,
    pub writes: Vec<Extent>,
    pub created: bool,
}

#[derive(Default)]
struct Disk {
    file: Option<Vec<u8>>,
    writes: Vec<Extent>,
    created: bool,
}

struct Mount {
    disk: Arc<Mutex<Disk>>,
    node: u32,
    breaks: Breaks,
}

impl Output for Mount {
    fn create(&mut self, name: &mut Name, stripes: u32) -> Result<()> {
        assert!(stripes >= 1);
        if self.breaks == Breaks::Create {
            return Err(GatherError(libc::EACCES));
        }
        name[..4].copy_from_slice(b"name");
        let mut disk = self.disk.lock().unwrap();
        (disk.file, disk.created) = (Some(Vec::new()), true);
        Ok(())
    }

    fn open(&mut self, name: &Name) -> Result<()> {
        let there = name.starts_with(b"name") && self.breaks != Breaks::Open(self.node);
        if there {
            Ok(())
        } else {
            Err(GatherError(libc::ENOENT))
        }
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> Result<()> {
        let extent = Extent {
            offset,
            length: bytes.len() as u64,
        };
        if matches!(self.breaks, Breaks::DiskFullAt(end) if extent.end() > end) {
            return Err(GatherError(libc::ENOSPC));
        }
        let mut disk = self.disk.lock().unwrap();
        disk.writes.push(extent);
        let file = disk.file.as_mut().expect("written before it was created");
        file.resize(file.len().max(extent.end() as usize), 0xaa);
        file[offset as usize..extent.end() as usize].copy_from_slice(bytes);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if self.breaks == Breaks::Close {
            Err(GatherError(libc::EDQUOT))
        } else {
            Ok(())
        }
    }

    fn remove(&mut self) {
        self.disk.lock().unwrap().file = None;
    }
}

struct Bytes {
    rank: u32,
    length: u64,
    real: Option<Vec<u8>>,
    base: i64,
    clock: Option<Offset>,
    readable: bool,
}

/// The byte at an offset of a rank's part.
pub fn byte(rank: u32, offset: u64) -> u8 {
    (u64::from(rank).wrapping_mul(0x9e37_79b9) ^ offset ^ (offset >> 8)) as u8
}

impl Part for Bytes {
    fn base(&self) -> i64 {
        self.base
    }

    fn set_clock(&mut self, offset: Offset) {
        self.clock = Some(offset);
    }

    fn length(&mut self) -> u64 {
        assert!(
            self.clock.is_some(),
            "the clock belongs to the part, whose length is fixed now"
        );
        self.length
    }

    fn events(&self) -> u64 {
        self.length / 3
    }

    fn read_at(&mut self, offset: u64, to: &mut [u8]) -> bool {
        assert!(offset + to.len() as u64 <= self.length);
        for (at, to) in (offset..).zip(to) {
            let real = self.real.as_ref().map(|real| real[at as usize]);
            *to = real.unwrap_or_else(|| byte(self.rank, at));
        }
        self.readable
    }
}

impl Job {
    /// Runs every rank to its end.
    pub fn run(&self) -> Outcome {
        let mail = Arc::new(Mail::default());
        let outcome = self.run_over(|rank| self.groups(rank, &mail));
        assert!(
            mail.roads.lock().unwrap().values().all(VecDeque::is_empty),
            "a message was left over"
        );
        outcome
    }

    /// The same over other groups.
    pub fn run_over<G>(&self, groups: impl Fn(u32) -> Groups<G>) -> Outcome
    where
        G: Group + Send + 'static,
    {
        let disk = Arc::new(Mutex::new(Disk::default()));
        let ranks: Vec<_> = (0..self.nodes.len() as u32)
            .map(|rank| {
                let (job, groups) = (self.clone(), groups(rank));
                let output = Mount {
                    disk: disk.clone(),
                    node: self.nodes[rank as usize],
                    breaks: self.breaks,
                };
                std::thread::spawn(move || job.rank(rank, groups, output))
            })
            .collect();
        let (verdicts, clocks) = ranks.into_iter().map(|rank| rank.join().unwrap()).unzip();
        let disk = std::mem::take(&mut *disk.lock().unwrap());
        Outcome {
            verdicts,
            clocks,
            file: disk.file,
            writes: disk.writes,
            created: disk.created,
        }
    }

    fn groups(&self, rank: u32, mail: &Arc<Mail>) -> Groups<Threads> {
        let group = |members: Vec<u32>, leaders| {
            let me = members.iter().position(|m| *m == rank)?;
            Some(Threads {
                mail: mail.clone(),
                members,
                me,
                leaders,
            })
        };
        let all = 0..self.nodes.len() as u32;
        let node = self.nodes[rank as usize];
        let leaders = all
            .clone()
            .filter(|r| !self.nodes[..*r as usize].contains(&self.nodes[*r as usize]))
            .collect();
        let members = all.filter(|r| self.nodes[*r as usize] == node).collect();
        Groups {
            node: group(members, false).unwrap(),
            leaders: group(leaders, true),
        }
    }

    fn rank<G: Group>(
        &self,
        rank: u32,
        mut groups: Groups<G>,
        mut output: Mount,
    ) -> (Result<()>, Offset) {
        let ending = match self.parts.is_empty() {
            true => Close::Lines,
            false => Close::Index,
        };
        let memory = MemoryNeed::of(groups.node.place(), |units| ending.length(units));
        assert!(memory.piece as u64 >= PIECE);
        let [mut piece, mut table] = [memory.piece, memory.table].map(|length| vec![0; length]);
        let mut room = Box::new(packing::Room::NEW);
        let length = self.lengths[rank as usize];
        let mut part = Bytes {
            rank,
            length,
            real: self.parts.get(rank as usize).cloned(),
            base: self.bases[rank as usize],
            clock: None,
            readable: self.breaks != Breaks::Part(rank),
        };
        let behind = self.behind[self.nodes[rank as usize] as usize];
        let mut name = [0; 4096];
        let verdict = Gathering {
            rank,
            pid: 100 + rank,
            groups: &mut groups,
            part: Packing::new(&mut part, &mut room),
            output: &mut output,
            ending,
            now: || (now() as i64 - behind) as u64,
            name: &mut name,
            piece: &mut piece,
            table: &mut table,
        }
        .run();
        assert_eq!(
            name.starts_with(b"name"),
            output.disk.lock().unwrap().created,
            "all ranks know the file"
        );
        (verdict, part.clock.unwrap())
    }
}

fn now() -> u64 {
    std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_nanos() as u64
}
