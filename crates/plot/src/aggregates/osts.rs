//! Which OST holds the bytes that were moved, and when: by the layouts that the trace has, an estimate of their load.

use super::{Plan, Transfer};
use iota_analysis::Call;
use iota_analysis::stat::Direction;
use iota_analysis::sums::{add, add_each};
use iota_trace::lustre::{Layout, Target};

/// Bytes by OST and time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Osts {
    /// OST by OST, bin by bin.
    pub bytes: Vec<u64>,
    /// Read and written, OST by OST.
    pub loads: [Vec<u64>; 2],
    /// Bytes of files with a layout that does not say where they are.
    pub elsewhere: u64,
}

impl Osts {
    pub(super) fn new(plan: &Plan) -> Osts {
        let count = plan.osts.len();
        Osts {
            bytes: vec![0; count * plan.time.count],
            loads: [vec![0; count], vec![0; count]],
            elsewhere: 0,
        }
    }

    pub(super) fn moved(
        &mut self,
        plan: &Plan,
        call: &Call,
        side: &Transfer,
        offset: i64,
        layout: Layout,
    ) {
        let (start, is_write) = (offset as u64, side.way == Direction::Write);
        layout.share(
            start,
            start.saturating_add(side.bytes),
            is_write,
            |target, bytes| {
                let ost = match target {
                    Target::Ost(ost) => plan.osts.binary_search(&ost).ok(),
                    _ => None,
                };
                let Some(ost) = ost else {
                    add(&mut self.elsewhere, bytes);
                    return;
                };
                add(&mut self.loads[side.way as usize][ost], bytes);
                let row = ost * plan.time.count;
                let cells = &mut self.bytes;
                plan.time.spread(call.start, call.end, bytes, |bin, some| {
                    add(&mut cells[row + bin], some)
                });
            },
        );
    }

    pub(super) fn merge(&mut self, later: Osts) {
        let sum = |to: &mut [u64], from: &[u64]| add_each(to, from);
        sum(&mut self.bytes, &later.bytes);
        sum(&mut self.loads[0], &later.loads[0]);
        sum(&mut self.loads[1], &later.loads[1]);
        add(&mut self.elsewhere, later.elsewhere);
    }
}
