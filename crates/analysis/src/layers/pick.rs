//! Which layer's calls are reported.

use super::{LayerReport, Layers, Paths};
use crate::filter::{Bound, Filter};
use crate::servers::ServerTies;
use crate::stat::{Finding, dearest};
use crate::thresholds::Thresholds;
use crate::{Job, Pass};
use iota_calls::Layer;
use iota_trace::text;

/// Libraries that know datasets and variables, the highest first.
const HIGH: [&str; 3] = ["NETCDF", "PNETCDF", "HDF5"];

/// Layers above descriptors and streams of which the trace has functions, by their numbers.
pub fn layers_of(job: &Job) -> Vec<u8> {
    let libraries = job.ops.all().iter().filter(|function| function.is_library);
    let mut layers: Vec<u8> = libraries.map(|function| function.layer).collect();
    layers.sort_unstable();
    layers.dedup();
    layers
}

/// The layer whose calls are reported if none is asked for: MPI-IO, else the highest library that knows datasets or variables,
/// else functions that the user named.
pub fn layer_of(job: &Job) -> u8 {
    let known = layers_of(job);
    let high = || high(&known);
    match known.contains(&(Layer::MpiIo as u8)) || known.is_empty() {
        true => Layer::MpiIo as u8,
        false => high().unwrap_or(Layer::User as u8),
    }
}

/// All that is found out in one pass.
pub struct Stack<'j> {
    /// Calls of one layer, and what they caused.
    pub layers: Layers<'j>,
    /// Which calls called which.
    pub paths: Paths<'j>,
    /// The same as `layers` of the highest library that knows datasets or variables, if that is another one.
    data: Option<Layers<'j>>,
    servers: Option<&'j ServerTies>,
}

impl<'j> Stack<'j> {
    /// What a pass finds of calls of a layer that are wanted; with `sub_calls` the first of each call are listed one by one.
    /// `servers` were joined to the same job.
    pub fn read(
        pass: &Pass,
        job: &'j Job<'j>,
        wanted: &'j Bound,
        layer: u8,
        sub_calls: bool,
        servers: Option<&'j ServerTies>,
    ) -> Stack<'j> {
        let data = high(&layers_of(job)).filter(|data| *data != layer);
        let new = |layer| Layers::new(job, wanted, layer).with_servers(servers);
        let layers = || match new(layer) {
            layers if sub_calls => layers.with_sub_calls(),
            layers => layers,
        };
        let data = || data.map(new);
        let paths = || Paths::new(job, wanted, layer).with_servers(servers);
        let all = || ((layers(), paths()), data());
        let ((layers, paths), data) = pass.run(all);
        Stack {
            layers,
            paths,
            data,
            servers,
        }
    }

    /// Of all that was found out; tables have `top` rows, all with 0.
    pub fn report(
        &self,
        job: &Job,
        filter: &Filter,
        top: usize,
        thresholds: &Thresholds,
    ) -> LayerReport {
        let is_filtered = filter.is_chosen();
        let mut report = LayerReport::of(&self.layers, job, top, thresholds, is_filtered);
        (report.tree, report.tree_folded) = self.paths.rows(!filter.is_empty(), top);
        report.limits.orphans = self.paths.orphans;
        if let Some(data) = &self.data {
            let of_data = LayerReport::of(data, job, 1, thresholds, is_filtered);
            report.minor += of_data.minor;
            report.findings.extend(of_data.findings);
        }
        if let Some(servers) = self.servers {
            report.servers = servers.rows();
            report.counts[6] = report.servers.len() as u64;
            if top > 0 {
                report.servers.truncate(top);
            }
            let run = job.duration.max(0) as u64;
            let is_worth = |cost| thresholds.worth.is_reached(cost, run);
            let (found, minor) = dearest(servers.findings(job, thresholds), is_worth);
            report.minor += minor;
            report.findings.extend(found);
        }
        let cost = |finding: &Finding| std::cmp::Reverse(finding.cost);
        report.findings.sort_by_key(cost);
        report
    }
}

/// The highest of these that knows datasets or variables.
pub(super) fn high(known: &[u8]) -> Option<u8> {
    let find = |name: &&str| known.iter().find(|layer| text::layer(**layer) == *name);
    HIGH.iter().find_map(find).copied()
}
