//! What `iota run` found out about this node, so that its processes need not: `IOTA_NODE=HOST CLOCK MOUNT STEP`. To
//! look for it costs a short process more than all that it records.

use super::environment::{number, variable};
use crate::sys::{self, Once, Starting};

struct Node {
    /// Whether the kernel's clock is the TSC; none: not known.
    has_tsc: Option<bool>,
    /// The root's mount in a namespace in which neither a Lustre is mounted nor what may mount one, as the run began.
    without_lustre: Option<u64>,
    /// By how much that clock advances at least, in 1/65536 ticks.
    step: Option<u64>,
}

static NODE: Once<Node> = Once::new(Node {
    has_tsc: None,
    without_lustre: None,
    step: None,
});

/// Reads it. What is said of another host is not believed.
#[inline(never)]
pub fn start(starting: &mut Starting) {
    // SAFETY: zero is valid for plain arrays.
    let mut host = unsafe { core::mem::zeroed() };
    let Some(said) = variable(c"IOTA_NODE") else {
        return;
    };
    let ours = said.strip_prefix(sys::host_name(&mut host));
    let Some(said) = ours.and_then(|said| said.strip_prefix(b" ")) else {
        return;
    };
    let mut words = said.split(|&byte| byte == b' ');
    let has_tsc = words.next().map(|clock| clock == b"tsc");
    let without_lustre = words.next().and_then(number);
    let step = words.next().and_then(number);
    NODE.set(
        starting,
        Node {
            has_tsc,
            without_lustre,
            step,
        },
    );
}

/// Whether the kernel's clock is the TSC, if that is known.
pub fn has_tsc() -> Option<bool> {
    NODE.get().has_tsc
}

/// By how much the clock advances at least, if that is known.
pub fn step() -> Option<u64> {
    NODE.get().step
}

/// Whether it is known of some mount namespace that it has no Lustre.
pub fn knows_mounts() -> bool {
    NODE.get().without_lustre.is_some()
}

/// True when that namespace is the one in which this process looks for files.
pub fn is_without_lustre() -> bool {
    let mount = NODE.get().without_lustre;
    mount.is_some() && mount == sys::root_mount()
}
