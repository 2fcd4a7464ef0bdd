//! Traces of file servers, joined to that of a job.

use crate::args::ServerArgs;
use crate::{failure, inputs, names};
use anyhow::anyhow;
use iota_analysis::servers::ServerTies;
use iota_analysis::{Job, Pass};
use iota_trace::read::{Options, Trace};

/// What the servers did for the job, if traces of them are given
pub fn join(args: &ServerArgs, job: &Job) -> anyhow::Result<Option<ServerTies>> {
    if args.server.is_empty() {
        return Ok(None);
    }
    let open = |path| inputs::opened(std::slice::from_ref(path), Options::default());
    let traces: Vec<Trace> = args.server.iter().map(open).collect::<Result<_, _>>()?;
    for trace in &traces {
        failure::of(&trace.problems())?;
    }
    let servers: Vec<Job> = traces.iter().map(Job::of).collect();
    let ties = ServerTies::of((job, &Pass::of(job)), &servers, &args.export);
    let given: Vec<String> = args.server.iter().map(|path| names::path(path)).collect();
    ties.map(Some)
        .map_err(|fault| anyhow!("{}: {fault}", given.join(" ")))
}
