#![expect(unsafe_code, reason = "writes values into bytes that will be read as such")]
//! Making blocks of numbers that came from outside: nothing of it is believed before it was looked
//! at.

use super::*;
use crate::state::fitting_kind;

/// Blocks whose values are still to come. Fields that are never filled get the value that they have
/// in `T::default()`.
pub struct BlockBuilder<T: Snap> {
    blocks: Vec<Block<T>>,
    /// The tags of every value.
    tags: Vec<u64>,
    filled: u64,
}

/// What is wrong with states from outside: what does not hold, and the slot where.
type Broken = (&'static str, u32);

impl<T: Snap> BlockBuilder<T> {
    /// Blocks of these groups, with their states (taken, live, claimed, buried), a stamp for each
    /// of their slots, and stamps of slots in other groups, all in order. The slots from `limit` on
    /// are out of use.
    ///
    /// # Errors
    ///
    /// A sentence about the first thing that contradicts another, and the slot or group that it is
    /// about.
    pub(crate) fn new(
        groups: &[u32],
        words: &[[u64; 4]],
        stamps: &[u32],
        old: &[(u32, u32)],
        limit: u64,
    ) -> Result<Self, Broken> {
        if groups.first() != Some(&0)
            || words.len() != groups.len()
            || stamps.len() != groups.len() * GROUP as usize
        {
            return Err(("the lists of groups, states and stamps do not fit together", 0));
        }
        if let Some(pair) = groups.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(("the groups are not in order", pair[1].saturating_mul(GROUP)));
        }
        let is_beyond = |group: &&u32| u64::from(**group) * u64::from(GROUP) >= limit;
        if let Some(&group) = groups.iter().find(is_beyond) {
            let what = "a group is beyond the last slot that the pool can have";
            return Err((what, group.saturating_mul(GROUP)));
        }
        let stamps: Vec<&[u32]> = stamps.chunks_exact(GROUP as usize).collect();
        for ((&group, &words), stamps) in groups.iter().zip(words).zip(&stamps) {
            check_group::<T>(group, words, stamps, limit)?;
        }
        if let Some(pair) = old.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(("the slots that were used before are not in order", pair[1].0));
        }
        let bits = Handle::<T>::STAMP;
        for &(index, stamp) in old {
            let listed = groups.binary_search(&(index / GROUP)).is_ok();
            let fits = !is_live(stamp) && bits.generation_of(stamp) == stamp;
            if listed || u64::from(index) >= limit || !fits {
                return Err(("a slot that was used before cannot be that", index));
            }
        }
        let mut numbers: Vec<u32> = groups.iter().map(|group| group / BLOCK).collect();
        numbers.extend(old.iter().map(|(index, _)| index / (BLOCK * GROUP)));
        numbers.sort_unstable();
        numbers.dedup();
        let block = |number: u32| {
            let mut block = Block::<T>::new();
            block.number = number;
            let at = |group: u32| groups.partition_point(|other| *other < group);
            let (start, end) = (at(number * BLOCK), at((number + 1) * BLOCK));
            let here = groups[start..end].iter().map(|group| group % BLOCK).zip(start..end);
            let len = here.clone().next_back().map_or(0, |(at, _)| at as usize + 1);
            block.live.resize(len, 0);
            block.others.resize(len, [0; 3]);
            block.hold(&Block::<T>::ALL, |_, _| ());
            for (at, n) in here {
                let [taken, live, claimed, buried] = words[n];
                block.live[at as usize] = live;
                block.others[at as usize] = [taken & !live, claimed, buried];
                for (bit, &stamp) in (0..).zip(stamps[n]) {
                    let start = block.element((0, 0), at, bit);
                    write(&mut block.bytes[start..], stamp);
                }
            }
            let old = old.iter().filter(|(index, _)| index / (BLOCK * GROUP) == number);
            for &(index, stamp) in old {
                match index / GROUP % BLOCK {
                    at if at < block.groups() => {
                        let start = block.element((0, 0), at, index % GROUP);
                        write(&mut block.bytes[start..], stamp);
                    }
                    _ => block.old.push((index, stamp)),
                }
            }
            block
        };
        Ok(Self { blocks: numbers.into_iter().map(block).collect(), tags: Vec::new(), filled: 0 })
    }

    /// How many values each field needs.
    pub fn len(&self) -> usize {
        let held = |block: &Block<T>| -> u32 {
            (0..block.groups()).map(|at| block.held(at).count_ones()).sum()
        };
        self.blocks.iter().map(|block| held(block) as usize).sum()
    }

    /// Whether there are no values to come.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Gives every value its tags, in slot order.
    pub fn set_tags(&mut self, tags: &[u64]) {
        self.tags = tags.to_vec();
    }

    /// Gives a field its value in every slot that holds one, in slot order; `None` is the default
    /// of the thing. If `value` fails, so does this, and the field counts as not filled. Tags are
    /// known already.
    ///
    /// # Errors
    ///
    /// Those of `value`.
    pub fn fill<F: Field<Thing = T, Value: Clone>, E>(
        &mut self,
        value: impl FnMut() -> Result<Option<F::Value>, E>,
    ) -> Result<(), E> {
        if T::TAGS_FIELD == Some(F::INDEX) { Ok(()) } else { self.put::<F, E>(value) }
    }

    fn put<F: Field<Thing = T, Value: Clone>, E>(
        &mut self,
        mut value: impl FnMut() -> Result<Option<F::Value>, E>,
    ) -> Result<(), E> {
        let mut thing = None;
        let mut default = || {
            let thing = &raw const *thing.get_or_insert_with(T::default);
            // SAFETY: a whole thing, and `FIELDS` says truly where the field lies in it (`Fields`
            // is unsafe to implement).
            unsafe { &*thing.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>() }.clone()
        };
        let has_strip = Block::<T>::layer_of(F::INDEX) < Block::<T>::STRIPS;
        for block in &mut self.blocks {
            for at in 0..block.groups() {
                if let Some(list) = block.list_mut::<F>() {
                    list.clear(at);
                }
                for bit in ones(block.held(at)) {
                    let value = match value()? {
                        Some(value) => value,
                        None if has_strip => default(),
                        None => continue,
                    };
                    if let Some(list) = block.list_mut::<F>() {
                        list.push(at, bit, value);
                        continue;
                    }
                    let start = block.element(Block::<T>::place::<F>(), at, bit);
                    write(&mut block.bytes[start..], value);
                }
            }
        }
        self.filled |= 1 << F::INDEX;
        Ok(())
    }

    /// The blocks, with defaults for all fields that were not filled.
    pub fn finish(mut self) -> Vec<Block<T>> {
        struct Missing<'a, T: Snap>(&'a mut BlockBuilder<T>);

        impl<T: Snap> crate::strips::ClonedVisitor<T> for Missing<'_, T> {
            fn field<F: Field<Thing = T, Value: Clone>>(&mut self) {
                use core::convert::Infallible;
                if T::TAGS_FIELD == Some(F::INDEX) {
                    let mut tags = self.0.tags.clone().into_iter();
                    let Ok(()) = self.0.put::<F, Infallible>(|| {
                        let tags = T::Tags::narrow(tags.next().unwrap_or(0));
                        // SAFETY: the field that holds the tags is of the type `T::Tags` (`Fields`
                        // is unsafe to implement), which is `Copy`.
                        Ok(Some(unsafe { core::mem::transmute_copy::<T::Tags, F::Value>(&tags) }))
                    });
                } else if self.0.filled >> F::INDEX & 1 == 0 {
                    let Ok(()) = self.0.put::<F, Infallible>(|| Ok(None));
                }
            }
        }

        T::visit_cloned(&mut Missing(&mut self));
        let mut tags = self.tags.into_iter();
        for block in self.blocks.iter_mut().filter(|_| Cells::<T>::TAGGED) {
            for at in 0..block.groups() {
                for bit in ones(block.held(at)) {
                    let start = block.element(Block::<T>::TAGS, at, bit);
                    write(&mut block.bytes[start..], T::Tags::narrow(tags.next().unwrap_or(0)));
                }
            }
        }
        self.blocks
    }
}

impl<T: Snap> Block<T> {
    fn list_mut<F: Field<Thing = T, Value: Clone>>(&mut self) -> Option<&mut List<F>> {
        self.clones
            .iter_mut()
            .find_map(|list| (&mut **list as &mut dyn core::any::Any).downcast_mut())
    }
}

/// Looks whether states and stamps can be those of a group.
fn check_group<T: Snap>(
    group: u32,
    [taken, live, claimed, buried]: [u64; 4],
    stamps: &[u32],
    limit: u64,
) -> Result<(), Broken> {
    let (first, bits) = (group * GROUP, Handle::<T>::STAMP);
    let in_use = live | claimed | buried;
    if live & claimed | claimed & buried | buried & live | in_use & !taken != 0 {
        let what = "S1: a slot of this group is in two states at once, or in use and not taken";
        return Err((what, first));
    }
    if group == 0 && (taken & 1 == 0 || in_use & 1 == 1) {
        return Err(("S4: slot 0 is in use", 0));
    }
    for (bit, &stamp) in (0..).zip(stamps) {
        let (index, is) = (first + bit, |word: u64| word >> bit & 1 == 1);
        let (generation, kind) = (bits.generation_of(stamp), bits.kind_of(stamp));
        if bits.stamp(generation, kind) != stamp || fitting_kind(bits, kind).is_err() {
            return Err(("the stamp has more bits than the handles of this thing", index));
        }
        let fits = match () {
            _ if index == 0 => stamp == NIL_SLOT || stamp == SPENT,
            _ if u64::from(index) >= limit => !is(taken) && stamp == SPENT,
            _ if is(live) => is_live(stamp),
            _ if is(claimed) => true,
            _ if is(buried) || !is(taken) => !is_live(stamp) && kind == 0,
            _ => stamp == SPENT,
        };
        if !fits {
            return Err(("the stamp does not go with the state of the slot", index));
        }
    }
    Ok(())
}
