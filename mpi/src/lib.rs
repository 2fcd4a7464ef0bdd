//! MPI: start and end over PMPI, rank, gather
#![no_std]
