//! A binomial tree over the leaders, rooted at leader 0: in round k every leader whose number ends in a one and k
//! zeros meets its parent, which has the same number without that one. Nobody meets more than one other in a round,
//! every leader but 0 has one parent, and there are as many rounds as leader numbers have bits.

use crate::group::GroupRank;

/// Whom a leader meets in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// The one nearer to leader 0.
    Parent(u32),
    /// One that is farther.
    Child(u32),
}

/// The number of rounds among so many leaders.
pub fn rounds(leaders: u32) -> u32 {
    u32::BITS.wrapping_sub(leaders.saturating_sub(1).leading_zeros())
}

/// Whom the leader at `me` meets in `round`.
pub fn rendezvous(me: GroupRank, round: u32) -> Option<Meeting> {
    let bit = 1u32.checked_shl(round)?;
    let done = bit.wrapping_sub(1);
    if me.rank & done != 0 {
        return None;
    }
    if me.rank & bit != 0 {
        return Some(Meeting::Parent(me.rank & !bit));
    }
    let child = me.rank | bit;
    (child < me.size).then_some(Meeting::Child(child))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leader_but_the_first_has_one_parent_that_knows_it() {
        for size in (1..70).chain([1000, 1720]) {
            for rank in 0..size {
                let me = GroupRank { rank, size };
                let mut parents = 0;
                for round in 0..rounds(size) {
                    match rendezvous(me, round) {
                        Some(Meeting::Parent(parent)) => {
                            parents += 1;
                            assert_eq!(
                                rendezvous(GroupRank { rank: parent, size }, round),
                                Some(Meeting::Child(rank))
                            );
                        }
                        Some(Meeting::Child(child)) => {
                            assert_eq!(parents, 0, "children come before the parent");
                            assert_eq!(
                                rendezvous(GroupRank { rank: child, size }, round),
                                Some(Meeting::Parent(rank))
                            );
                        }
                        None => {}
                    }
                }
                assert_eq!(parents, u32::from(rank != 0), "leader {rank} of {size}");
            }
        }
    }

    #[test]
    fn the_depth_is_logarithmic() {
        assert_eq!([1, 2, 3, 4, 5, 1720].map(rounds), [0, 1, 2, 2, 3, 11]);
        assert_eq!(rounds(0), 0);
    }
}
