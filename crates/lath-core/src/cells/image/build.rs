#![expect(unsafe_code, reason = "writes values into bytes that will be read as such")]
//! Making an image out of a state that came from outside: nothing of it is believed before it was
//! looked at.

use super::*;
use crate::state::fitting_kind;

/// Distinct sets of tags that own groups; each costs a bit per group.
const MOST_OWNERS: usize = 8192;

/// An image whose values are still to come. Fields that are never filled get the value that they
/// have in `T::default()`.
pub struct ImageBuilder<T: Snap> {
    image: Image<T>,
    filled: u64,
}

impl<T: Snap> ImageBuilder<T> {
    /// Looks whether the state is that of a pool of `limit` slots, slot 0 included, and takes over
    /// its slots.
    pub(crate) fn new(state: &PoolState, limit: u64) -> Result<Self, StateError> {
        check::<T>(state, limit)?;
        let mut image = Image::new();
        image.live.extend(state.words.iter().map(|words| words[1]));
        image.others.extend(state.words.iter().enumerate().map(
            |(at, &[taken, live, claimed, buried])| {
                let (out_of_use, staged) =
                    (taken & !(live | claimed | buried), state.held_word(at) & claimed);
                Others { out_of_use, claimed, buried, staged }
            },
        ));
        image.old.clone_from(&state.old);
        for groups in
            state.groups.chunk_by(|&one, &next| one + 1 == next && !Image::<T>::starts_block(next))
        {
            image.push_run(groups[0], groups.len() as u32);
        }
        image.make_rows();
        for (row, &stamp) in state.stamps.iter().enumerate() {
            image.put_stamp(row, stamp);
        }
        let mut builder = Self { image, filled: 0 };
        if Cells::<T>::TAGGED {
            builder.put_tags(state);
        }
        Ok(builder)
    }

    /// How many values each field needs.
    pub fn len(&self) -> usize {
        self.image.len()
    }

    /// Whether there are no values to come.
    pub fn is_empty(&self) -> bool {
        self.image.is_empty()
    }

    /// Gives a field its value in every slot that holds one, in slot order; `None` is the default
    /// of the thing. If `value` fails, so does this, and the field counts as not filled.
    ///
    /// # Errors
    ///
    /// Those of `value`.
    pub fn fill<F: Field<Thing = T, Value: Clone>, E>(
        &mut self,
        mut value: impl FnMut() -> Result<Option<F::Value>, E>,
    ) -> Result<(), E> {
        if T::TAGS_FIELD == Some(F::INDEX) {
            return Ok(()); // known already
        }
        let mut default = Default::<T>(None);
        let held: Vec<u64> = (0..self.image.numbers.len()).map(|at| self.image.held(at)).collect();
        let Image { kept, bytes, runs, run_of, .. } = &mut self.image;
        let mut kept = kept.iter_mut().find_map(|kept| kept.as_any_mut().downcast_mut::<Kept<F>>());
        let (strip, stride, within) = place_of::<T, F>();
        for (at, held) in held.into_iter().enumerate() {
            let start = Image::<T>::group_in(runs[run_of[at] as usize], at, strip).start + within;
            for bit in ones(held) {
                let value = match value()? {
                    Some(value) => value,
                    None if Image::<T>::has_strip(F::INDEX) => default.get::<F>(),
                    None => continue,
                };
                match &mut kept {
                    Some(kept) => kept.put(at, bit, value),
                    None => write_value(&mut bytes[start + bit as usize * stride..], value),
                }
            }
        }
        self.filled |= 1 << F::INDEX;
        Ok(())
    }

    fn put<F: Field<Thing = T, Value: Clone>>(&mut self, at: usize, bit: u32, value: F::Value) {
        if let Some(kept) = self.image.kept_field_mut::<F>() {
            kept.put(at, bit, value);
            return;
        }
        let (strip, _, within) = place_of::<T, F>();
        let start = self.image.row_start(at * GROUP as usize + bit as usize, strip) + within;
        write_value(&mut self.image.bytes[start..], value);
    }

    /// The image, with defaults for all fields that were not filled.
    pub fn finish(mut self) -> Image<T> {
        struct Missing<'a, T: Snap>(&'a mut ImageBuilder<T>);

        impl<T: Snap> crate::strips::ClonedVisitor<T> for Missing<'_, T> {
            fn field<F: Field<Thing = T, Value: Clone>>(&mut self) {
                if self.0.filled >> F::INDEX & 1 == 0 {
                    let Ok(()) = self.0.fill::<F, core::convert::Infallible>(|| Ok(None));
                }
            }
        }

        T::visit_cloned(&mut Missing(&mut self));
        self.image
    }

    /// Writes the tags of every value where the storage will look for them, and into the bitmaps.
    fn put_tags(&mut self, state: &PoolState) {
        let image = &mut self.image;
        image.tags = state.tags.iter().fold(0, |all, tags| all | tags);
        let count = image.tags.count_ones() as usize;
        image.maps.resize(image.numbers.len() * count, 0);
        image.owners.resize(image.numbers.len(), None);
        for &(number, tags) in &state.owners {
            if let Some(at) = image.place_of(number) {
                image.owners[at] = Some(tags);
            }
        }
        let mut tags = state.tags.iter().copied();
        for at in 0..self.image.numbers.len() {
            for bit in ones(self.image.held(at)) {
                let (image, tags) = (&mut self.image, tags.next().unwrap_or(0));
                if image.live[at] >> bit & 1 == 1 {
                    for (rank, _) in
                        ones(image.tags).enumerate().filter(|(_, tag)| tags >> tag & 1 == 1)
                    {
                        image.maps[at * count + rank] |= 1 << bit;
                    }
                } else {
                    image.apart.push((image.numbers[at] * GROUP + bit, tags));
                }
                self.put_tags_of(at, bit, T::Tags::narrow(tags));
            }
        }
    }

    fn put_tags_of(&mut self, at: usize, bit: u32, tags: T::Tags) {
        struct Put<'a, T: Snap>(&'a mut ImageBuilder<T>, usize, u32, T::Tags);

        impl<T: Snap> crate::strips::ClonedVisitor<T> for Put<'_, T> {
            fn field<F: Field<Thing = T, Value: Clone>>(&mut self) {
                if T::TAGS_FIELD == Some(F::INDEX) {
                    // SAFETY: the field that holds the tags is of the type `T::Tags` (`Fields` is
                    // unsafe to implement), which is `Copy`.
                    let value = unsafe { core::mem::transmute_copy::<T::Tags, F::Value>(&self.3) };
                    self.0.put::<F>(self.1, self.2, value);
                }
            }
        }

        if let (true, Some(within)) =
            (Image::<T>::STAMPS_IN_STRIP, <T::Storage as Strips<T>>::TAGS_WITHIN)
        {
            let start = self.image.row_start(at * GROUP as usize + bit as usize, 0) + within;
            write_value(&mut self.image.bytes[start..], tags);
        }
        T::visit_cloned(&mut Put(self, at, bit, tags));
        self.filled |= T::TAGS_FIELD.map_or(0, |field| 1 << field);
    }
}

/// The strip of a field that is copied as bytes, how long its elements are, and where in them the
/// field is.
fn place_of<T: Snap, F: Field<Thing = T>>() -> (usize, usize, usize) {
    match <T::Storage as Strips<T>>::STRIP_OF[F::INDEX] {
        u8::MAX => (0, 0, 0), // kept elsewhere
        strip => (
            strip.into(),
            Image::<T>::stride(strip.into()),
            <T::Storage as Strips<T>>::WITHIN[F::INDEX],
        ),
    }
}

/// Writes a value to the start of some bytes. It is `Copy`, whatever the bounds say: nothing is
/// forgotten.
fn write_value<V>(bytes: &mut [MaybeUninit<u8>], value: V) {
    let bytes = &mut bytes[..size_of::<V>()];
    // SAFETY: in bounds, as the slice shows.
    unsafe { bytes.as_mut_ptr().cast::<V>().write_unaligned(value) };
}

impl<T: Snap> Image<T> {
    /// Whether every value has a field where it can be seen: not a cold one.
    fn has_strip(field: usize) -> bool {
        <T::Storage as Strips<T>>::STRIP_OF[field] != u8::MAX
    }
}

/// The default thing, made when it is first needed.
struct Default<T>(Option<T>);

impl<T: Snap> Default<T> {
    /// Its value of a field.
    fn get<F: Field<Thing = T, Value: Clone>>(&mut self) -> F::Value {
        let thing = &raw const *self.0.get_or_insert_with(T::default);
        // SAFETY: a whole thing, and `FIELDS` says truly where the field lies in it (`Fields` is
        // unsafe to implement).
        unsafe { &*thing.byte_add(T::FIELDS[F::INDEX].offset).cast::<F::Value>() }.clone()
    }
}

/// Looks whether a state is that of a pool of things `T` with `limit` slots, slot 0 included.
fn check<T: Snap>(state: &PoolState, limit: u64) -> Result<(), StateError> {
    let broken = |what, slot| Err(StateError::Broken { what, slot });
    let PoolState { groups, words, stamps, old, tags, owners, graves, .. } = state;
    if groups.first() != Some(&0)
        || words.len() != groups.len()
        || stamps.len() != groups.len() * GROUP as usize
    {
        return broken("the lists of groups, states and stamps do not fit together", 0);
    }
    if let Some(pair) = groups.windows(2).find(|pair| pair[0] >= pair[1]) {
        return broken("the groups are not in order", pair[1].saturating_mul(GROUP));
    }
    if let Some(&number) =
        groups.iter().find(|&&number| u64::from(number) * u64::from(GROUP) >= limit)
    {
        return broken(
            "a group is beyond the last slot that the pool can have",
            number.saturating_mul(GROUP),
        );
    }
    let bits = Handle::<T>::STAMP;
    for (at, (&number, &[taken, live, claimed, buried])) in groups.iter().zip(words).enumerate() {
        let first = number * GROUP;
        if live & claimed | claimed & buried | buried & live != 0
            || (live | claimed | buried) & !taken != 0
        {
            return broken(
                "S1: a slot of this group is in two states at once, or in use and not taken",
                first,
            );
        }
        if number == 0 && (taken & 1 == 0 || (live | claimed | buried) & 1 == 1) {
            return broken("S4: slot 0 is in use", 0);
        }
        for bit in 0..GROUP {
            let (index, stamp) =
                (u64::from(first) + u64::from(bit), stamps[at * GROUP as usize + bit as usize]);
            let is = |word: u64| word >> bit & 1 == 1;
            let (generation, kind) = (bits.generation_of(stamp), bits.kind_of(stamp));
            if bits.stamp(generation, kind) != stamp || fitting_kind(bits, kind).is_err() {
                return broken(
                    "the stamp has more bits than the handles of this thing",
                    index as u32,
                );
            }
            let fits = match () {
                _ if index == 0 => stamp == NIL_SLOT || stamp == SPENT,
                _ if index >= limit => !is(taken) && stamp == SPENT,
                _ if is(live) => is_live(stamp),
                _ if is(claimed) => true,
                _ if is(buried) || !is(taken) => !is_live(stamp) && kind == 0,
                _ => stamp == SPENT,
            };
            if !fits {
                return broken("the stamp does not go with the state of the slot", index as u32);
            }
        }
    }
    if let Some(pair) = old.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        return broken("the slots that were used before are not in order", pair[1].0);
    }
    for &(index, stamp) in old {
        let listed = groups.binary_search(&(index / GROUP)).is_ok();
        if listed
            || u64::from(index) >= limit
            || is_live(stamp)
            || bits.generation_of(stamp) != stamp
        {
            return broken("a slot that was used before cannot be that", index);
        }
    }
    check_extent(groups, old)?;
    let held = state.held();
    if tags.len() != if Cells::<T>::TAGGED { held } else { 0 } {
        return broken("there are not as many sets of tags as values", 0);
    }
    if tags
        .iter()
        .chain(owners.iter().map(|(_, tags)| tags))
        .any(|&tags| T::Tags::narrow(tags).widen() != tags)
    {
        return broken("a thing has tags that its type does not know", 0);
    }
    check_owners(state)?;
    let mut buried: Vec<u32> = graves.iter().map(|&(_, index)| index).collect();
    buried.sort_unstable();
    let expected = groups
        .iter()
        .zip(words)
        .flat_map(|(&number, words)| ones(words[3]).map(move |bit| number * GROUP + bit));
    if !buried.into_iter().eq(expected) {
        return broken("the graves are not those of the buried slots", 0);
    }
    if state.tick > u64::MAX / 2 {
        return broken("the tick is one that no pool has ever reached", 0);
    }
    if state.reuse > 2 { broken("the order of reuse is none of the three", 0) } else { Ok(()) }
}

/// Slots that are far from all others cost memory, and time, for those between.
fn check_extent(groups: &[u32], old: &[(u32, u32)]) -> Result<(), StateError> {
    let last = groups
        .last()
        .map_or(0, |&number| number * GROUP)
        .max(old.last().map_or(0, |&(index, _)| index));
    let known = groups.len() as u64 * u64::from(GROUP) + old.len() as u64;
    let (count, most) = (u64::from(last), 2 * known + (1 << 16));
    if count > most {
        return Err(StateError::TooLarge {
            what: "slots, most of them never used, because some are far apart",
            count,
            most,
        });
    }
    Ok(())
}

/// A group that nothing is in has no owner, and there are not too many.
fn check_owners(state: &PoolState) -> Result<(), StateError> {
    let mut sets: Vec<u64> = Vec::new();
    for (n, &(number, tags)) in state.owners.iter().enumerate() {
        let words = state.groups.binary_search(&number).map(|at| state.words[at]);
        let idle = words.is_ok_and(|[_, live, claimed, buried]| live | claimed | buried == 0);
        if words.is_err() || idle || number < COMMON || n > 0 && state.owners[n - 1].0 >= number {
            let what = "L1: a group that nothing is in has an owner, or owners are not in order";
            return Err(StateError::Broken { what, slot: number.saturating_mul(GROUP) });
        }
        if let Err(place) = sets.binary_search(&tags) {
            sets.insert(place, tags);
            let (count, most) = (sets.len() as u64, MOST_OWNERS as u64);
            if count > most {
                return Err(StateError::TooLarge {
                    what: "sets of tags that own groups",
                    count,
                    most,
                });
            }
        }
    }
    Ok(())
}
