//! Phases of I/O that took longer for their bytes than others of the same run.

use super::Rules;
use crate::filter::Select;
use crate::stat::Finding;
use crate::stat::phases::{Phase, Phases, rate};
use crate::sums::{portion, sum};
use iota_quantity::{bytes, many, time};

impl Rules<'_> {
    pub(super) fn slow_phases(&self, of: &Phases) -> Option<Finding> {
        let is_habit = self.thresholds.phases.is_reached(of.phases.len() as u64);
        if !is_habit || !of.are_measured() {
            return None;
        }
        // What few bytes take says little of others.
        let typical_bytes = of.median(|phase| phase.bytes);
        if !self.thresholds.little.is_reached(typical_bytes) {
            return None;
        }
        let typical = of.median(Phase::rate);
        let usual = |phase: &Phase| portion(1_000_000_000, phase.bytes, typical);
        let is_slow = |phase: &&Phase| {
            let is_large = phase.bytes >= typical_bytes / 2 && phase.bytes > 0;
            is_large
                && self
                    .thresholds
                    .slow_phase
                    .is_reached(phase.busy, usual(phase))
        };
        let excess = |phase: &Phase| phase.busy.saturating_sub(usual(phase));
        let slow: Vec<&Phase> = of.phases.iter().filter(is_slow).collect();
        let cost = sum(slow.iter().map(|phase| excess(phase)));
        if !self.thresholds.phase_time.is_reached(cost) {
            return None;
        }
        let worst = slow.iter().max_by_key(|phase| excess(phase))?;
        let number = of.phases.iter().position(|phase| phase == *worst)? + 1;
        let place = match number {
            1 => "the first".to_owned(),
            _ => format!("number {number}"),
        };
        let end = worst.start.saturating_add(worst.duration);
        let mut select = Select::class(of.class);
        select.term(&format!("during={}ns..{end}ns", worst.start));
        Some(Finding {
            kind: "slow-phases",
            cost,
            what: format!(
                "{} of {} of {} slower than the others: {} instead of {}",
                slow.len(),
                many(of.phases.len() as u64, "phase"),
                match slow.len() {
                    1 => format!("{} is", of.activity()),
                    _ => format!("{} are", of.activity()),
                },
                rate(worst.rate()),
                rate(typical),
            ),
            evidence: format!(
                "{place}, {} after the start, took {} for {}; half of all phases move {} or more a second",
                time(worst.start),
                time(worst.busy),
                bytes(worst.bytes),
                bytes(typical),
            ),
            advice: "Compare its calls with those of another phase (`iota stat --where during=...`). Where it is the first, files \
                are created and space is found: create them before, or reserve the space. Where it is another, look for what \
                else the file system did at that time.",
            select: select.on_storage().text(),
        })
    }
}
