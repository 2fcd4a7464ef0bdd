//! The MPIs that the tests run on.

use crate::{Build, wanted};
use std::sync::{Condvar, Mutex, PoisonError};

/// Few parallel runs at a time: ranks that spin while they wait would starve each other's partners on few cores. Not one
/// alone, since many of these tests wait, for ranks that never come.
static FREE_TURNS: Mutex<usize> = Mutex::new(2);
static TURN_ENDED: Condvar = Condvar::new();

/// One of the parallel runs that may be at a time.
pub struct Turn(());

impl Turn {
    fn wait() -> Turn {
        let turns = FREE_TURNS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut turns = TURN_ENDED
            .wait_while(turns, |turns| *turns == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *turns -= 1;
        Turn(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *FREE_TURNS.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        TURN_ENDED.notify_one();
    }
}

/// The build for this MPI, held until the test ends; None, and the test is left out, where there is none.
pub fn mpi_is_wanted(name: &str) -> Option<(&'static Build, Turn)> {
    mpi_of_version_is_wanted(name, "")
}

/// Likewise, for one whose version begins so.
pub fn mpi_of_version_is_wanted(name: &str, version: &str) -> Option<(&'static Build, Turn)> {
    let build = Build::with_mpi(name, version);
    let what = format!("{name} {version}");
    let remedy = "make test-all takes mpicc.mpich, mpicc.openmpi and the wheels of scripts/deps.sh";
    wanted(what.trim(), build.is_some(), remedy);
    Some((build?, Turn::wait()))
}

/// The build for an MPI of static libraries, held likewise.
pub fn static_mpi() -> (&'static Build, Turn) {
    let build = Build::with_static_mpi()
        .expect("a build for a static MPI (make test-static) in IOTA_BUILDS");
    (build, Turn::wait())
}

/// An MPI, as build.env calls it, and how its version begins.
pub type Mpi = (&'static str, &'static str);

/// The MPIs as names of tests, for [`on_mpis`](crate::on_mpis).
#[allow(non_upper_case_globals, missing_docs)]
pub mod named {
    use super::Mpi;
    pub const mpich_4: Mpi = ("mpich", "4.");
    pub const mpich_5: Mpi = ("mpich", "5.");
    pub const standard_abi: Mpi = ("abi", "1.");
    pub const intel: Mpi = ("intel", "2021.");
    pub const openmpi_4: Mpi = ("openmpi", "4.");
    pub const openmpi_5: Mpi = ("openmpi", "5.");
}

/// A module for a test, and in it a test for each of these MPIs, which calls `TEST(build)`.
#[macro_export]
macro_rules! on_mpis {
    ($test:ident: $($name:ident)*) => {
        mod $test {
            $(#[test] fn $name() { $crate::mpi::on($crate::mpi::named::$name, super::$test) })*
        }
    };
}

/// Runs a test on one MPI, if it is here.
pub fn on((name, version): Mpi, test: fn(&'static Build)) {
    if let Some((build, _turn)) = mpi_of_version_is_wanted(name, version) {
        test(build);
    }
}
