//! Handles for things to come, dealt to several takers ahead of time: whoever asks first, each gets
//! the same ones.
//!
//! Systems that run at the same time spawn things, and want the handles at once. Which ones they
//! get must not depend on who is faster. So the free slots are dealt like cards: the groups of 64
//! slots that have a free one are numbered in slot order, and of `n` takers, or *lanes*, number `k`
//! gets groups `k`, `k + n`, `k + 2n` and so on. What a lane does not use stays free. Things with
//! tags go to groups of their cluster first, dealt in the same way, then to groups that nobody
//! owns. In a pool that can hold few things only, slots are dealt one by one.
//!
//! # Invariants
//!
//! - **D1** As long as the pool does not change, no two lanes of a deal, and no two parts of a lane
//!   that was split, name the same slot: their groups' numbers are different.

use alloc::vec::Vec;

use super::*;
use crate::state::fitting_kind;

/// A pool that can hold fewer things than this deals slots one by one, that no lane may go away
/// empty-handed.
const FEW: u64 = 1 << 16;

/// One of several takers of free slots: [`Pool::deal`](crate::Pool::deal).
///
/// A lane belongs to one pool, from one change of the pool to the next: then [`reset`](Self::reset)
/// it.
///
/// # Examples
///
/// See [`Pool::deal`](crate::Pool::deal).
#[derive(Clone, Debug, Default)]
pub struct Lane {
    number: u64,
    of: u64,
    stock: Turns,
    hands: Vec<Hand>,
}

/// Which groups of a numbered series are whose turn.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// The number of the group that comes next.
    next: u64,
    step: u64,
    /// The group at `from`, or the first one after it, has this number.
    seen: u64,
    from: u32,
}

/// What a lane holds for things with certain tags.
#[derive(Clone, Copy, Debug)]
struct Hand {
    tags: u64,
    /// Groups of the cluster.
    own: Turns,
    /// The slots that were dealt and are not used yet, and their group.
    group: u32,
    bits: u64,
}

impl Lane {
    /// Lane `number` of `of`, counted from 0.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    ///
    /// # Examples
    ///
    /// See [`Pool::deal`](crate::Pool::deal).
    #[must_use]
    pub fn new(number: u32, of: u32) -> Self {
        assert!(number < of, "there is no lane {number} of {of}");
        let mut lane = Self { number: u64::from(number), of: u64::from(of), ..Self::default() };
        lane.reset();
        lane
    }

    /// Starts again: the pool has changed.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Lane, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew {}
    /// let crew = Pool::new();
    /// let mut lane = Lane::new(0, 1);
    /// let first = crew.deal(&mut lane, &Crew {})?;
    /// lane.reset();
    /// assert_eq!(crew.deal(&mut lane, &Crew {})?, first);
    /// # Ok::<(), lath_core::SpawnFault>(())
    /// ```
    pub fn reset(&mut self) {
        self.stock = Turns::new(self.number, self.of);
        self.hands.clear();
    }

    /// Makes `part` the part number `number` of `of` parts that this lane is divided into. What the
    /// parts use is noted by [`join`](Self::join); until then the lane itself must not be used.
    ///
    /// # Panics
    ///
    /// If there are not so many parts.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Lane, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Crew {}
    /// let crew = Pool::new();
    /// let mut lane = Lane::new(0, 1);
    /// let mut parts = [Lane::default(), Lane::default()];
    /// for (number, part) in parts.iter_mut().enumerate() { lane.split(number as u32, 2, part); }
    /// let [one, two] = parts.each_mut().map(|part| crew.deal(part, &Crew {}).unwrap());
    /// for (number, part) in parts.iter().enumerate() { lane.join(number as u32, part); }
    /// let three = crew.deal(&mut lane, &Crew {})?;
    /// assert!(one != two && two != three && three != one);
    /// # Ok::<(), lath_core::SpawnFault>(())
    /// ```
    pub fn split(&self, number: u32, of: u32, part: &mut Lane) {
        assert!(number < of, "there is no part {number} of {of}");
        let (number, of) = (u64::from(number), u64::from(of));
        part.number = self.number + self.of * number;
        part.of = self.of * of;
        part.stock = self.stock.part(number, of);
        part.hands.clear();
        part.hands.extend(self.hands.iter().map(|hand| Hand {
            own: hand.own.part(number, of),
            bits: 0,
            ..*hand
        }));
    }

    /// Notes what a part has used.
    ///
    /// # Examples
    ///
    /// See [`split`](Self::split).
    pub fn join(&mut self, number: u32, part: &Lane) {
        let number = u64::from(number);
        self.stock.next = self.stock.next.max(part.stock.next - self.stock.step * number);
        for used in &part.hands {
            let turns = Turns::new(self.number, self.of);
            let hand = self.hand(used.tags, turns);
            hand.own.next = hand.own.next.max(used.own.next - hand.own.step * number);
        }
    }

    fn hand(&mut self, tags: u64, own: Turns) -> &mut Hand {
        let number = self.hands.iter().position(|hand| hand.tags == tags);
        let number = number.unwrap_or_else(|| {
            self.hands.push(Hand { tags, own, group: 0, bits: 0 });
            self.hands.len() - 1
        });
        &mut self.hands[number]
    }
}

impl Turns {
    fn new(next: u64, step: u64) -> Self {
        Self { next, step, seen: 0, from: 0 }
    }

    fn part(self, number: u64, of: u64) -> Self {
        Self { next: self.next + self.step * number, step: self.step * of, ..self }
    }

    /// The group whose turn it is, out of the series that `find` knows: it answers the first group
    /// at a number or later.
    fn take(&mut self, find: impl Fn(u32) -> Option<u32>) -> Option<u32> {
        loop {
            let group = find(self.from)?;
            let number = self.seen;
            // After the last group that can be named there is none.
            self.from = group.checked_add(1)?;
            self.seen += 1;
            if number == self.next {
                self.next += self.step;
                return Some(group);
            }
        }
    }

    /// The single slot whose turn it is, out of all free ones.
    fn take_slot<T: Thing>(&mut self, cells: &Cells<T>) -> Option<u32> {
        loop {
            let group = cells.next_with_free(self.from)?;
            let free = cells.free_word(group);
            let count = u64::from(free.count_ones());
            if self.next < self.seen + count {
                let bit = ones(free).nth((self.next - self.seen) as usize)?;
                (self.from, self.next) = (group, self.next + self.step);
                return Some(group * GROUP + bit);
            }
            self.seen += count;
            self.from = group.checked_add(1)?;
        }
    }
}

impl<T: Thing> Cells<T> {
    /// The handle that a thing to come gets.
    pub(crate) fn deal(&self, lane: &mut Lane, thing: &T) -> Result<Handle<T>, SpawnFault> {
        let Marks { kind, tags } = Marks::of(thing);
        let bits = Handle::<T>::STAMP;
        fitting_kind(bits, kind)?;
        let Some(index) = self.next_dealt(lane, tags) else { return Err(self.full()) };
        let stamp = self.stamp(index).unwrap_or(0);
        Ok(Handle::from_parts(index, bits.stamp(bits.generation_of(stamp) + 1, kind)))
    }

    /// Keeps a free slot for the thing that `handle` is to name.
    pub(crate) fn reserve_at(&mut self, handle: Handle<T>) -> Result<(), SpawnFault> {
        self.may_spawn_at(handle, handle.kind())?;
        let index = handle.index();
        if self.state(index) == State::Claimed {
            return Ok(()); // for this very handle
        }
        self.settle().map_err(SpawnFault::OutOfMemory)?;
        self.make_room(index).map_err(SpawnFault::OutOfMemory)?;
        self.slots.claim(index);
        self.set_observed(true);
        self.put_stamp(index, handle.stamp() - 1);
        Ok(())
    }

    /// The first group at `from` or later that has a free slot.
    fn next_with_free(&self, from: u32) -> Option<u32> {
        let from = from.checked_mul(GROUP)?;
        let index = self.slots.next_free_by(from, &|group| self.free_word(group))?;
        Some(index / GROUP)
    }

    fn next_dealt(&self, lane: &mut Lane, tags: u64) -> Option<u32> {
        let free = |group: u32| self.free_word(group);
        if self.slots.limit() < FEW {
            return lane.stock.take_slot(self);
        }
        let clusters = self.is_clustered().then_some(&self.clusters);
        let tags = if clusters.is_some() { tags } else { 0 };
        let turns = Turns::new(lane.number, lane.of);
        if lane.hand(tags, turns).bits == 0 {
            let group = match clusters {
                Some(clusters) => lane
                    .hand(tags, turns)
                    .own
                    .take(|from| clusters.next_open(tags, from, &free))
                    .or_else(|| {
                        lane.stock.take(|from| clusters.next_unowned(from, &self.slots, &free))
                    }),
                None => lane.stock.take(|from| self.next_with_free(from)),
            }?;
            let hand = lane.hand(tags, turns);
            (hand.group, hand.bits) = (group, free(group));
        }
        let hand = lane.hand(tags, turns);
        let bit = hand.bits.trailing_zeros();
        hand.bits &= hand.bits - 1;
        Some(hand.group * GROUP + bit)
    }
}
