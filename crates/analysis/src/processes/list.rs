//! The processes of a trace, and which of them started which.

use super::{ProcessGroup, command};
use crate::stat::Sums;
use iota_trace::part::reason;
use iota_trace::read::{Part, ProcessBlock, Trace};
use std::collections::HashMap;

/// All processes.
pub(super) struct ProcessList<'t> {
    pub all: Vec<One<'t>>,
}

/// One process: a part, or several that continue one another.
pub(super) struct One<'t> {
    pub host: &'t [u8],
    pub pid: u32,
    /// 0: it is not known.
    pub parent: u32,
    pub rank: u32,
    /// The name of its program; of several that it was, the last.
    pub program: String,
    /// Its last part.
    pub part: u32,
    /// By the clock of its host, in ns since 1970.
    began: u64,
    /// Whether its last part ended because another program replaced it.
    is_replaced: bool,
    /// Its random number; 0 in early traces.
    random: u32,
    pub own: ProcessGroup,
    /// Who started it.
    pub above: Option<usize>,
}

impl<'t> ProcessList<'t> {
    pub fn of(trace: &'t Trace, sums: impl IntoIterator<Item = (u32, Sums)>) -> ProcessList<'t> {
        let mut known = ProcessList { all: Vec::new() };
        let of_part = known.collect(trace);
        for (part, sums) in sums {
            if let Some(one) = of_part.get(part as usize) {
                known.all[*one].own.sums.merge(&sums);
            }
        }
        known.relate();
        known
    }

    /// Finds the processes; returns the one of each part.
    fn collect(&mut self, trace: &'t Trace) -> Vec<usize> {
        let mut parts: Vec<_> = (0..).zip(trace.parts()).map(ProcessPart::of).collect();
        parts.sort_by_key(|piece| (piece.began, piece.number));
        let mut of_part = vec![0; parts.len()];
        let mut latest: HashMap<(&[u8], u32), usize> = HashMap::new();
        for piece in &parts {
            let key = (piece.part.host(), piece.part.pid());
            let last = latest.get(&key).map(|last| (*last, &mut self.all[*last]));
            let one = match last {
                Some((at, one)) if one.goes_on_with(piece) => {
                    one.go_on(piece);
                    at
                }
                _ => {
                    self.all.push(One::of(piece));
                    self.all.len() - 1
                }
            };
            latest.insert(key, one);
            of_part[piece.number as usize] = one;
        }
        of_part
    }

    /// Processes are in the order in which they began, so that each stands behind its parent.
    fn relate(&mut self) {
        let mut latest: HashMap<(&[u8], u32), usize> = HashMap::new();
        for (at, one) in self.all.iter_mut().enumerate() {
            one.above = latest.get(&(one.host, one.parent)).copied();
            latest.insert((one.host, one.pid), at);
        }
    }
}

/// A part with what it says of its process.
struct ProcessPart<'t> {
    number: u32,
    part: &'t Part,
    block: Option<ProcessBlock>,
    began: u64,
}

impl<'t> ProcessPart<'t> {
    fn of((number, part): (u32, &'t Part)) -> ProcessPart<'t> {
        let block = part.process();
        let began = block.as_ref().map(|block| block.fields().start.realtime);
        ProcessPart {
            number,
            part,
            began: began.unwrap_or(u64::MAX),
            block,
        }
    }

    fn program(&self) -> String {
        let fields = self.block.as_ref().map(|block| block.fields());
        fields.map_or("?".to_owned(), |of| command::program(of.argv, of.exe))
    }

    fn parent(&self) -> u32 {
        self.block.as_ref().map_or(0, |block| block.fields().ppid)
    }

    fn random(&self) -> u32 {
        self.block.as_ref().map_or(0, |block| block.fields().random)
    }

    fn is_replaced(&self) -> bool {
        let end = self.part.end();
        end.is_some_and(|end| end.reason == reason::EXEC)
    }
}

impl<'t> One<'t> {
    fn of(piece: &ProcessPart<'t>) -> One<'t> {
        One {
            host: piece.part.host(),
            pid: piece.part.pid(),
            parent: piece.parent(),
            rank: piece.part.rank(),
            program: piece.program(),
            part: piece.number,
            began: piece.began,
            is_replaced: piece.is_replaced(),
            random: piece.random(),
            own: ProcessGroup {
                processes: 1,
                sums: Sums::default(),
            },
            above: None,
        }
    }

    /// Whether a part that began later is of the same process: that of the program that replaced it, or the rest of what
    /// it did after its first part was written.
    fn goes_on_with(&self, piece: &ProcessPart) -> bool {
        let is_same = match self.random {
            0 => self.began == piece.began,
            random => random == piece.random(),
        };
        self.is_replaced || is_same || piece.block.is_none()
    }

    fn go_on(&mut self, piece: &ProcessPart) {
        self.part = piece.number;
        self.is_replaced = piece.is_replaced();
        self.random = piece.random();
        self.program = piece.program();
    }
}
