//! `iota-sql`: a query over the calls of traces, by DataFusion. `iota convert` makes the table, so that columns are those of
//! docs/TABLES.md; tables that are there already are queried where they lie.

mod calls;
mod output;

use anyhow::{Context, bail};
use clap::Parser;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use output::Format;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Answers a question in SQL about the calls of a trace
///
/// The table is named calls; docs/TABLES.md lists its columns. Traces are
/// converted to Parquet for the time of the query; files and directories that
/// iota convert has left (.parquet, --shards) are queried where they lie, and
/// several queries are better put to these.
#[derive(Debug, Parser)]
#[command(
    name = "iota sql",
    version,
    verbatim_doc_comment,
    after_help = "Examples:\n  \
        iota sql 'select op, count(*), sum(dur) / 1e9 from calls group by op order by 3 desc' run.iota\n  \
        iota sql 'select rank, sum(bytes_written) from calls group by rank' shards/ --format csv\n  \
        iota sql 'describe calls' run.iota",
    max_term_width = 100
)]
struct Args {
    /// The query
    query: String,
    /// Traces, or parts of one; or .parquet files; or a directory of them
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// table, csv, or json (an object in a line for each row)
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Memory for the query, in GiB; what needs more goes to TMPDIR. The rows
    /// of a table are held besides, until it is known how wide they are
    #[arg(long, value_name = "N", default_value_t = 2)]
    memory: usize,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("iota: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<()> {
    if Path::new(&args.query).exists() {
        bail!(
            "{}: is a file; the query comes first, then the traces",
            args.query
        );
    }
    let table = calls::table(&args.traces)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let pool = FairSpillPool::new(args.memory.max(1) << 30);
        let memory = RuntimeEnvBuilder::new().with_memory_pool(Arc::new(pool));
        let context = SessionContext::new_with_config_rt(SessionConfig::new(), memory.build_arc()?);
        let path = table
            .path()
            .to_str()
            .context("the path of the table is no text")?;
        context
            .register_parquet("calls", path, ParquetReadOptions::default())
            .await?;
        let found = context.sql(&args.query).await?.execute_stream().await?;
        output::print(found, args.format).await
    })
}
