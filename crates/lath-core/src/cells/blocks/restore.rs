#![expect(
    unsafe_code,
    reason = "writes to the memory of slots, of which it knows which hold values"
)]
//! Putting blocks back into a pool.

use core::fmt;
use core::ops::Range;

use super::*;
use crate::clusters::COMMON;

/// Why blocks cannot be put back into a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// There is nothing: no copy was ever made, or a panic has interrupted that.
    Empty,
    /// The pool cannot have as many slots as are in use.
    TooSmall {
        /// The last slot that is in use.
        slot: u32,
        /// The last slot that the pool can have.
        limit: u32,
    },
    /// Memory was refused.
    OutOfMemory(OutOfMemory),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => out.write_str(
                "there is nothing to put back: the snapshot was never taken, or not to the end",
            ),
            Self::TooSmall { slot, limit } => write!(
                out,
                "slot {slot} is in use, but the pool has {limit} slots at most: make it larger before putting this back"
            ),
            Self::OutOfMemory(error) => error.fmt(out),
        }
    }
}

impl core::error::Error for RestoreError {}

impl From<OutOfMemory> for RestoreError {
    fn from(error: OutOfMemory) -> Self {
        Self::OutOfMemory(error)
    }
}

/// Clones for slots of a block that get a value and have none.
type Fresh<T> = Vec<Box<dyn Clones<T>>>;

/// All groups of some blocks, each by its block and its place there.
fn groups<T: Snap>(
    blocks: &[Block<T>],
) -> impl DoubleEndedIterator<Item = (&Block<T>, u32)> + Clone {
    blocks.iter().flat_map(|block| (0..block.groups()).map(move |at| (block, at)))
}

/// Whether some blocks have everything, in order, from slot 0 on.
fn are_whole<T: Snap>(blocks: &[Block<T>]) -> bool {
    let has_nil = blocks.first().is_some_and(|block| block.number == 0 && block.groups() > 0);
    has_nil
        && blocks.is_sorted_by(|one, next| one.number < next.number)
        && blocks.iter().all(Block::is_whole)
}

/// The last slot that is in use, or retired.
fn last_taken<T: Snap>(blocks: &[Block<T>]) -> Option<u32> {
    let mut taken =
        groups(blocks).map(|(block, at)| (block.number * BLOCK + at, block.words(at)[0]));
    let (group, taken) = taken.rfind(|(_, taken)| *taken != 0)?;
    Some(group * GROUP + (63 - taken.leading_zeros()))
}

/// The owner of each group that has one: the tags that were noted, or else those of its first live
/// thing.
fn owners<T: Snap>(blocks: &[Block<T>], ledger: &Ledger) -> impl Iterator<Item = (u32, u64)> {
    let mut noted = ledger.owners.iter().peekable();
    groups(blocks).filter_map(move |(block, at)| {
        let group = block.number * BLOCK + at;
        while noted.next_if(|noted| noted.0 < group).is_some() {}
        let noted = noted.next_if(|noted| noted.0 == group).map(|noted| noted.1);
        let live = if group < COMMON { 0 } else { block.live[at as usize] };
        let first = || {
            (live != 0).then(|| {
                ledger.tags_of(|tag| ledger.word(tag, group) >> live.trailing_zeros() & 1 == 1)
            })
        };
        Some((group, noted.or_else(first)?))
    })
}

impl<T: Snap> Cells<T> {
    /// Whether the slots of some blocks fit, and makes memory for them, their tags and the owners
    /// of their groups.
    pub(crate) fn make_room_for(
        &mut self,
        blocks: &[Block<T>],
        ledger: &Ledger,
    ) -> Result<(), RestoreError> {
        if !are_whole(blocks) {
            return Err(RestoreError::Empty);
        }
        let limit = self.slots.limit();
        if let Some(slot) = last_taken(blocks).filter(|&slot| u64::from(slot) >= limit) {
            return Err(RestoreError::TooSmall { slot, limit: (limit - 1) as u32 });
        }
        self.settle()?;
        let slots = groups(blocks).map(|(block, at)| (block.number * BLOCK + at) * GROUP);
        let old = blocks.iter().flat_map(|block| &block.old).map(|(index, _)| *index);
        let old = old.filter(|&index| u64::from(index) < limit);
        let last = slots.clone().next_back().into_iter().chain(old.clone()).max().unwrap_or(0);
        if !self.has_room_for(blocks) {
            // Up to the first block of which there is nothing, in one extent.
            let row = blocks.iter().zip(0..).take_while(|(block, n)| block.number == *n).last();
            let row = row.map_or(1, |(block, n)| n * BLOCK + block.groups());
            self.values.memory_mut().reserve(u64::from(row) * u64::from(GROUP))?;
            // The last first: what grows does so once.
            self.make_room(last)?;
            slots.into_iter().try_for_each(|index| self.make_room(index))?;
        }
        old.into_iter().try_for_each(|index| self.make_room(index))?;
        let (last, in_use) =
            (last | (GROUP - 1), ledger.tags_of(|tag| !ledger.tags[tag].is_empty()));
        self.make_room_for_tags(last, in_use, owners(blocks, ledger).map(|owner| owner.1))?;
        Ok(())
    }

    /// Whether some blocks are a copy of a pool, and there is room for all of it.
    pub(crate) fn has_room_for(&self, blocks: &[Block<T>]) -> bool {
        let has_room = |slot| u64::from(slot) < self.slots.limit() && self.slots.has_room(slot);
        let has_place = |block: &Block<T>| {
            let mut groups = (0..block.groups()).map(|at| block.number * BLOCK + at);
            groups.all(|group| self.values.place(group * GROUP).is_some())
        };
        let is_there = self.nursery.count() == 0 && last_taken(blocks).is_some_and(has_room);
        is_there && are_whole(blocks) && blocks.iter().all(has_place)
    }

    /// Makes slots and values what blocks say. There is room, and if values have to be dropped, no
    /// slot holds one where the blocks have none.
    ///
    /// If a `Clone` panics, some values are those of the blocks and others are not, and nothing
    /// else has changed.
    ///
    /// `since` is the first tick that is later than the blocks, if they are of this pool: what has
    /// not been changed since then is left alone.
    pub(crate) fn put_back(&mut self, blocks: &[Block<T>], ledger: &Ledger, since: Option<u64>) {
        if let Some(marks) = &mut self.marks {
            marks.tick = marks.tick.max(ledger.tick);
        }
        let mut fresh = Vec::new();
        for (n, block) in blocks.iter().enumerate().filter(|_| Block::<T>::CLONED != 0) {
            fresh.extend(self.clone_values(block, since).map(|fresh| (n, fresh)));
        }
        // From here on no code of the user's runs, so nothing panics.
        // The last block first: if the copy was taken just now, that one is still in the cache.
        for (n, block) in blocks.iter().enumerate().rev() {
            let fresh = fresh.pop_if(|fresh| fresh.0 == n).map(|fresh| fresh.1);
            self.paste(block, fresh, since);
        }
        let mut next = self.next_block(0);
        while let Some(number) = next {
            if blocks.binary_search_by_key(&number, |block| block.number).is_err() {
                self.forget(number * BLOCK..(number + 1) * BLOCK);
            }
            next = self.next_block(number + 1);
        }
        let others = blocks.iter().filter(|block| !block.others.is_empty());
        self.staged = others
            .flat_map(|block| (0..block.groups()).map(move |at| (block, at)))
            .map(|(block, at)| block.staged(at, block.words(at)[2]).count_ones())
            .sum();
        self.put_back_tags(|tag, group| ledger.word(tag, group), owners(blocks, ledger));
        self.slots.set_high_water(ledger.high_water);
        self.drop_cursor();
    }

    /// The groups of a block that may differ from those of the pool.
    fn differing(&self, block: &Block<T>, since: Option<u64>) -> u64 {
        let (Some(marks), Some(since)) = (&self.marks, since) else { return block.all() };
        let (number, first) = (block.number, block.number * BLOCK);
        let marked = marks.changed(number, since) | marks.changed_in(number, u64::MAX, since);
        // What is staged is not marked.
        let same = |at| self.slots.group(first + at) == block.words(at) && block.words(at)[2] == 0;
        let differ = (0..block.groups()).filter(|&at| !same(at));
        (marked | differ.fold(0, |set, at| set | 1 << at)) & block.all()
    }

    /// Clones what has to be cloned: into slots that hold a value, and aside for those that get
    /// one. Who is aside is dropped if a later `Clone` panics.
    fn clone_values(&mut self, block: &Block<T>, since: Option<u64>) -> Option<Fresh<T>> {
        let mut fresh = None;
        for at in ones(self.differing(block, since)) {
            let (group, held) = (block.number * BLOCK + at, block.held(at));
            let mine = BlockReader::new(self).held(group);
            let first = self.first_place(group);
            for list in &block.clones {
                // SAFETY: the first place of a group of this storage; the slots hold values here
                // and there (`held_in`, I1), and nobody else uses them (`&mut self`).
                unsafe { list.assign(at as usize, &self.values, first, held & mine) };
            }
            if held & !mine != 0 {
                let fresh = fresh.get_or_insert_with(|| {
                    let mut fresh = lists::<T>(Block::<T>::CLONED);
                    fresh.iter_mut().for_each(|list| list.resize(block.groups() as usize));
                    fresh
                });
                for (list, from) in fresh.iter_mut().zip(&block.clones) {
                    list.copy(at as usize, &**from, at as usize, held & !mine);
                }
            }
        }
        fresh
    }

    /// Makes all groups of a block what it says.
    fn paste(&mut self, block: &Block<T>, mut fresh: Option<Fresh<T>>, since: Option<u64>) {
        let (first, end) = (block.number * BLOCK, block.number * BLOCK + block.groups());
        let mut differ = self.differing(block, since);
        if let Some(marks) = &self.marks {
            // Whoever has looked has seen something else.
            ones(differ).for_each(|at| marks.mark(first + at));
        }
        while differ != 0 {
            let at = differ.trailing_zeros();
            let count = (differ >> at).trailing_ones().min(self.side_by_side(first + at));
            self.paste_groups(block, at, count);
            if Block::<T>::CLONED != 0 {
                (at..at + count).for_each(|at| self.move_in(block, at, &mut fresh));
            }
            differ &= !(u64::MAX >> (64 - count) << at);
        }
        if end > first {
            self.slots.note_worn(end - 1);
        }
        if !block.others.is_empty() || !self.slots.are_live(first, &block.live) {
            self.slots.assign(first..end, |group| block.words(group - first));
        }
        self.forget(end..first + BLOCK);
        let limit = self.slots.limit();
        for &(index, stamp) in block.old.iter().filter(|(index, _)| u64::from(*index) < limit) {
            self.put_stamp(index, stamp);
        }
    }

    /// Copies the bytes of some groups in a row, which lie side by side: all but slot 0.
    fn paste_groups(&mut self, block: &Block<T>, at: u32, count: u32) {
        let group = block.number * BLOCK + at;
        let nil = u32::from(group == 0); // the nil thing stays
        // SAFETY: both places are of this storage and in one group.
        let first = unsafe { T::Storage::step(self.first_place(group), nil) };
        for (layer, stride) in Block::<T>::byte_layers() {
            let start = block.element((layer, 0), at, nil);
            let from = &block.bytes[start..start + (count * GROUP - nil) as usize * stride];
            if layer == 0 && !Block::<T>::WHOLE {
                for (index, head) in (nil..count * GROUP).zip(from.chunks_exact(stride)) {
                    // SAFETY: a head begins with a stamp (I1).
                    self.put_stamp(group * GROUP + index, unsafe { read(head) });
                }
                continue;
            }
            // SAFETY: the slots lie side by side, as the caller says, so there are as many
            // elements, and nobody else uses them (`&mut self`). Where slots hold values, those are
            // of plain fields, to be overwritten by others (I1), or nobody will look at them any
            // more; other slots will have a stamp that says that they hold none.
            unsafe {
                self.values
                    .strip(first, layer)
                    .cast::<MaybeUninit<u8>>()
                    .copy_from_nonoverlapping(from.as_ptr(), from.len());
            }
        }
    }

    /// Moves what was cloned aside into the slots of a group, and writes tags that bytes did not
    /// bring.
    fn move_in(&mut self, block: &Block<T>, at: u32, fresh: &mut Option<Fresh<T>>) {
        let first = self.first_place(block.number * BLOCK + at);
        for list in fresh.iter_mut().flatten() {
            // SAFETY: the first place of a group of this storage. These slots held no value, and
            // nobody else uses them (`&mut self`).
            unsafe { list.put(at as usize, &self.values, first) };
        }
        if Self::TAGGED && !Block::<T>::WHOLE {
            for bit in ones(block.held(at)) {
                // SAFETY: both places are of this storage and in one group; all fields of the slot
                // hold a value, and nobody else uses it (`&mut self`). Its tags are in the block
                // (I1).
                unsafe {
                    self.values.set_tags(T::Storage::step(first, bit), block.tags_of(at, bit))
                };
            }
        }
    }

    /// Makes slots ones that were never used, group by group; no value is left in them.
    fn forget(&mut self, groups: Range<u32>) {
        for group in groups.clone() {
            if self.has_stamps(group) {
                (0..GROUP).for_each(|bit| self.put_stamp(group * GROUP + bit, SPENT));
                self.mark(group * GROUP);
            }
        }
        self.slots.assign(groups, |_| [0; 4]);
    }
}
