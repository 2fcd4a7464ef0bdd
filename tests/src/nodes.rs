//! Several nodes on one machine: each is a set of namespaces (tests/programs/node.sh).

use crate::{Build, root};

/// What the nodes are called.
const NODES: [&str; 2] = ["node-a", "node-b"];

/// What a launcher is told to start so many ranks on each of two nodes.
pub(crate) fn flags(build: &Build, ranks_each: u32) -> Vec<String> {
    let start = root().join("tests/programs/node.sh").display().to_string();
    if build.value("MPI") == "openmpi" {
        let agent = match build.value("MPI_VERSION").split('.').next() {
            Some("4") => ["--mca", "plm_rsh_agent"],
            _ => ["--prtemca", "plm_ssh_agent"],
        };
        let slots = NODES.map(|node| format!("{node}:{ranks_each}"));
        let mut words = agent.map(String::from).to_vec();
        let by = ["--map-by", "slot", "--host"].map(String::from);
        words.push(start);
        words.extend(by);
        words.push(slots.join(","));
        return words;
    }
    let hosts = NODES.join(",");
    let each = ranks_each.to_string();
    let words = [
        "-launcher",
        "ssh",
        "-launcher-exec",
        &start,
        "-hosts",
        &hosts,
        "-ppn",
        &each,
    ];
    words.map(String::from).to_vec()
}
