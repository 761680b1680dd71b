//! Which free slot comes next.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::cells::{Cells, Ended, Freed};
use crate::generation::SPENT;
use crate::state::State;
use crate::thing::Thing;

/// Which free slot the next thing gets.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Reuse, Thing};
/// # #[derive(Thing, Default)] struct Spark {}
///
/// let mut sparks = Pool::new();
/// sparks.set_reuse(Reuse::Lifo);
/// let [a, b, _] = [(); 3].map(|()| sparks.spawn(Spark {}));
/// sparks.despawn(b);
/// sparks.despawn(a);
/// assert_eq!(sparks.spawn(Spark {}).index(), a.index()); // freed last, used first
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reuse {
    /// The lowest free slot: a function of which slots are free and of nothing else, so that
    /// replay, rollback and load agree. Keeps things together at the front; beyond the first 512
    /// slots, things with tags are kept together by their tags, in groups of 64 slots, lowest first
    /// in each cluster. The default.
    #[default]
    Lowest,
    /// The slot that was freed last, whose memory is likely still in the cache. The list of freed
    /// slots makes spawns and despawns take nearly twice as long as with [`Lowest`](Self::Lowest),
    /// and longer where slots were freed all over a large pool.
    Lifo,
    /// Never-used slots first, then the one that was freed longest ago: generations are used up
    /// evenly, and a stale handle stays recognisable for longest.
    Fifo,
}

/// Never-used slots come first as far as this, before one that was freed is used again.
const FRESH: u64 = 1024;

/// The order of freed slots, for [`Reuse::Lifo`] and [`Reuse::Fifo`].
///
/// An entry remembers the stamp with which its slot was freed. If the slot has been taken since (by
/// `spawn_at`, or by staging), the stamp differs or the slot is not free, and the entry is passed
/// over.
#[derive(Default)]
pub(crate) struct Order {
    reuse: Reuse,
    freed: VecDeque<(u32, u32)>,
    /// No slot from here on has been handed out in order yet.
    fresh: u32,
    /// Never-used slots from here on do not come before freed ones. As many as were asked for, and
    /// from then on twice as many each time.
    made: u64,
}

// By hand: a copy has room for as many entries, so that it allocates no more than the original.
impl Clone for Order {
    fn clone(&self) -> Self {
        let mut freed = VecDeque::with_capacity(self.freed.capacity());
        freed.extend(&self.freed);
        Self { freed, ..*self }
    }
}

impl Order {
    /// The order for the slots as they are now: those that were used before count as freed from the
    /// lowest up.
    pub(crate) fn new<T: Thing>(reuse: Reuse, cells: &Cells<T>) -> Self {
        let mut order = Self { reuse, made: FRESH.max(cells.room()), ..Self::default() };
        if reuse != Reuse::Lowest {
            let is_free = |index: &u32| cells.slots().state(*index) == State::Free;
            let mut free: Vec<u32> = cells.indices().filter(is_free).collect();
            free.sort_unstable();
            for index in free {
                if let Some(stamp) = cells.stamp(index).filter(|&stamp| stamp != SPENT) {
                    order.push(Freed { index, stamp }, cells);
                }
            }
            order.make_room(cells);
        }
        order
    }

    #[inline]
    pub(crate) fn reuse(&self) -> Reuse {
        self.reuse
    }

    /// The slot that the next thing gets.
    #[inline]
    pub(crate) fn next<T: Thing>(&mut self, cells: &mut Cells<T>, tags: u64) -> Option<u32> {
        match self.reuse {
            Reuse::Lowest => return cells.next_free(tags), // follows from the slots: nothing to remember
            Reuse::Lifo => {
                while let Some(entry) = self.freed.pop_back() {
                    if still_free(entry, cells) {
                        return Some(entry.0);
                    }
                }
            }
            Reuse::Fifo => {
                self.catch_up(cells);
                let made = self.made;
                while let Some(index) =
                    cells.slots().next_free(self.fresh).filter(|&i| u64::from(i) < made)
                {
                    self.fresh = index.saturating_add(1);
                    if cells.stamp(index).unwrap_or(SPENT) == SPENT {
                        return Some(index);
                    }
                }
                while let Some(entry) = self.freed.pop_front() {
                    if still_free(entry, cells) {
                        return Some(entry.0);
                    }
                }
            }
        }
        let index = cells.next_free(tags)?;
        self.fresh = self.fresh.max(index.saturating_add(1));
        self.note_made(index);
        Some(index)
    }

    /// Notes that a slot was handed out.
    #[inline]
    fn note_made(&mut self, index: u32) {
        if u64::from(index) >= self.made {
            self.made = (u64::from(index) + 1).next_power_of_two();
        }
    }

    /// Notes slots that were handed out otherwise than in order.
    fn catch_up<T: Thing>(&mut self, cells: &Cells<T>) {
        let made = u32::try_from(self.made).ok();
        if let Some(last) = made.and_then(|made| cells.slots().last_taken(made)) {
            self.note_made(last);
        }
    }

    /// As far as this never-used slots come first.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// The freed slots, longest free first, and the first slot that was never handed out in order.
    pub(crate) fn parts(&self) -> (impl Iterator<Item = (u32, u32)>, u32) {
        (self.freed.iter().copied(), self.fresh)
    }

    /// Becomes the order that has these parts. Reuses its memory.
    pub(crate) fn assign(&mut self, reuse: Reuse, freed: &[(u32, u32)], fresh: u32, made: u64) {
        self.freed.clear();
        self.freed.extend(freed);
        (self.reuse, self.made) = (reuse, made);
        self.fresh = if reuse == Reuse::Lowest { 0 } else { fresh };
    }

    /// Notes a slot whose life has ended, and which is to be free: where the order matters, that is
    /// at once.
    #[inline]
    pub(crate) fn note<T: Thing>(&mut self, freed: Freed, cells: &mut Cells<T>, ended: &mut Ended) {
        if self.reuse != Reuse::Lowest {
            cells.free_ended(ended);
            self.note_freed(freed, cells);
        }
    }

    /// Notes a slot that became free, in any way.
    #[inline]
    pub(crate) fn note_freed<T: Thing>(&mut self, freed: Freed, cells: &Cells<T>) {
        if self.reuse != Reuse::Lowest && freed.stamp != SPENT {
            self.push(freed, cells);
        }
    }

    /// Notes a slot that was retired and is free again.
    pub(crate) fn note_reclaimed<T: Thing>(&mut self, index: u32, cells: &Cells<T>) {
        if self.reuse != Reuse::Lowest {
            self.push(Freed { index, stamp: SPENT }, cells);
        }
    }

    /// Enough for every slot that has memory, so that nothing is allocated until there are more
    /// slots; and as much again, so that entries are sorted out once in so many pushes and not at
    /// each.
    fn make_room<T: Thing>(&mut self, cells: &Cells<T>) {
        let wanted = 2 * cells.memory() as usize;
        self.freed.reserve(wanted.saturating_sub(self.freed.len()).max(1));
    }

    fn push<T: Thing>(&mut self, freed: Freed, cells: &Cells<T>) {
        if self.freed.len() == self.freed.capacity() {
            // Entries that are passed over are not worth growing for.
            self.freed.retain(|&entry| still_free(entry, cells));
            self.make_room(cells);
        }
        self.freed.push_back((freed.index, freed.stamp));
    }
}

fn still_free<T: Thing>((index, stamp): (u32, u32), cells: &Cells<T>) -> bool {
    cells.slots().state(index) == State::Free && cells.stamp(index) == Some(stamp)
}
