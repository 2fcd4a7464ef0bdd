//! `make bench`: what tracing costs, measured against the bare program in the same rounds, and what reading costs.
//!
//! Rounds are interleaved (bare, then each way of tracing, then the next round), so that a machine that slows down does so
//! for all of them; figures are medians. Files and traces lie in memory (/dev/shm). Then what short
//! processes, jobs of more ranks than processors, MPI-IO, HDF5, probes and stacks cost, what reading costs, and `iota load` beside
//! fio; with the argument `processes`, `ranks`, `mpiio`, `hdf5`, `probes`, `stacks`, `follow`, `readers` or `load` one of these alone.

mod figures;
mod follow;
mod hdf5;
mod load;
mod mpiio;
mod probes;
mod processes;
mod ranks;
mod readers;
mod run;
mod stacks;
mod table;

use figures::Plan;
use std::process::ExitCode;

fn main() -> ExitCode {
    let plan = Plan::from_environment();
    match std::env::args().nth(1).as_deref() {
        Some("readers") => {
            readers::measure();
            return ExitCode::SUCCESS;
        }
        Some("load") => {
            print!("{}", load::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("mpiio") => {
            print!("{}", mpiio::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("hdf5") => {
            print!("{}", hdf5::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("probes") => {
            print!("{}", probes::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("stacks") => {
            print!("{}", stacks::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("follow") => {
            print!("{}", follow::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("ranks") => {
            print!("{}", ranks::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        Some("processes") => {
            print!("{}", processes::text(plan.rounds));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let figures = plan.measure();
    print!("{}", table::text(&figures));
    println!("{}", table::json(&figures));
    print!("{}", processes::text(plan.rounds));
    print!("{}", ranks::text(plan.rounds));
    print!("{}", mpiio::text(plan.rounds));
    print!("{}", hdf5::text(plan.rounds));
    print!("{}", probes::text(plan.rounds));
    print!("{}", stacks::text(plan.rounds));
    print!("{}", follow::text(plan.rounds));
    readers::measure();
    print!("{}", load::text(plan.rounds));
    ExitCode::SUCCESS
}
