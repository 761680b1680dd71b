//! Who waits for whom within a stage.

use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard};

use crate::access::Key;
use crate::node::Node;
use crate::plan::order::meant;

/// The systems of a stage, and who waits for whom: flat, for the threads that run it.
pub(crate) struct Graph {
    /// The systems, in order.
    pub(crate) members: Vec<u32>,
    /// Per member: for how many others it waits.
    pub(crate) waits: Vec<u32>,
    /// Per member: where its followers begin in `followers`; and the end.
    pub(crate) starts: Vec<u32>,
    /// Who goes on when a member has finished, as places in `members`.
    pub(crate) followers: Vec<u32>,
    /// Who waits for nobody.
    pub(crate) roots: Vec<u32>,
    /// Per member: for how many others it still waits, during a run.
    pub(crate) counters: Vec<AtomicU32>,
    /// Per member, during a run: who comes after it in a list of those that are ready.
    pub(crate) links: Vec<AtomicU32>,
    /// Per member: how long it and what must follow it take, in nanoseconds.
    pub(crate) rank: Vec<u64>,
    /// How much time could be saved at most by running members at the same time, in nanoseconds.
    pub(crate) gain: u64,
    /// Pairs of members that must not run at the same time, in whatever order.
    pub(crate) apart: Vec<(u32, u32)>,
    turns: Mutex<TakingTurns>,
}

/// During a run, among those that must not run at the same time: who runs, and who waits for whom.
/// There is room for all of them, so that nothing is allocated later.
pub(crate) struct TakingTurns {
    pub(crate) running: Vec<u32>,
    /// Whoever waits, and for whom.
    pub(crate) waiting: Vec<(u32, u32)>,
}

impl TakingTurns {
    fn with_room_for(members: usize) -> Self {
        Self { running: Vec::with_capacity(members), waiting: Vec::with_capacity(members) }
    }

    pub(crate) fn clear(&mut self) {
        self.running.clear();
        self.waiting.clear();
    }
}

impl Graph {
    pub(crate) fn new(members: Vec<u32>, nodes: &[Node], constraints: &[(u32, u32)]) -> Self {
        let mut places = vec![None; nodes.len()];
        for (at, &number) in (0..).zip(&members) {
            places[number as usize] = Some(at);
        }
        let (mut edges, mut apart) = (Vec::new(), Vec::new());
        for &(before, after) in constraints {
            if let (Some(before), Some(after)) = (places[before as usize], places[after as usize]) {
                edges.push((before, after));
            }
        }
        for (at, &number) in (0..).zip(&members) {
            for other in
                nodes[number as usize].unordered.iter().flat_map(|label| meant(nodes, label))
            {
                if let Some(other) = places[other as usize].filter(|&other| other != at) {
                    apart.push((at.min(other), at.max(other)));
                }
            }
        }
        tidy(&mut apart, members.len());
        if apart.is_empty() {
            conflicts(&members, nodes, &mut edges);
        } else {
            conflicts_but(&members, nodes, &apart, &mut edges);
        }
        tidy(&mut edges, members.len());
        let mut waits = vec![0; members.len()];
        let mut starts = vec![0; members.len() + 1];
        for &(before, after) in &edges {
            waits[after as usize] += 1;
            starts[before as usize + 1] += 1;
        }
        for at in 0..members.len() {
            starts[at + 1] += starts[at];
        }
        let roots = (0..).zip(&waits).filter(|&(_, &waits)| waits == 0).map(|(at, _)| at).collect();
        let zeros = || members.iter().map(|_| AtomicU32::new(0)).collect();
        let (counters, links) = (zeros(), zeros());
        let followers = edges.iter().map(|&(_, after)| after).collect();
        let (rank, turns) = (
            vec![0; members.len()],
            TakingTurns::with_room_for(members.len().min(2 * apart.len())).into(),
        );
        Self {
            rank,
            members,
            waits,
            counters,
            links,
            starts,
            followers,
            roots,
            apart,
            gain: 0,
            turns,
        }
    }

    /// Takes note of how long each member takes, in nanoseconds.
    pub(crate) fn note_costs(&mut self, cost: impl Fn(u32) -> u64) {
        let mut total = 0;
        for at in (0..self.members.len() as u32).rev() {
            let own = cost(self.members[at as usize]);
            total += own;
            // Followers come later in the order.
            let after = self.followers(at).iter().map(|&after| self.rank[after as usize]).max();
            self.rank[at as usize] = own + after.unwrap_or(0);
        }
        self.gain = total - self.rank.iter().copied().max().unwrap_or(0);
    }

    pub(crate) fn followers(&self, at: u32) -> &[u32] {
        &self.followers[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
    }

    /// Who runs and who waits, among those that must not run at the same time.
    pub(crate) fn turns(&self) -> MutexGuard<'_, TakingTurns> {
        self.turns.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// With whom a member must not run at the same time.
    pub(crate) fn apart_from(&self, at: u32) -> impl Iterator<Item = u32> {
        self.apart.iter().filter_map(move |&(one, other)| match at {
            _ if one == at => Some(other),
            _ if other == at => Some(one),
            _ => None,
        })
    }
}

/// Sorts pairs of members, each once: by the second number, and then by the first, as one sorts
/// cards.
fn tidy(pairs: &mut Vec<(u32, u32)>, members: usize) {
    let (mut by_second, mut by_first) = (vec![Vec::new(); members], vec![Vec::new(); members]);
    for (first, second) in pairs.drain(..) {
        by_second[second as usize].push(first);
    }
    for (second, firsts) in (0..).zip(&by_second) {
        for &first in firsts {
            let seconds: &mut Vec<u32> = &mut by_first[first as usize];
            if seconds.last() != Some(&second) {
                seconds.push(second);
            }
        }
    }
    for (first, seconds) in (0..).zip(&by_first) {
        pairs.extend(seconds.iter().map(|&second| (first, second)));
    }
}

/// Who wrote last to something, and who has read it since.
#[derive(Default)]
struct Users {
    writer: Option<u32>,
    readers: Vec<u32>,
}

/// Every system waits for those before it that it conflicts with; those that they wait for
/// themselves are left out.
fn conflicts(members: &[u32], nodes: &[Node], edges: &mut Vec<(u32, u32)>) {
    // Sorted by what they use. It is searched for every touch, and grows only when something is
    // touched for the first time.
    let mut users: Vec<((Key, u32), Users)> = Vec::new();
    for (at, &number) in (0..).zip(members) {
        for touch in
            nodes[number as usize].access.touches.iter().filter(|touch| touch.key != Key::Commands)
        {
            let mut bits = touch.reads | touch.writes;
            while bits != 0 {
                let bit = bits.trailing_zeros();
                bits &= bits - 1;
                let used = (touch.key, bit);
                let place =
                    users.binary_search_by(|(other, _)| other.cmp(&used)).unwrap_or_else(|place| {
                        users.insert(place, (used, Users::default()));
                        place
                    });
                let Users { writer, readers } = &mut users[place].1;
                if touch.writes >> bit & 1 == 0 {
                    edges.extend(writer.filter(|&writer| writer != at).map(|writer| (writer, at)));
                    if readers.last() != Some(&at) {
                        readers.push(at);
                    }
                } else {
                    if readers.iter().all(|&reader| reader == at) {
                        edges.extend(
                            writer.filter(|&writer| writer != at).map(|writer| (writer, at)),
                        );
                    }
                    edges.extend(
                        readers.drain(..).filter(|&reader| reader != at).map(|reader| (reader, at)),
                    );
                    *writer = Some(at);
                }
            }
        }
    }
}

/// As [`conflicts`], pair by pair, but for some pairs.
fn conflicts_but(
    members: &[u32],
    nodes: &[Node],
    apart: &[(u32, u32)],
    edges: &mut Vec<(u32, u32)>,
) {
    for (at, &number) in (0..).zip(members) {
        for (earlier, &other) in (0..at).zip(members) {
            let (one, two) = (&nodes[other as usize].access, &nodes[number as usize].access);
            if apart.binary_search(&(earlier, at)).is_err() && one.clash(two).is_some() {
                edges.push((earlier, at));
            }
        }
    }
}
