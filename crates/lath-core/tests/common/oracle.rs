//! The oracle: every handle that was ever made, and what became of it. It reuses nothing and
//! remembers everything.
//!
//! What a slot is doing is not stored: it follows from the last life that the slot has had.

use std::collections::BTreeMap;

use lath_core::{Handle, HandleError, Name, Reuse, SpawnFault, Thing};

use super::owners::{GROUP, Owners};

/// What became of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Live(u64),
    Staged(u64),
    Reserved,
    Buried { epoch: u64 },
    Dead,
}

pub(crate) struct Life<T: Thing> {
    pub(crate) handle: Handle<T>,
    pub(crate) fate: Fate,
    pub(crate) tags: u64,
}

pub(crate) struct Oracle<T: Thing> {
    /// By slot, then by generation.
    lives: BTreeMap<(u32, u32), Life<T>>,
    /// Free slots that have been used before, longest free first.
    freed: Vec<u32>,
    owners: Owners,
    /// Whether things with tags are kept together: not in a fixed pool, which could not note new
    /// sets of tags.
    clustered: bool,
    pub(crate) reuse: Reuse,
    /// The last slot that there can be.
    pub(crate) limit: u32,
    pub(crate) high_water: u32,
    /// Of the things that iteration has found: staged ones count from the commit on.
    pub(crate) largest_generation: u32,
}

/// The bits of a handle that hold the generation.
pub(crate) const fn generation_bits<T: Thing>() -> u32 {
    let rest = size_of::<Handle<T>>() as u32 * 8 - T::INDEX_BITS;
    (if rest > 32 { 32 } else { rest }) - T::KIND_BITS
}

/// The last generation of a slot.
pub(crate) const fn last_generation<T: Thing>() -> u32 {
    u32::MAX >> (32 - generation_bits::<T>())
}

/// The handle that has these parts, which must fit.
pub(crate) fn forge<T: Thing>(index: u32, generation: u32, kind: u32) -> Handle<T> {
    let stamp = u64::from(generation) | u64::from(kind) << generation_bits::<T>();
    Handle::from_bits(stamp << T::INDEX_BITS | u64::from(index))
}

pub(crate) fn name<T: Thing>(handle: Handle<T>) -> Name {
    Name { index: handle.index(), generation: handle.generation() }
}

impl<T: Thing> Oracle<T> {
    /// Whether the things have tags, and so are kept together by them.
    pub(crate) const TAGGED: bool = size_of::<T::Tags>() > 0;

    pub(crate) fn new(limit: u32, fixed: bool) -> Self {
        let (lives, freed, owners) = (BTreeMap::new(), Vec::new(), Owners::default());
        let clustered = Self::TAGGED && !fixed;
        Self {
            lives,
            freed,
            owners,
            clustered,
            reuse: Reuse::Lowest,
            limit,
            high_water: 0,
            largest_generation: 0,
        }
    }

    /// All lives, in slot order.
    pub(crate) fn lives(&self) -> impl Iterator<Item = &Life<T>> {
        self.lives.values()
    }

    pub(crate) fn fate(&self, handle: Handle<T>) -> Option<Fate> {
        let life = self.lives.get(&(handle.index(), handle.generation()))?;
        (life.handle == handle).then_some(life.fate)
    }

    /// The value that lookups find under a handle.
    pub(crate) fn value(&self, handle: Handle<T>) -> Option<u64> {
        match self.fate(handle)? {
            Fate::Live(value) | Fate::Staged(value) => Some(value),
            Fate::Reserved | Fate::Buried { .. } | Fate::Dead => None,
        }
    }

    /// The tags of the thing that lookups find under a handle.
    pub(crate) fn tags(&self, handle: Handle<T>) -> u64 {
        match self.value(handle) {
            Some(_) => self.lives[&(handle.index(), handle.generation())].tags,
            None => 0,
        }
    }

    /// The thing under a handle, which is alive, gets other tags.
    pub(crate) fn set_tags(&mut self, handle: Handle<T>, tags: u64) {
        assert!(self.value(handle).is_some());
        self.lives.get_mut(&(handle.index(), handle.generation())).unwrap().tags = tags;
    }

    /// The live things, in slot order, as iteration should show them.
    pub(crate) fn live(&self) -> Vec<(Handle<T>, u64)> {
        let live = |life: &Life<T>| {
            if let Fate::Live(value) = life.fate { Some((life.handle, value)) } else { None }
        };
        self.lives().filter_map(live).collect()
    }

    /// The live and the staged things, in slot order.
    pub(crate) fn live_and_staged(&self) -> Vec<(Handle<T>, u64)> {
        self.lives().filter_map(|life| Some((life.handle, self.value(life.handle)?))).collect()
    }

    pub(crate) fn count(&self, which: impl Fn(Fate) -> bool) -> u32 {
        self.lives().filter(|life| which(life.fate)).count() as u32
    }

    /// Slots in use: live, staged, reserved or buried.
    pub(crate) fn used(&self) -> u32 {
        self.count(|fate| fate != Fate::Dead)
    }

    /// The last life of a slot.
    fn last(&self, index: u32) -> Option<&Life<T>> {
        self.lives.range((index, 0)..=(index, u32::MAX)).next_back().map(|(_, life)| life)
    }

    /// The generation that a slot is at: odd while something is there, even otherwise.
    pub(crate) fn generation(&self, index: u32) -> u32 {
        match self.last(index) {
            None => 0,
            Some(Life { handle, fate, .. }) => match fate {
                Fate::Live(_) | Fate::Staged(_) => handle.generation(),
                Fate::Reserved => handle.generation() - 1,
                Fate::Buried { .. } | Fate::Dead => {
                    handle.generation().wrapping_add(1) & last_generation::<T>()
                }
            },
        }
    }

    fn is_spent(life: &Life<T>) -> bool {
        life.handle.generation() == last_generation::<T>()
    }

    pub(crate) fn is_free(&self, index: u32) -> bool {
        let usable = |life: &Life<T>| life.fate == Fate::Dead && !Self::is_spent(life);
        (1..=self.limit).contains(&index) && self.last(index).is_none_or(usable)
    }

    /// The slots whose generations are spent.
    pub(crate) fn retired(&self) -> Vec<u32> {
        self.lives()
            .filter(|life| life.fate == Fate::Dead && Self::is_spent(life))
            .map(|l| l.handle.index())
            .collect()
    }

    pub(crate) fn lowest_free(&self) -> Option<u32> {
        (1..=self.limit).find(|&index| self.is_free(index))
    }

    /// The lowest free slot of a group.
    fn free_in(&self, group: u32) -> Option<u32> {
        (group * GROUP..(group + 1) * GROUP).find(|&index| self.is_free(index))
    }

    /// The lowest free slot for a thing of these tags: where its cluster says, or else of all.
    fn lowest_free_for(&self, tags: u64) -> Option<u32> {
        let cluster =
            || self.owners.next(tags, self.limit / GROUP + 1, |group| self.free_in(group));
        self.clustered.then(cluster).flatten().or_else(|| self.lowest_free())
    }

    /// The slot that is claimed for a thing of these tags, behind a shared reference.
    pub(crate) fn next_claim(&self, tags: u64) -> Option<u32> {
        let cluster =
            || self.owners.next_claim(tags, self.limit / GROUP + 1, |group| self.free_in(group));
        self.clustered.then(cluster).flatten().or_else(|| self.lowest_free())
    }

    /// The slot that the next thing of these tags gets (P3), in a pool that has memory for
    /// `capacity` slots.
    pub(crate) fn next_slot(&self, capacity: u32, tags: u64) -> Option<u32> {
        let never_used = || {
            (1..=capacity.min(self.limit))
                .find(|&index| self.is_free(index) && self.last(index).is_none())
        };
        match self.reuse {
            Reuse::Lowest => None,
            Reuse::Lifo => self.freed.last().copied(),
            Reuse::Fifo => never_used().or_else(|| self.freed.first().copied()),
        }
        .or_else(|| self.lowest_free_for(tags))
    }

    /// The first of `n` free slots in a row, the lowest such run.
    pub(crate) fn free_run(&self, n: u32) -> Option<u32> {
        let mut first = 1;
        while u64::from(first) + u64::from(n) - 1 <= u64::from(self.limit) {
            match (first..first + n).find(|&index| !self.is_free(index)) {
                None => return Some(first),
                Some(taken) => first = taken + 1,
            }
        }
        None
    }

    /// A life begins, in a free slot and under a generation that is new for it.
    pub(crate) fn begin(&mut self, handle: Handle<T>, fate: Fate, tags: u64) {
        assert!(self.is_free(handle.index()), "{handle} was handed out while its slot was taken");
        assert!(
            handle.generation() > self.generation(handle.index()),
            "{handle} goes back in time"
        );
        self.freed.retain(|&index| index != handle.index());
        self.lives.insert((handle.index(), handle.generation()), Life { handle, fate, tags });
        self.high_water = self.high_water.max(self.used());
        self.note_live(handle, fate);
    }

    /// The value of a reserved handle arrives.
    pub(crate) fn arrives(&mut self, handle: Handle<T>, value: u64, tags: u64) {
        assert_eq!(self.fate(handle), Some(Fate::Reserved));
        self.lives.get_mut(&(handle.index(), handle.generation())).unwrap().tags = tags;
        self.becomes(handle, Fate::Live(value));
    }

    /// A life goes on in another way.
    pub(crate) fn becomes(&mut self, handle: Handle<T>, fate: Fate) {
        match self.lives.get_mut(&(handle.index(), handle.generation())) {
            Some(life) if life.handle == handle && life.fate != Fate::Dead => life.fate = fate,
            _ => panic!("{handle} is not alive"),
        }
        let group = handle.index() / GROUP;
        if fate == Fate::Dead && self.is_free(handle.index()) {
            self.freed.push(handle.index());
        }
        if fate == Fate::Dead && self.is_idle(group) {
            self.owners.note_idle(group);
        }
        self.note_live(handle, fate);
    }

    /// Whether every slot of a group is free or retired.
    fn is_idle(&self, group: u32) -> bool {
        let slots = (group * GROUP, 0)..((group + 1) * GROUP, 0);
        self.lives.range(slots).all(|(_, life)| life.fate == Fate::Dead)
    }

    fn note_live(&mut self, handle: Handle<T>, fate: Fate) {
        if let Fate::Live(_) = fate {
            let tags = self.tags(handle);
            self.owners.note_live(handle.index() / GROUP, tags);
            self.largest_generation = self.largest_generation.max(handle.generation());
        }
    }

    /// The thing that lookups find under a handle carries another value.
    pub(crate) fn change(&mut self, handle: Handle<T>, value: u64) {
        match self.fate(handle) {
            Some(Fate::Live(_)) => self.becomes(handle, Fate::Live(value)),
            Some(Fate::Staged(_)) => self.becomes(handle, Fate::Staged(value)),
            fate => panic!("{handle} gave something to change, but it is {fate:?}"),
        }
    }

    /// The order of free slots starts anew: those that were used before count as freed from the
    /// lowest up.
    pub(crate) fn set_reuse(&mut self, reuse: Reuse) {
        self.reuse = reuse;
        let used: Vec<u32> = self.lives().map(|life| life.handle.index()).collect();
        self.freed = used.into_iter().filter(|&index| self.is_free(index)).collect();
        self.freed.dedup();
    }

    /// The caller vouches that no handle of a retired slot is left: they are forgotten.
    pub(crate) fn reclaim(&mut self) -> u32 {
        let retired = self.retired();
        self.lives.retain(|(index, _), _| !retired.contains(index));
        retired.len() as u32
    }

    /// What `check` should say, in a pool that has memory for `capacity` slots.
    pub(crate) fn check(&self, handle: Handle<T>, capacity: u32) -> Result<(), HandleError> {
        let (name, index) = (name(handle), handle.index());
        if self.value(handle).is_some() {
            return Ok(());
        }
        Err(match self.last(index) {
            _ if handle.is_nil() => HandleError::Nil,
            _ if index > self.limit => HandleError::OutOfRange { handle: name, slots: capacity },
            None if index > capacity => HandleError::OutOfRange { handle: name, slots: capacity },
            Some(last) if last.handle == handle && last.fate == Fate::Reserved => {
                HandleError::Pending { handle: name }
            }
            Some(last)
                if last.handle.generation() == handle.generation()
                    && self.value(last.handle).is_some() =>
            {
                HandleError::WrongKind {
                    handle: name,
                    kind: handle.kind(),
                    expected: last.handle.kind(),
                }
            }
            Some(last)
                if Self::is_spent(last)
                    && matches!(last.fate, Fate::Dead | Fate::Buried { .. }) =>
            {
                HandleError::Retired { handle: name }
            }
            _ => HandleError::Stale { handle: name, current: self.generation(index) },
        })
    }

    /// What `spawn_at` should say to a value of kind `kind`.
    pub(crate) fn may_spawn_at(&self, handle: Handle<T>, kind: u32) -> Result<(), SpawnFault> {
        let (name, index, current) =
            (name(handle), handle.index(), self.generation(handle.index()));
        if kind >> T::KIND_BITS != 0 {
            return Err(SpawnFault::KindTooLarge { kind, bits: T::KIND_BITS });
        }
        Err(SpawnFault::Handle(match self.last(index) {
            _ if handle.is_nil() => HandleError::Nil,
            _ if index > self.limit => HandleError::OutOfRange { handle: name, slots: self.limit },
            _ if handle.kind() != kind => {
                HandleError::WrongKind { handle: name, kind: handle.kind(), expected: kind }
            }
            Some(last) if last.handle == handle && last.fate == Fate::Reserved => return Ok(()),
            Some(last) if last.fate != Fate::Dead => {
                return Err(SpawnFault::Occupied { handle: name, current });
            }
            Some(last) if Self::is_spent(last) => HandleError::Retired { handle: name },
            _ if handle.generation() > current => return Ok(()),
            _ => HandleError::Stale { handle: name, current },
        }))
    }
}
