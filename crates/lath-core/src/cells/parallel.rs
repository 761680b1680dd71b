#![expect(unsafe_code, reason = "lets several threads make views of different things")]
//! Loops over slots on several threads: by chunks of slots, each chunk on one thread.

use alloc::vec;
use core::ops::Range;

use super::*;
#[cfg(feature = "parallel")]
use crate::threads;

/// Groups that one thread walks at a time: 4096 slots.
const CHUNK: u32 = 64;

/// Threads of a scheduler, on which the `par_` forms of [`Views`] run that it hands out: see
/// [`Views::on`].
pub trait Workers: Sync {
    /// How many threads there are.
    fn count(&self) -> usize;

    /// Does something on one of the threads, so that what it shares out goes to all of them.
    fn enter(&self, work: &mut (dyn FnMut() + Send + '_));
}

/// Calls `f` with every state and its number: on these threads, or on those of the rayon pool that
/// this is called in, or else on those that all of lath shares. Without the feature `parallel`, and
/// where there is one thread only, one after the other.
pub(super) fn share_out<S: Send>(
    workers: Option<&dyn Workers>,
    states: &mut [S],
    f: &(dyn Fn(usize, &mut S) + Sync),
) {
    let alone = states.len() <= 1 || workers.is_some_and(|workers| workers.count() <= 1);
    #[cfg(feature = "parallel")]
    match workers {
        _ if alone => (),
        None => return threads::for_each_mut(states, f),
        Some(workers) => return workers.enter(&mut || threads::for_each_mut(states, f)),
    }
    _ = alone;
    states.iter_mut().enumerate().for_each(|(number, state)| f(number, state));
}

/// A state that is none, for each of `count`. They take no memory.
pub(super) fn stateless(count: usize) -> vec::Vec<()> {
    vec![(); count]
}

impl<T: Thing> Cells<T> {
    /// How many chunks the groups that have memory make.
    pub(crate) fn chunk_count(&self) -> usize {
        self.slots.worn_end().div_ceil(CHUNK) as usize
    }
}

/// The groups of the `n`th of `parts` parts of so many chunks, as equal as can be. The last one may
/// have some that do not exist.
pub(crate) fn part(chunks: usize, n: usize, parts: usize) -> Range<u32> {
    // Below 2³² / 4096 chunks, and no more parts than fit in memory.
    let first_of = |n: usize| (chunks as u64 * n as u64 / parts as u64) as u32 * CHUNK;
    first_of(n)..first_of(n + 1)
}

/// Cells that several threads may make views of.
pub(super) struct Everywhere<'a, T: Thing>(pub(super) &'a Cells<T>);

// SAFETY: threads only ask where slots are and which are live, which reads atomics and computes
// addresses. What they do with the slots is up to the views: items are `Send`, and no thread gets
// one that another could write to (each loop and each sweep says why).
unsafe impl<T: Thing> Sync for Everywhere<'_, T> {}

impl<'a, T: Thing> Everywhere<'a, T> {
    pub(super) fn get(&self) -> &'a Cells<T> {
        self.0
    }
}
