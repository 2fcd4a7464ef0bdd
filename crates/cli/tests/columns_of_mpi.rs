//! What converters say of calls of MPI-IO: columns of tables, slices and arrows in Perfetto.

mod common;

use common::Dir;
use common::tree::{MPI, Mpi, SUB, Sub, Tree};
use iota_trace::flags;
use std::collections::BTreeSet;

/// Three ranks write together, the last of them for all in two pieces; then rank 0 begins a write of its own
fn trace(communicator: u64) -> Vec<u8> {
    let mut tree = Tree::new(3, 1);
    for rank in 0..3 {
        let id = tree.number(rank, 0);
        for at in 0..if rank == 2 { 2 } else { 0 } {
            tree.sub(&Sub {
                rank,
                parent: id,
                start: 100 + at * 10,
                end: 110 + at * 10,
                bytes: 150,
                flags: flags::UNDER_LIBRARY,
                ..SUB
            });
        }
        tree.mpi(&Mpi {
            op: "MPI_File_write_all",
            rank,
            id,
            start: 50 + i64::from(rank),
            end: 200,
            bytes: 100,
            collective: 0x1234,
            ranks: communicator,
            ..MPI
        });
    }
    tree.mpi(&Mpi {
        op: "MPI_File_iwrite_at",
        start: 300,
        end: 400,
        bytes: 7,
        flags: flags::ASYNCHRONOUS,
        begun: 30,
        ..MPI
    });
    tree.finish()
}

#[test]
fn tables_have_columns_for_calls_of_mpi() {
    let dir = Dir::new().with("run.iota", &trace(3));
    let table = dir
        .run(["convert", "run.iota", "--to", "csv", "-o", "-"])
        .whole();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let told = |op: &str| -> BTreeSet<Vec<&str>> {
        let names = ["collective", "ranks", "extent", "begun", "flags"].map(column);
        let rows = rows.iter().filter(|row| row[column("op")] == op);
        rows.map(|row| names.iter().map(|at| row[*at]).collect())
            .collect()
    };
    assert_eq!(
        told("MPI_File_write_all"),
        BTreeSet::from([vec!["4660", "3", "100", "0", "0"]])
    );
    assert_eq!(
        told("MPI_File_iwrite_at"),
        BTreeSet::from([vec!["0", "0", "7", "30", "16"]])
    );
    assert_eq!(
        told("pwrite64"),
        BTreeSet::from([vec!["0", "0", "0", "0", "32"]])
    );
}

/// A field of a message of Protocol Buffers
#[derive(Clone, Copy)]
enum Field<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

/// The fields of a message
fn fields(mut message: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut all = Vec::new();
    fn varint(from: &mut &[u8]) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = from[0];
            *from = &from[1..];
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = match key & 7 {
            0 => Field::Number(varint(&mut message)),
            1 => {
                let (bytes, rest) = message.split_first_chunk().unwrap();
                message = rest;
                Field::Number(u64::from_le_bytes(*bytes))
            }
            2 => {
                let len = varint(&mut message) as usize;
                let (bytes, rest) = message.split_at(len);
                message = rest;
                Field::Bytes(bytes)
            }
            other => panic!("wire type {other}"),
        };
        all.push((key >> 3, value));
    }
    all
}

fn inner<'m>(message: &[(u64, Field<'m>)], wanted: u64) -> Vec<&'m [u8]> {
    let of = message.iter().filter(|(field, _)| *field == wanted);
    of.filter_map(|(_, value)| match value {
        Field::Bytes(bytes) => Some(*bytes),
        Field::Number(_) => None,
    })
    .collect()
}

/// The numbers of arrows on each slice that has any
fn arrows(trace: &[u8]) -> Vec<BTreeSet<u64>> {
    let mut all = Vec::new();
    for packet in inner(&fields(trace), 1) {
        for event in inner(&fields(packet), 11) {
            let arrow = |(field, value): (u64, Field)| match value {
                Field::Number(number) if field == 47 => Some(number),
                _ => None,
            };
            let arrows: BTreeSet<u64> = fields(event).into_iter().filter_map(arrow).collect();
            if !arrows.is_empty() {
                all.push(arrows);
            }
        }
    }
    all
}

fn converted(communicator: u64) -> Vec<BTreeSet<u64>> {
    let dir = Dir::new().with("run.iota", &trace(communicator));
    dir.run(["convert", "run.iota", "-o", "run.pftrace"])
        .whole();
    arrows(&std::fs::read(dir.file("run.pftrace")).unwrap())
}

#[test]
fn arrows_lead_from_each_rank_to_what_was_written_for_it() {
    let all = converted(3);
    let calls: Vec<_> = all.iter().filter(|arrows| arrows.len() == 1).collect();
    let writes: Vec<_> = all.iter().filter(|arrows| arrows.len() == 3).collect();
    assert_eq!((calls.len(), writes.len(), all.len()), (3, 2, 5));
    let begun: BTreeSet<u64> = calls.into_iter().flatten().copied().collect();
    assert_eq!(begun.len(), 3, "each rank has its own");
    assert!(writes.into_iter().all(|write| *write == begun));
}

#[test]
fn of_a_part_of_the_ranks_one_line_goes_through_all() {
    let all = converted(2);
    assert_eq!(all.len(), 5);
    assert!(
        all.iter()
            .all(|arrows| arrows.len() == 1 && *arrows == all[0])
    );
}
