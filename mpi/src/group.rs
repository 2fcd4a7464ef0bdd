//! Messages among the ranks of a node, or among the leaders of the nodes. MPI is one way to send them; threads and a
//! model of a whole machine are others, and drive the same gathering.

/// Why something failed, as an error number of the system; of several, the greatest counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GatherError(pub i32);

impl GatherError {
    /// A message did not come through.
    pub const MESSAGE: GatherError = GatherError(libc::ECOMM);
    /// A part could not be read back.
    pub const PART: GatherError = GatherError(libc::EIO);
}

/// What may fail.
pub type Result<T> = core::result::Result<T, GatherError>;

/// The rank of a process in a group, and the size of the group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupRank {
    /// From 0; rank 0 leads.
    pub rank: u32,
    /// Ranks in the group.
    pub size: u32,
}

/// Ranks that send each other messages. All but `send` and `receive` are collective.
pub trait Group {
    /// This process' rank, and the size of the group.
    fn place(&self) -> GroupRank;
    /// Sends bytes to a rank that is receiving as many.
    fn send(&mut self, to: u32, bytes: &[u8]) -> Result<()>;
    /// Waits for exactly `bytes.len()` bytes.
    fn receive(&mut self, from: u32, bytes: &mut [u8]) -> Result<()>;
    /// The same, from a rank that may have much to do before.
    fn receive_late(&mut self, from: u32, bytes: &mut [u8]) -> Result<()> {
        self.receive(from, bytes)
    }
    /// Rank 0's bytes, for everybody.
    fn broadcast(&mut self, bytes: &mut [u8]) -> Result<()>;
    /// Everybody's bytes, for rank 0; elsewhere `all` is empty.
    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()>;
    /// The sum over the ranks before this one; 0 on rank 0.
    fn sum_before(&mut self, value: u64) -> Result<u64>;
    /// The greatest of everybody's values.
    fn greatest(&mut self, value: u64) -> Result<u64>;
}

/// A rank that is alone, and needs no messages.
pub struct Alone;

impl Alone {
    /// Its groups.
    pub fn groups() -> Groups<Alone> {
        Groups {
            node: Alone,
            leaders: Some(Alone),
        }
    }
}

impl Group for Alone {
    fn place(&self) -> GroupRank {
        GroupRank { rank: 0, size: 1 }
    }

    fn send(&mut self, _: u32, _: &[u8]) -> Result<()> {
        Err(GatherError::MESSAGE)
    }

    fn receive(&mut self, _: u32, _: &mut [u8]) -> Result<()> {
        Err(GatherError::MESSAGE)
    }

    fn broadcast(&mut self, _: &mut [u8]) -> Result<()> {
        Ok(())
    }

    fn gather(&mut self, mine: &[u8], all: &mut [u8]) -> Result<()> {
        let room = all.get_mut(..mine.len()).ok_or(GatherError::MESSAGE)?;
        room.copy_from_slice(mine);
        Ok(())
    }

    fn sum_before(&mut self, _: u64) -> Result<u64> {
        Ok(0)
    }

    fn greatest(&mut self, value: u64) -> Result<u64> {
        Ok(value)
    }
}

/// The two groups of a rank.
pub struct Groups<G> {
    /// The ranks of this node.
    pub node: G,
    /// The leaders of all nodes, on a leader.
    pub leaders: Option<G>,
}
