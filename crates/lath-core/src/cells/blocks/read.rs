#![expect(unsafe_code, reason = "copies the memory of slots, of which it knows which are in use")]
//! Copying blocks out of a pool.

use super::*;
use crate::memory::Extent;
use crate::storage::CloneStorage;

/// Reads the states and values of a pool, with what waits in the nursery.
///
/// Others may stage and reserve meanwhile: what they did before it was made is there, and nothing
/// that they do later.
pub struct BlockReader<'a, T: Thing> {
    cells: &'a Cells<T>,
    /// What is claimed in the nursery: slot, stamp, and where the value is.
    claims: Vec<Claim<T>>,
}

type Claim<T> = (u32, u32, Option<Place<T>>);

impl<'a, T: Thing> BlockReader<'a, T> {
    pub(crate) fn new(cells: &'a Cells<T>) -> Self {
        Self { cells, claims: cells.claims() }
    }

    /// The first block at `from` or later that has memory, or claimed slots.
    pub fn next(&self, from: u32) -> Option<u32> {
        let claimed = self.claims.iter().map(|claim| claim.0 / (BLOCK * GROUP));
        let claimed = claimed.filter(|&block| block >= from).min();
        self.cells.next_block(from).into_iter().chain(claimed).min()
    }

    /// What is claimed in the nursery in a group.
    fn claims_in(&self, group: u32) -> impl Iterator<Item = &Claim<T>> {
        let start = self.claims.partition_point(|claim| claim.0 / GROUP < group);
        self.claims[start..].iter().take_while(move |claim| claim.0 / GROUP == group)
    }

    fn claimed(&self, group: u32) -> u64 {
        self.claims_in(group).fold(0, |set, claim| set | 1 << (claim.0 % GROUP))
    }

    fn claim(&self, index: u32) -> Option<&Claim<T>> {
        self.claims_in(index / GROUP).find(|claim| claim.0 == index)
    }

    /// The stamp of a slot; 0 where there is no memory.
    pub(crate) fn stamp(&self, index: u32) -> u32 {
        let claimed = self.claim(index).map(|claim| claim.1);
        claimed.or_else(|| self.cells.main_stamp(index)).unwrap_or(SPENT)
    }

    /// Where the value is of a slot that holds one.
    fn place(&self, index: u32) -> Place<T> {
        let place = match self.claim(index) {
            Some(claim) => claim.2,
            None => self.cells.values.place(index),
        };
        place.unwrap_or_else(|| unreachable!("slot {index} holds a value"))
    }

    /// The states of a group: taken, live, claimed, buried.
    pub(crate) fn words(&self, group: u32) -> [u64; 4] {
        let ([taken, live, claimed, buried], new) =
            (self.cells.slots.group(group), self.claimed(group));
        [taken | new, live, claimed | new, buried]
    }

    /// The slots of a group that hold a value, slot 0 not counted.
    pub(crate) fn held(&self, group: u32) -> u64 {
        let [_, live, claimed, buried] = self.words(group);
        let staged = ones(claimed).filter(|bit| is_live(self.stamp(group * GROUP + bit)));
        live | buried | staged.fold(0, |set, bit| set | 1 << bit)
    }

    /// A clone of the value in a slot that holds one, with its tags.
    pub(crate) fn clone_value(&self, index: u32) -> T
    where
        T::Storage: CloneStorage<T>,
    {
        let place = self.place(index);
        // SAFETY: the place holds a value (C1, N2), which nobody has exclusively behind `&self`.
        let (mut value, tags) =
            unsafe { (self.cells.values.clone_value(place), self.cells.values.tags(place)) };
        value.put_tags(tags);
        value
    }
}

impl<T: Snap> BlockReader<'_, T> {
    /// Copies the states of a block, and those groups of each layer that `choose` says; it is shown
    /// the states, and begins with all. Answers whether anything was ever there.
    pub fn copy(
        &self,
        number: u32,
        block: &mut Block<T>,
        choose: impl FnOnce(&Block<T>, &mut [u64]),
    ) -> bool {
        let is_used = self.note(number, block);
        let mut has = Block::<T>::ALL;
        choose(block, &mut has[..Block::<T>::LAYERS]);
        self.fill(block, &has);
        is_used
    }

    /// Notes the states of a block, up to the last group that is used, and the stamps after that.
    /// Answers whether there are any.
    fn note(&self, number: u32, block: &mut Block<T>) -> bool {
        let (slots, first) = (&self.cells.slots, number * BLOCK);
        let is_used = |at: &u32| self.words(first + at)[0] != 0;
        let len = (0..BLOCK).rev().find(is_used).map_or(0, |last| last + 1);
        block.layers.clear();
        block.number = number;
        block.live.clear();
        let live = slots.live_words(first);
        block.live.extend_from_slice(&live[..live.len().min(len as usize)]);
        block.live.resize(len as usize, 0);
        block.others.clear();
        if !slots.all_free_or_live() || !self.claims.is_empty() {
            let others =
                |[taken, live, claimed, buried]: [u64; 4]| [taken & !live, claimed, buried];
            block.others.extend((0..len).map(|at| others(self.words(first + at))));
        }
        block.old.clear();
        for group in first + len..slots.worn_end().clamp(first, first + BLOCK) {
            if self.cells.has_stamps(group) {
                let slots = (0..GROUP).map(|bit| group * GROUP + bit);
                let stamps = slots.map(|index| (index, self.stamp(index)));
                block.old.extend(stamps.filter(|(_, stamp)| *stamp != SPENT));
            }
        }
        len > 0 || !block.old.is_empty()
    }

    /// Finds the groups of each layer that may have changed at `since` or later, of a block: all,
    /// if that is not known.
    pub fn changed(&self, number: u32, since: u64, changed: &mut [u64]) {
        let Some(marks) = &self.cells.marks else { return changed.fill(u64::MAX) };
        let wholly = marks.changed(number, since);
        for (word, fields) in changed.iter_mut().zip(const { &Block::<T>::FIELDS_OF }) {
            *word = wholly | marks.changed_in(number, *fields, since);
        }
    }

    /// Copies groups of each layer of a block, whose states were noted.
    fn fill(&self, block: &mut Block<T>, has: &[u64; MOST_LAYERS]) {
        let first = block.number * BLOCK;
        let (mut held, mut full) = ([0; BLOCK as usize], 0);
        // Of groups that are not there, nothing is asked.
        let any = has[..Block::<T>::LAYERS].iter().fold(0, |any, has| any | has) & block.all();
        for at in ones(any) {
            let ([_, live, _, buried], nil) = (block.words(at), u64::from(first + at == 0));
            let is_plain = block.others.is_empty();
            held[at as usize] = if is_plain { live } else { self.held(first + at) };
            full |= u64::from(live | buried | nil == u64::MAX) << at;
        }
        block.hold(has, |block, layers| {
            for (layer, _) in Block::<T>::byte_layers() {
                let Layer { has, start, .. } = layers[layer];
                self.copy_layer(&mut block.bytes[start..], first, layer, has, full, &held);
            }
            for (list, layer) in block.clones.iter_mut().zip(Block::<T>::cloned_layers()) {
                for (nth, at) in ones(layers[layer].has).enumerate() {
                    let place = |bit| self.place((first + at) * GROUP + bit);
                    // SAFETY: the slots hold values, of which nobody has exclusive use behind
                    // `&self`.
                    unsafe { list.take(nth, &self.cells.values, held[at as usize], &place) };
                }
            }
            block.ticks.clear();
            if let Some(marks) = &self.cells.marks {
                for (layer, fields) in layers.iter().zip(const { &Block::<T>::FIELDS_OF }) {
                    for (at, count) in runs_of(layer.has) {
                        let ticks = block.ticks.len();
                        block.ticks.resize(ticks + count as usize, 0);
                        marks.raise(first + at, *fields, &mut block.ticks[ticks..]);
                    }
                }
            }
        });
    }

    /// Copies one layer of some groups, one after the other; several at once that are full and lie
    /// side by side.
    fn copy_layer(
        &self,
        mut to: &mut [MaybeUninit<u8>],
        first: u32,
        layer: usize,
        mut has: u64,
        full: u64,
        held: &[u64; BLOCK as usize],
    ) {
        let is_whole = layer > 0 || Block::<T>::WHOLE;
        while has != 0 {
            let at = has.trailing_zeros();
            let group = first + at;
            let full = if is_whole { ((has & full) >> at).trailing_ones() } else { 0 };
            let count = match full {
                0 | 1 => 1,
                _ => full.min(self.cells.side_by_side(group)),
            };
            let len = (count * GROUP) as usize * const { Block::<T>::STRIDES }[layer];
            let (these, rest) = to.split_at_mut(len);
            match full {
                0 => self.copy_slots(these, group, layer, held[at as usize]),
                _ => self.copy_bytes(these, self.cells.first_place(group), layer),
            }
            to = rest;
            has &= !(u64::MAX >> (64 - count) << at);
        }
    }

    /// Copies one layer of what the slots of a group hold. Where they hold nothing there are zeros,
    /// but for stamps.
    fn copy_slots(&self, to: &mut [MaybeUninit<u8>], group: u32, layer: usize, held: u64) {
        let stride = const { Block::<T>::STRIDES }[layer];
        to.fill(ZERO);
        if layer == 0 {
            for (bit, element) in (0..GROUP).zip(to.chunks_exact_mut(stride)) {
                write(element, self.stamp(group * GROUP + bit));
            }
        }
        if layer == 0 && !Block::<T>::WHOLE {
            for bit in ones(held) {
                // SAFETY: the slot holds a value.
                let tags = unsafe { self.cells.values.tags(self.place(group * GROUP + bit)) };
                write(&mut to[bit as usize * stride + TAGS_IN_HEAD..], tags);
            }
            return;
        }
        let claimed = self.claimed(group);
        let apart = ones(held & claimed).map(|bit| (bit, 1));
        for (bit, count) in runs_of(held & !claimed).chain(apart) {
            let (start, len) = (bit as usize * stride, count as usize * stride);
            self.copy_bytes(&mut to[start..start + len], self.place(group * GROUP + bit), layer);
        }
    }

    /// Copies some memory, from a strip of the first place on, of slots that all hold values.
    fn copy_bytes(&self, to: &mut [MaybeUninit<u8>], first: Place<T>, strip: usize) {
        // SAFETY: in bounds: the slots lie side by side (by the callers), so there are as many
        // elements. Nobody writes to them meanwhile: all slots hold values (slot 0 the nil thing),
        // and nobody has them exclusively behind `&self`. The bytes are of plain values, of which
        // there may be copies.
        unsafe {
            let from = self.cells.values.strip(first, strip).cast::<MaybeUninit<u8>>();
            from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len());
        }
    }
}

impl<T: Thing> Cells<T> {
    /// The first block at `from` or later that has memory.
    pub(super) fn next_block(&self, from: u32) -> Option<u32> {
        let (memory, slots) = (self.values.memory(), u64::from(BLOCK * GROUP));
        let chunk = (u64::from(from) * slots) >> <T::Storage as Storage<T>>::Extent::SHIFT;
        let made = (chunk as usize..memory.chunks()).find_map(|chunk| memory.chunk(chunk));
        let shed =
            u32::try_from(u64::from(from) * slots).ok().and_then(|from| self.next_shed(from));
        let next = made.map(|made| made.start).into_iter().chain(shed.map(u64::from)).min()?;
        Some(from.max((next / slots) as u32))
    }

    /// Whether any slot of a group has been used before.
    pub(super) fn has_stamps(&self, number: u32) -> bool {
        let Some(first) = self.values.place(number * GROUP) else {
            return self.next_shed(number * GROUP).is_some_and(|index| index / GROUP == number);
        };
        let first = T::Storage::stamp(first).cast_const();
        // SAFETY: the place is of this storage, and so are the other 63 of the group, whose stamps
        // are as far apart as it says. Stamps are initialised wherever there is a place, and do not
        // change behind `&self` (C3).
        let stamp = |n: usize| unsafe { first.byte_add(n * T::Storage::STAMP_STRIDE).read() };
        (0..GROUP as usize).fold(0, |all, n| all | stamp(n)) != SPENT
    }

    /// How many groups from one on lie side by side.
    pub(super) fn side_by_side(&self, number: u32) -> u32 {
        self.values.memory().run_len(number * GROUP) / GROUP
    }
}
