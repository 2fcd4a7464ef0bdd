//! Traces of file servers, joined to that of a job.

use crate::args::ServerArgs;
use crate::{inputs, names};
use anyhow::anyhow;
use iota_analysis::servers::ServerTies;
use iota_analysis::{Job, Pass};
use iota_trace::read::{Options, Problem, Trace};

/// Opens them
pub fn open(args: &ServerArgs) -> anyhow::Result<Vec<Trace>> {
    let open = |path| inputs::opened(std::slice::from_ref(path), Options::default());
    let traces: Result<_, _> = args.server.iter().map(open).collect();
    Ok(traces?)
}

/// What the servers did for the job, if there are traces of them
pub fn join(args: &ServerArgs, traces: &[Trace], job: &Job) -> anyhow::Result<Option<ServerTies>> {
    if traces.is_empty() {
        return Ok(None);
    }
    let servers: Vec<Job> = traces.iter().map(Job::of).collect();
    let ties = ServerTies::of((job, &Pass::of(job)), &servers, &args.export);
    let given: Vec<String> = args.server.iter().map(|path| names::path(path)).collect();
    ties.map(Some)
        .map_err(|fault| anyhow!("{}: {fault}", given.join(" ")))
}

/// What could not be read of a job's trace and of those of servers
pub fn problems(trace: &Trace, servers: &[Trace]) -> Vec<Problem> {
    let all = std::iter::once(trace).chain(servers);
    all.flat_map(Trace::problems).collect()
}
