//! What the load needs of MPI: who is there, and what all of them agree on.

use anyhow::{Context, ensure};
use iota_load::Done;
use iota_load::plan::World;
use mpi_sys::*;
use std::ffi::c_int;

/// MPI, from its start to its end. Collective calls are made by the thread that started it.
pub struct Mpi {
    world: World,
    /// Whether threads may call at the same time, and one after another
    threads: (bool, bool),
}

const TAG: c_int = 1;

impl Mpi {
    /// Calls MPI_Init_thread.
    pub fn start() -> Mpi {
        let (mut given, mut rank, mut size) = (0, 0, 0);
        // SAFETY: no arguments are passed on; the places are ours.
        unsafe {
            MPI_Init_thread(
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                RSMPI_THREAD_MULTIPLE,
                &mut given,
            );
            MPI_Comm_rank(RSMPI_COMM_WORLD, &mut rank);
            MPI_Comm_size(RSMPI_COMM_WORLD, &mut size);
        }
        // SAFETY: constants of the MPI, which is started.
        let (multiple, serialized) = unsafe { (RSMPI_THREAD_MULTIPLE, RSMPI_THREAD_SERIALIZED) };
        let world = World {
            rank: rank as u32,
            ranks: size as u32,
        };
        Mpi {
            world,
            threads: (given >= multiple, given >= serialized),
        }
    }

    /// Calls MPI_Finalize.
    pub fn end(&self) {
        // SAFETY: nothing is under way.
        unsafe { MPI_Finalize() };
    }

    /// Who this is.
    pub fn world(&self) -> World {
        self.world
    }

    /// Fails where the MPI has no room for so many threads.
    pub fn allows(&self, threads: u64) -> anyhow::Result<()> {
        let (several, one) = self.threads;
        let enough = several || (one && threads == 1);
        ensure!(
            enough,
            "-io_api mpiio with {}: this MPI was built without MPI_THREAD_MULTIPLE; use one file and one piece",
            iota_quantity::many(threads, "thread")
        );
        Ok(())
    }

    /// Whether it holds on all ranks.
    pub fn all(&self, holds: bool) -> bool {
        // SAFETY: a constant of the MPI.
        self.reduced(u64::from(holds), unsafe { RSMPI_MIN }) != 0
    }

    fn reduced(&self, value: u64, how: MPI_Op) -> u64 {
        let mut all = 0u64;
        // SAFETY: one number each, in places of ours.
        unsafe {
            let (from, to) = ((&raw const value).cast(), (&raw mut all).cast());
            MPI_Allreduce(from, to, 1, RSMPI_UINT64_T, how, RSMPI_COMM_WORLD);
        }
        all
    }

    /// Bytes that all ranks moved in a phase, and the longest time that one of them took, in ns.
    pub fn total(&self, done: Option<&Done>) -> (u64, u64) {
        let bytes = done.map_or(0, |done| {
            done.outcome
                .workers
                .iter()
                .map(|worker| worker.sum.all_bytes())
                .sum()
        });
        let nanos = done.map_or(0, |done| done.outcome.total.nanos());
        // SAFETY: constants of the MPI.
        unsafe {
            (
                self.reduced(bytes, RSMPI_SUM),
                self.reduced(nanos, RSMPI_MAX),
            )
        }
    }

    /// Done by rank 0 alone.
    pub fn on_first<T>(&self, act: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<()> {
        if self.world.rank == 0 {
            act().map(drop)
        } else {
            Ok(())
        }
    }

    /// Told by the lowest rank that has something to tell.
    pub fn reported_once(&self, result: anyhow::Result<()>) -> anyhow::Result<()> {
        let own = if result.is_err() {
            self.world.rank.into()
        } else {
            u64::MAX
        };
        // SAFETY: a constant of the MPI.
        let lowest = self.reduced(own, unsafe { RSMPI_MIN });
        match result {
            Err(error) if lowest == own => Err(error),
            _ => std::process::exit(self.silently()),
        }
    }

    /// Ends with the others, who say why.
    fn silently(&self) -> i32 {
        self.all(false);
        self.end();
        2
    }

    /// Everybody's bytes, on rank 0.
    pub fn gather(&self, own: &[u8]) -> anyhow::Result<Vec<Vec<u8>>> {
        let length = c_int::try_from(own.len())
            .context("the report of a rank has more than 2 GiB; use -log files")?;
        if self.world.rank > 0 {
            // SAFETY: the slice's own pointer and length.
            unsafe {
                MPI_Send(
                    own.as_ptr().cast(),
                    length,
                    RSMPI_UINT8_T,
                    0,
                    TAG,
                    RSMPI_COMM_WORLD,
                )
            };
            return Ok(Vec::new());
        }
        let others = (1..self.world.ranks).map(|rank| self.receive(rank as c_int));
        Ok([own.to_vec()].into_iter().chain(others).collect())
    }

    fn receive(&self, rank: c_int) -> Vec<u8> {
        let mut status = std::mem::MaybeUninit::<MPI_Status>::zeroed();
        let mut length = 0;
        // SAFETY: the message's length is asked first, so that there is room for it.
        unsafe {
            MPI_Probe(rank, TAG, RSMPI_COMM_WORLD, status.as_mut_ptr());
            MPI_Get_count(status.as_ptr(), RSMPI_UINT8_T, &mut length);
            let mut bytes = vec![0u8; length as usize];
            let to = bytes.as_mut_ptr().cast();
            MPI_Recv(
                to,
                length,
                RSMPI_UINT8_T,
                rank,
                TAG,
                RSMPI_COMM_WORLD,
                status.as_mut_ptr(),
            );
            bytes
        }
    }
}
