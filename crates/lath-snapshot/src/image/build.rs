//! Making an image of a state that came from outside: nothing of it is believed before it was
//! looked at.

use lath_core::blocks::{BlockBuilder, COMMON, Ledger, next_identity, ones};
use lath_core::strips::Snap;
use lath_core::{Field, Pool, TagSet};

use super::{Blocks, PoolImage, PoolState, StateError};

/// Distinct sets of tags that own groups; each costs a bit per group.
const MOST_OWNERS: usize = 8192;

/// An image whose values are still to come. Fields that are never filled get the value that they
/// have in `T::default()`.
pub struct ImageBuilder<T: Snap> {
    blocks: BlockBuilder<T>,
    ledger: Ledger,
}

impl<T: Snap> ImageBuilder<T> {
    /// Starts an image for a pool with what is known about its slots, from a save or a packet:
    /// whatever it is, the result can be trusted.
    ///
    /// # Errors
    ///
    /// [`StateError`] if it is not the state of a pool of this thing that fits into this one.
    pub fn new(pool: &Pool<T>, state: &PoolState) -> Result<Self, StateError> {
        check_extent(state)?;
        let PoolState { groups, words, stamps, old, tags, ledger } = state;
        let mut blocks = pool
            .build(groups, words, stamps, old)
            .map_err(|(what, slot)| StateError::Broken { what, slot })?;
        let held = if size_of::<T::Tags>() > 0 { blocks.len() } else { 0 };
        check(state, held, |tags| T::Tags::narrow(tags).widen())?;
        blocks.set_tags(tags);
        let mut ledger = ledger.clone();
        ledger.tags = bitmaps(state);
        Ok(Self { blocks, ledger })
    }

    /// How many values each field needs.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are no values to come.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Gives a field its value in every slot that holds one, in slot order; `None` is the default
    /// of the thing. If `value` fails, so does this, and the field counts as not filled.
    ///
    /// # Errors
    ///
    /// Those of `value`.
    pub fn fill<F: Field<Thing = T, Value: Clone>, E>(
        &mut self,
        value: impl FnMut() -> Result<Option<F::Value>, E>,
    ) -> Result<(), E> {
        self.blocks.fill::<F, E>(value)
    }

    /// The image, with defaults for all fields that were not filled.
    pub fn finish(self) -> PoolImage<T> {
        let all = self.blocks.finish();
        let blocks = Blocks { used: all.len(), all };
        PoolImage { blocks, ledger: self.ledger, serial: next_identity(), ..PoolImage::new() }
    }
}

/// The bitmaps of all tags.
fn bitmaps(state: &PoolState) -> Vec<Vec<u64>> {
    let (mut maps, mut tags) = (Vec::<Vec<u64>>::new(), state.tags.iter());
    for (at, &group) in state.groups.iter().enumerate().filter(|_| !state.tags.is_empty()) {
        for bit in ones(state.held_word(at)) {
            let tags = tags.next().copied().unwrap_or(0);
            for tag in ones(if state.words[at][1] >> bit & 1 == 1 { tags } else { 0 }) {
                maps.resize_with(maps.len().max(tag as usize + 1), Vec::new);
                let map = &mut maps[tag as usize];
                map.resize(map.len().max(group as usize + 1), 0);
                map[group as usize] |= 1 << bit;
            }
        }
    }
    maps
}

/// Looks whether what is known about slots as a whole goes with their states, which were looked at;
/// `held` of them have tags, and `known` are those of some tags that the things can have.
fn check(state: &PoolState, held: usize, known: impl Fn(u64) -> u64) -> Result<(), StateError> {
    let broken = |what| Err(StateError::Broken { what, slot: 0 });
    let PoolState { groups, words, tags, ledger, .. } = state;
    if tags.len() != held {
        return broken("there are not as many sets of tags as values");
    }
    let owned = ledger.owners.iter().map(|(_, tags)| tags);
    if tags.iter().chain(owned).any(|&tags| known(tags) != tags) {
        return broken("a thing has tags that its type does not know");
    }
    check_owners(state)?;
    let mut buried: Vec<u32> = ledger.graves.iter().map(|&(_, index)| index).collect();
    buried.sort_unstable();
    let of_group =
        |(&group, words): (&u32, &[u64; 4])| ones(words[3]).map(move |bit| group * 64 + bit);
    if !buried.into_iter().eq(groups.iter().zip(words).flat_map(of_group)) {
        return broken("the graves are not those of the buried slots");
    }
    if ledger.tick > u64::MAX / 2 {
        return broken("the tick is one that no pool has ever reached");
    }
    if ledger.reuse > 2 { broken("the order of reuse is none of the three") } else { Ok(()) }
}

/// Slots that are far from all others cost memory, and time, for those between.
fn check_extent(PoolState { groups, old, .. }: &PoolState) -> Result<(), StateError> {
    let last = groups.last().map_or(0, |&group| u64::from(group) * 64);
    let count = last.max(old.last().map_or(0, |&(index, _)| index.into()));
    let most = 2 * (groups.len() as u64 * 64 + old.len() as u64) + (1 << 16);
    if count > most {
        let what = "slots, most of them never used, because some are far apart";
        return Err(StateError::TooLarge { what, count, most });
    }
    Ok(())
}

/// A group that nothing is in has no owner, and there are not too many.
fn check_owners(PoolState { groups, words, ledger, .. }: &PoolState) -> Result<(), StateError> {
    let mut before = None;
    for &(group, _) in &ledger.owners {
        let words = groups.binary_search(&group).map(|at| words[at]);
        let is_idle = words.is_ok_and(|[_, live, claimed, buried]| live | claimed | buried == 0);
        if words.is_err() || is_idle || group < COMMON || before.is_some_and(|it| it >= group) {
            let what = "L1: a group that nothing is in has an owner, or owners are not in order";
            return Err(StateError::Broken { what, slot: group.saturating_mul(64) });
        }
        before = Some(group);
    }
    let mut sets: Vec<u64> = ledger.owners.iter().map(|(_, tags)| *tags).collect();
    sets.sort_unstable();
    sets.dedup();
    let (count, most) = (sets.len() as u64, MOST_OWNERS as u64);
    if count > most {
        let what = "sets of tags that own groups";
        return Err(StateError::TooLarge { what, count, most });
    }
    Ok(())
}
