#![expect(unsafe_code, reason = "runs systems of one stage on several threads")]
//! A stage on several threads.
//!
//! Every system has a counter of those that it waits for. Whoever finishes a system counts down its
//! followers; the worker goes on with one that is ready now, and offers the others to whoever is
//! idle. Forks are rayon's `join`, which allocates nothing, and are made only where both sides take
//! long enough.
//!
//! # Invariants
//!
//! - **E3** The worker that counts a counter down to zero runs that system, or hands it to one
//!   other: so it runs once, after all that it waits for.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

use lath_core::threads;

use super::{Failure, Run, Shared, mix};
use crate::node::Node;
use crate::plan::graph::Graph;
use crate::world::World;

/// Both sides of a fork take at least so long, in nanoseconds.
const WORTH_A_FORK: u64 = 10_000;

/// Forks within forks; beyond this the rest is done one after the other.
const DEEPEST: u32 = 64;

struct Together<'a> {
    shared: Shared<'a>,
    graph: &'a Graph,
    /// Somebody has failed: whoever has not begun does not.
    stopped: AtomicBool,
    failures: Mutex<Vec<Failure>>,
    fork_all: bool,
    seed: Option<u64>,
}

impl Run<'_> {
    /// Runs the systems of a stage, at the same time where the graph allows.
    pub(crate) fn together(
        &self,
        world: &mut World,
        nodes: &mut [Node],
        graph: &Graph,
        fork_all: bool,
        seed: Option<u64>,
    ) -> Result<(), Failure> {
        for (counter, &waits) in graph.counters.iter().zip(&graph.waits) {
            counter.store(waits, Relaxed);
        }
        graph.turns().clear();
        let together = Together {
            shared: self.share(world, nodes),
            graph,
            stopped: AtomicBool::new(false),
            failures: Mutex::new(Vec::new()),
            fork_all,
            seed,
        };
        self.threads.inside(|| together.start(&graph.roots, 0));
        let failures =
            together.failures.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        failures.into_iter().min_by_key(|failure| failure.node).map_or(Ok(()), Err)
    }
}

impl Together<'_> {
    /// Runs members that wait for nobody, and what follows.
    fn start(&self, ready: &[u32], depth: u32) {
        match ready {
            [] => {}
            [one] => self.go_on(*one, depth),
            _ => {
                let (left, right) = ready.split_at(ready.len() / 2);
                let longest =
                    |list: &[u32]| list.iter().map(|&at| self.rank(at)).max().unwrap_or(0);
                self.fork(
                    (longest(left), longest(right)),
                    depth,
                    |depth| self.start(left, depth),
                    |depth| self.start(right, depth),
                );
            }
        }
    }

    /// Whether two things to do, of such costs, are worth being done at the same time.
    fn is_worth_a_fork(&self, cost: (u64, u64), depth: u32) -> bool {
        depth < DEEPEST && (self.fork_all || cost.0.min(cost.1) >= WORTH_A_FORK)
    }

    /// Whether of two things to do the second comes first.
    fn swaps(&self, cost: (u64, u64), depth: u32) -> bool {
        match self.seed {
            Some(seed) => mix(seed ^ cost.0 ^ u64::from(depth) << 32) & 1 == 1,
            // The short one first: somebody may be waiting for it.
            None => cost.0 > cost.1,
        }
    }

    /// Does both, at the same time if it is worth it.
    fn fork(
        &self,
        cost: (u64, u64),
        depth: u32,
        one: impl Fn(u32) + Sync,
        other: impl Fn(u32) + Sync,
    ) {
        let swaps = self.swaps(cost, depth);
        match (self.is_worth_a_fork(cost, depth), swaps && self.seed.is_some()) {
            (true, false) => threads::join(&mut || one(depth + 1), &mut || other(depth + 1)),
            (true, true) => threads::join(&mut || other(depth + 1), &mut || one(depth + 1)),
            (false, _) if swaps => {
                other(depth);
                one(depth);
            }
            (false, _) => {
                one(depth);
                other(depth);
            }
        }
    }

    /// Runs a member, and then what is ready because of it. What is not worth a fork is put on a
    /// list, not on the stack, which would grow with the length of the schedule.
    fn go_on(&self, first: u32, depth: u32) {
        let mut list = List::default();
        let mut next = Some(first);
        while let Some(at) = next.or_else(|| list.pop(self.graph)) {
            next = None;
            // If it may not, whoever it must be apart from will take it up.
            if self.may_run(at) {
                self.run(at);
                self.take_up(at, &mut list);
                next = self.next_of(self.graph.followers(at), depth, &mut list);
            }
        }
    }

    /// Counts down followers. Of those that are ready all are run or put on the list, but for one,
    /// which is the answer.
    fn next_of(&self, followers: &[u32], depth: u32, list: &mut List) -> Option<u32> {
        let (mut one, mut rest) = self.next_ready(followers)?;
        while let Some((two, more)) = self.next_ready(rest) {
            let cost = (self.rank(one), self.rank(two));
            if self.is_worth_a_fork(cost, depth) {
                self.fork(
                    cost,
                    depth,
                    |depth| self.go_on(one, depth),
                    |depth| self.all_of(two, more, depth),
                );
                return None;
            }
            let (now, later) = if self.swaps(cost, depth) { (two, one) } else { (one, two) };
            list.push(self.graph, later);
            (one, rest) = (now, more);
        }
        Some(one)
    }

    /// Runs a member that is ready, and counts down and runs the rest.
    fn all_of(&self, one: u32, rest: &[u32], depth: u32) {
        match self.next_ready(rest) {
            None => self.go_on(one, depth),
            Some((two, rest)) => {
                let cost = (self.rank(one), self.rank(two));
                self.fork(
                    cost,
                    depth,
                    |depth| self.go_on(one, depth),
                    |depth| self.all_of(two, rest, depth),
                );
            }
        }
    }

    /// How long a member and what must follow it take.
    fn rank(&self, at: u32) -> u64 {
        self.graph.rank[at as usize]
    }

    /// The first of some followers that nobody else must finish for, and those after it.
    fn next_ready<'f>(&self, followers: &'f [u32]) -> Option<(u32, &'f [u32])> {
        followers.iter().enumerate().find_map(|(place, &after)| {
            let was = self.graph.counters[after as usize].fetch_sub(1, AcqRel);
            (was == 1).then_some((after, &followers[place + 1..]))
        })
    }

    fn run(&self, at: u32) {
        if self.stopped.load(Relaxed) {
            return;
        }
        let member = &self.graph.members[at as usize..][..1];
        // SAFETY: those that it conflicts with wait for it, or have finished, which the counters
        // have told (E1). Nobody else runs it (E2): a member is run once (E3).
        if let Err(failure) = unsafe { self.shared.run_in_order(member) } {
            self.stopped.store(true, Relaxed);
            let mut failures =
                self.failures.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            failures.push(failure);
        }
    }

    /// Whether none runs that this one must be apart from. If one does, it takes this one up when
    /// it has finished.
    fn may_run(&self, at: u32) -> bool {
        if self.graph.apart.is_empty() || self.graph.apart_from(at).next().is_none() {
            return true;
        }
        let mut apart = self.graph.turns();
        match self.graph.apart_from(at).find(|other| apart.running.contains(other)) {
            Some(other) => {
                apart.waiting.push((at, other));
                false
            }
            None => {
                apart.running.push(at);
                true
            }
        }
    }

    /// Puts those on the list that have waited for a member to finish.
    fn take_up(&self, at: u32, list: &mut List) {
        if self.graph.apart.is_empty() || self.graph.apart_from(at).next().is_none() {
            return;
        }
        let mut turns = self.graph.turns();
        turns.running.retain(|&other| other != at);
        turns.waiting.retain(|&(waiting, for_whom)| {
            if for_whom == at {
                list.push(self.graph, waiting);
            }
            for_whom != at
        });
    }
}

/// Members that are ready, for one worker to run one after the other: last in, first out. Each has
/// a place for the number of the next one, so that nothing is allocated.
#[derive(Default)]
struct List {
    /// The first one, plus one.
    first: u32,
}

impl List {
    /// Nobody else has the member: it is ready, and not running (E3).
    fn push(&mut self, graph: &Graph, at: u32) {
        graph.links[at as usize].store(self.first, Relaxed);
        self.first = at + 1;
    }

    fn pop(&mut self, graph: &Graph) -> Option<u32> {
        let at = self.first.checked_sub(1)?;
        self.first = graph.links[at as usize].load(Relaxed);
        Some(at)
    }
}
