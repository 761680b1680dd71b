#![expect(
    unsafe_code,
    reason = "reads values out of copied bytes, where the block says that there are values"
)]
//! Blocks: copies of 64 groups of slots, which `lath-snapshot` makes images, differences and saves
//! of.
//!
//! A block has states, stamps and values, and nothing but values that belong to its states: it is
//! made of a pool ([`BlockReader`]), of another block, or of numbers that were looked at
//! ([`BlockBuilder`]), and put back by [`Pool::put_back`](crate::Pool::put_back).
//!
//! Memory is copied strip by strip (`strips.rs`). A *layer* of a group is what is copied, and
//! marked as changed, by itself: a strip, or a field without one. A block has all layers of all its
//! groups, or only those that have changed: layer by layer, and in each layer group by group.
//!
//! ```text
//! groups of a pool:  | head … |   | pos … |   | name … |   | hp … |    wherever its extents are
//! bytes of a block:  | head … | pos … | hp … |                         `name` is cloned: a list
//! ```
//!
//! # Invariants
//!
//! - **I1** Of each group in each layer, every slot that holds a value has its fields there: as
//!   bytes if their strip is one that is copied, else in a list. The head of a strip that is not
//!   copied, stamp and tags, is copied all the same.
//! - **I2** States and stamps keep S1, S4 and C1: they were copied from a pool, or `build.rs` has
//!   looked at them.
//! - **I3** All bytes were written, padding of values excepted: what a pool has not written is not
//!   copied. Bytes of slots that hold no value are zero, but for stamps.

mod build;
mod clones;
mod ledger;
mod lines;
mod read;
mod restore;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::*;
use crate::field::Field;
use crate::strips::{Snap, Strips, byte_strips};

pub use build::BlockBuilder;
use clones::{Clones, List, lists};
pub use ledger::Ledger;
use lines::Lines;
pub use read::BlockReader;
pub use restore::RestoreError;

/// Groups of a block.
pub const BLOCK: u32 = 64;

/// At most a strip per field, and the first.
const MOST_LAYERS: usize = 65;

/// A byte of which nobody has to know.
const ZERO: MaybeUninit<u8> = MaybeUninit::new(0);

/// What is kept of a slot whose first strip is not copied: its stamp, and from here on its tags.
const TAGS_IN_HEAD: usize = size_of::<u32>();

/// A copy of the states and values of some groups.
///
/// # Examples
///
/// ```
/// use lath_core::blocks::Block;
/// # use lath_core::{Pool, Rows, Thing, strips};
/// # #[derive(Thing, Default)] struct Crew { age: u32 }
/// # // SAFETY: the one field is a number.
/// # unsafe impl strips::Snap for Crew {
/// #     const PLAIN: u64 = 1;
/// #     fn visit_cloned<V: strips::ClonedVisitor<Self>>(visitor: &mut V) {
/// #         visitor.field::<crew::age>()
/// #     }
/// # }
/// let mut crew = Pool::new();
/// let ada = crew.spawn(Crew { age: 36 });
///
/// let mut block = Block::new();
/// assert!(crew.reader().copy(0, &mut block, |_, _| ())); // all there is
/// let mut ages = Vec::new();
/// block.each_value::<crew::age>(|age| ages.extend(age.copied()));
/// assert_eq!((ages, block.stamp(0, ada.index())), (vec![36], 1));
/// ```
pub struct Block<T: Snap> {
    /// Its number in the pool: there are 64 groups to each.
    number: u32,
    /// Of each group, up to the last that is used: the live slots.
    live: Vec<u64>,
    /// Of each group: which slots are held, claimed, buried; empty if none is, but for slot 0.
    others: Vec<[u64; 3]>,
    /// The stamps of slots after those groups, where they are not 0: slot and stamp, in order.
    old: Vec<(u32, u32)>,
    /// Empty while values are copied, so that there are none if a `Clone` panics.
    layers: Vec<Layer>,
    /// When each layer of each group was last changed; empty if changes are not tracked.
    ticks: Vec<u64>,
    bytes: Lines,
    /// The fields that are cloned.
    clones: Vec<Box<dyn Clones<T>>>,
    owned: PhantomData<T>,
}

/// What a block has of one layer.
#[derive(Clone, Copy)]
struct Layer {
    /// Of which groups.
    has: u64,
    /// Where their bytes begin.
    start: usize,
    /// Where their ticks begin.
    first: usize,
}

// SAFETY: a block owns copies of fields of things, as bytes and as values. They may go where the
// things may go; a thing is `Send` only if its fields are, unless its author says otherwise and
// vouches for it.
unsafe impl<T: Snap + Send> Send for Block<T> {}
// SAFETY: as above; a shared block gives out shared looks at fields.
unsafe impl<T: Snap + Sync> Sync for Block<T> {}

impl<T: Snap> Block<T> {
    /// All layers of all groups.
    const ALL: [u64; MOST_LAYERS] = [u64::MAX; MOST_LAYERS];

    /// Whether the first strip is copied, stamps and all.
    const WHOLE: bool = byte_strips::<T>() & 1 == 1;

    const STRIPS: usize = <T::Storage as Strips<T>>::STRIPS;

    /// How many layers a group has: its strips, and the fields without one.
    const LAYERS: usize = Self::STRIPS + Self::lacking(T::FIELDS.len());

    /// The fields that belong to each layer.
    const FIELDS_OF: [u64; MOST_LAYERS] = {
        let (mut fields_of, mut field) = ([0; MOST_LAYERS], 0);
        while field < T::FIELDS.len() {
            fields_of[Self::layer_of(field)] |= 1 << field;
            field += 1;
        }
        fields_of
    };

    /// How many bytes of a slot are copied in each layer.
    const STRIDES: [usize; MOST_LAYERS] = {
        let (mut strides, mut strip) = ([0; MOST_LAYERS], 1);
        strides[0] = if Self::WHOLE {
            <T::Storage as Strips<T>>::STRIDES[0]
        } else {
            TAGS_IN_HEAD + size_of::<T::Tags>()
        };
        while strip < Self::STRIPS {
            if byte_strips::<T>() >> strip & 1 == 1 {
                strides[strip] = <T::Storage as Strips<T>>::STRIDES[strip];
            }
            strip += 1;
        }
        strides
    };

    /// The fields that have to be cloned one by one: those whose strip is not copied.
    const CLONED: u64 = {
        let (strip_of, mut fields, mut field) = (<T::Storage as Strips<T>>::STRIP_OF, 0, 0);
        while field < T::FIELDS.len() {
            let has_strip = strip_of[field] != <T::Storage as Strips<T>>::NO_STRIP;
            if !has_strip || byte_strips::<T>() >> strip_of[field] & 1 == 0 {
                fields |= 1 << field;
            }
            field += 1;
        }
        fields
    };

    /// Where the tags are that the pool knows: the layer, and the place in what is copied of a
    /// slot.
    const TAGS: (usize, usize) = match (<T::Storage as Strips<T>>::TAGS_WITHIN, T::TAGS_FIELD) {
        _ if !Self::WHOLE => (0, TAGS_IN_HEAD),
        (Some(within), _) => (0, within),
        (None, Some(field)) => {
            let strips = <T::Storage as Strips<T>>::STRIP_OF;
            (strips[field] as usize, <T::Storage as Strips<T>>::WITHIN[field])
        }
        (None, None) => (0, 0), // never asked for
    };

    /// How many of the fields before a field have no strip.
    const fn lacking(field: usize) -> usize {
        let (strip_of, mut lacking, mut at) = (<T::Storage as Strips<T>>::STRIP_OF, 0, 0);
        while at < field {
            lacking += (strip_of[at] == <T::Storage as Strips<T>>::NO_STRIP) as usize;
            at += 1;
        }
        lacking
    }

    /// The layer that a field belongs to.
    const fn layer_of(field: usize) -> usize {
        match <T::Storage as Strips<T>>::STRIP_OF[field] {
            u8::MAX => Self::STRIPS + Self::lacking(field),
            strip => strip as usize,
        }
    }

    /// The layers that the fields that are cloned belong to, in their order.
    fn cloned_layers() -> impl Iterator<Item = usize> {
        ones(Self::CLONED).map(|field| Self::layer_of(field as usize))
    }

    /// The layers of which bytes are copied, and how many of each slot.
    fn byte_layers() -> impl Iterator<Item = (usize, usize)> {
        let strides = const { Self::STRIDES };
        (0..Self::STRIPS)
            .map(move |layer| (layer, strides[layer]))
            .filter(|(_, stride)| *stride > 0)
    }

    /// A block of nothing: memory to be used.
    #[expect(clippy::new_without_default, reason = "nobody needs a block by default")]
    pub fn new() -> Self {
        Self {
            number: 0,
            live: Vec::new(),
            others: Vec::new(),
            old: Vec::new(),
            layers: Vec::new(),
            ticks: Vec::new(),
            bytes: Lines::default(),
            clones: lists::<T>(Self::CLONED),
            owned: PhantomData,
        }
    }

    /// Its number in the pool.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// How many groups there are, from the first one on.
    pub fn groups(&self) -> u32 {
        self.live.len() as u32
    }

    /// The handle of the thing in a slot, whatever that is doing.
    pub fn handle(&self, at: u32, bit: u32) -> Option<Handle<T>> {
        let index = (self.number * BLOCK + at) * GROUP + bit;
        Some(self.stamp(at, bit))
            .filter(|&stamp| is_live(stamp))
            .map(|stamp| Handle::from_parts(index, stamp))
    }

    /// A bit for each of its groups.
    fn all(&self) -> u64 {
        u64::MAX.checked_shr(BLOCK - self.groups()).unwrap_or(0)
    }

    /// The groups of which it has any layer.
    pub fn filled(&self) -> u64 {
        self.layers.iter().fold(0, |all, layer| all | layer.has)
    }

    /// Whether it has all layers of all its groups, so that it can be put back.
    fn is_whole(&self) -> bool {
        self.layers.len() == Self::LAYERS && self.layers.iter().all(|layer| layer.has == self.all())
    }

    /// The states of a group: taken, live, claimed, buried.
    pub fn words(&self, at: u32) -> [u64; 4] {
        let nil = [u64::from(self.number == 0 && at == 0), 0, 0];
        let [held, claimed, buried] = self.others.get(at as usize).copied().unwrap_or(nil);
        let live = self.live[at as usize];
        [live | held, live, claimed, buried]
    }

    /// The slots of a group that hold a value.
    pub fn held(&self, at: u32) -> u64 {
        let [_, live, claimed, buried] = self.words(at);
        live | buried | self.staged(at, claimed)
    }

    /// The slots of a group, by its number in the pool, of which some blocks have values.
    pub(crate) fn held_in(blocks: &[Self], group: u32) -> u64 {
        let found = blocks.binary_search_by_key(&(group / BLOCK), |block| block.number);
        let block = found.ok().map(|n| &blocks[n]).filter(|block| group % BLOCK < block.groups());
        block.map_or(0, |block| block.held(group % BLOCK))
    }

    /// Those of the claimed slots of a group that hold a value.
    fn staged(&self, at: u32, claimed: u64) -> u64 {
        ones(claimed).filter(|&bit| is_live(self.stamp(at, bit))).fold(0, |set, bit| set | 1 << bit)
    }

    /// The stamp of a slot of a group of which the block has everything.
    pub fn stamp(&self, at: u32, bit: u32) -> u32 {
        // SAFETY: every slot has a stamp at the start of its first bytes, as they were copied (I1).
        unsafe { read(&self.bytes[self.element((0, 0), at, bit)..]) }
    }

    /// The stamps of slots after the groups, where they are not 0: slot and stamp, in order.
    pub fn old(&self) -> &[(u32, u32)] {
        &self.old
    }

    /// Shows the tags of every value, in slot order; of things without tags there are none.
    pub fn each_tags(&self, mut f: impl FnMut(T::Tags)) {
        for at in (0..self.groups()).filter(|_| Cells::<T>::TAGGED) {
            // SAFETY: slots that hold values, by `held`.
            ones(self.held(at)).for_each(|bit| f(unsafe { self.tags_of(at, bit) }));
        }
    }

    /// The tags of a value.
    ///
    /// # Safety
    ///
    /// The slot holds one, and the things have tags.
    unsafe fn tags_of(&self, at: u32, bit: u32) -> T::Tags {
        // SAFETY: the tags of a value are there (I1).
        unsafe { read(&self.bytes[self.element(Self::TAGS, at, bit)..]) }
    }

    /// Where something lies in the bytes of a layer of a slot.
    fn element(&self, (layer, within): (usize, usize), at: u32, bit: u32) -> usize {
        let Layer { has, start, .. } = self.layers[layer];
        debug_assert!(has >> at & 1 == 1, "a group is asked for that is not here");
        let row = rank(has, at) * GROUP as usize + bit as usize;
        start + row * const { Self::STRIDES }[layer] + within
    }

    /// Shows the value of a field in every slot that holds one, in slot order; `None` is the
    /// default of a cold field.
    pub fn each_value<F: Field<Thing = T, Value: Clone>>(
        &self,
        mut f: impl FnMut(Option<&F::Value>),
    ) {
        let list = self.list::<F>();
        for (at, bit) in (0..self.groups()).flat_map(|at| ones(self.held(at)).map(move |n| (at, n)))
        {
            if let Some(list) = list {
                f(list.get(at, bit));
                continue;
            }
            let start = self.element(Self::place::<F>(), at, bit);
            // SAFETY: the slot holds a value, whose field is there (I1), and may be copied: strips
            // are copied only if the types of all their fields are `Copy`.
            let value: F::Value = unsafe { read(&self.bytes[start..]) };
            f(Some(&value));
        }
    }

    /// Shows the values of a plain field as bytes, all of them in slot order, in one or several
    /// pieces. Answers `false`, and does nothing, if its values are kept in another form.
    #[cfg(feature = "bytemuck")]
    pub fn each_bytes<F: Field<Thing = T, Value: bytemuck::NoUninit>>(
        &self,
        f: &mut dyn FnMut(&[u8]),
    ) -> bool {
        if Self::CLONED >> F::INDEX & 1 == 1 {
            return false;
        }
        let place @ (layer, _) = Self::place::<F>();
        let (stride, size) = (const { Self::STRIDES }[layer], size_of::<F::Value>());
        let mut show = |at: u32, bit: u32, count: u32| {
            let start = self.element(place, at, bit);
            let bytes = &self.bytes[start..start + (count as usize - 1) * stride + size];
            // SAFETY: slots that hold values (I1), several of them only if nothing is between them,
            // and the values have no bytes without a value (`NoUninit`).
            f(unsafe { &*(&raw const *bytes as *const [u8]) });
        };
        for at in 0..self.groups() {
            match stride == size {
                true => runs_of(self.held(at)).for_each(|(bit, count)| show(at, bit, count)),
                false => ones(self.held(at)).for_each(|bit| show(at, bit, 1)),
            }
        }
        true
    }

    /// Where a field that is copied as bytes lies: the layer, and the place in that.
    const fn place<F: Field<Thing = T>>() -> (usize, usize) {
        (Self::layer_of(F::INDEX), <T::Storage as Strips<T>>::WITHIN[F::INDEX])
    }

    /// The values of a field that is cloned.
    fn list<F: Field<Thing = T, Value: Clone>>(&self) -> Option<&List<F>> {
        self.clones.iter().find_map(|list| (&**list as &dyn core::any::Any).downcast_ref())
    }

    /// How many bytes it takes, but for what cloned values have on the heap.
    pub fn bytes(&self) -> usize {
        let clones: usize = self.clones.iter().map(|list| list.bytes()).sum();
        let states = self.filled().count_ones() as usize * 8 + size_of_val(&*self.others);
        self.bytes.len() + clones + states + self.old.len() * 8 + self.ticks.len() * 8
    }

    /// The groups of which states differ from those of an older block, or might without a mark.
    pub fn differing(&self, old: Option<&Self>) -> u64 {
        let Some(old) = old else { return self.all() };
        if self.others.is_empty() && old.others.is_empty() && self.live == old.live {
            return 0;
        }
        // What is staged is not marked, and neither is a slot that becomes free or taken without a
        // value.
        let same =
            |at| at < old.groups() && self.words(at) == old.words(at) && self.words(at)[2] == 0;
        (0..self.groups()).filter(|&at| !same(at)).fold(0, |set, at| set | 1 << at)
    }

    /// Finds the groups of each layer that may have changed at `since` or later: all, if that is
    /// not known.
    pub fn changed(&self, since: u64, changed: &mut [u64]) {
        if self.ticks.is_empty() {
            return changed.fill(u64::MAX);
        }
        for (word, layer) in changed.iter_mut().zip(&self.layers) {
            let ticks = self.ticks[layer.first..].iter();
            *word = ones(layer.has)
                .zip(ticks)
                .fold(0, |set, (at, &tick)| set | u64::from(tick >= since) << at);
        }
    }

    /// Takes over what another block says about slots; has none of their values.
    fn note(&mut self, from: &Self) {
        self.layers.clear();
        self.number = from.number;
        self.live.clone_from(&from.live);
        self.others.clone_from(&from.others);
        self.old.clone_from(&from.old);
    }

    /// Takes over what another block says about slots, and those groups of each layer that `choose`
    /// says, which begins with all.
    pub fn fill(&mut self, from: &Self, choose: impl FnOnce(&mut [u64])) {
        self.note(from);
        if from.layers.is_empty() {
            return;
        }
        let mut has = Self::ALL;
        choose(&mut has[..Self::LAYERS]);
        has.iter_mut().zip(&from.layers).for_each(|(has, layer)| *has &= layer.has);
        self.hold(&has, |this, layers| this.copy(layers, from));
    }

    /// Turns a block into a newer one, of which `new` has all that has changed.
    ///
    /// # Panics
    ///
    /// If groups are missing whose states differ.
    pub fn patch(&mut self, new: &Self) {
        let differing = new.differing(Some(self));
        let missing = |layer: &Layer| differing & !layer.has != 0;
        assert!(self.is_whole() && self.number == new.number && new.layers.len() == Self::LAYERS);
        assert!(!new.layers.iter().any(missing), "a group in another state is there as a whole");
        let len = self.groups();
        let old = (len != new.groups()).then(|| core::mem::replace(self, Self::new()));
        self.note(new);
        self.hold(&Self::ALL, |this, layers| {
            old.iter().for_each(|old| this.copy(layers, old));
            if new.filled() != 0 {
                this.copy(layers, new);
            }
        });
    }

    /// Becomes one that has these groups of each layer, which `fill` copies: what is in the buffers
    /// of as many stays. If that panics, it has none.
    fn hold(&mut self, has: &[u64; MOST_LAYERS], fill: impl FnOnce(&mut Self, &[Layer])) {
        let (mut layers, all) = (core::mem::take(&mut self.layers), self.all());
        layers.clear();
        let (mut start, mut first) = (0, 0);
        for (has, stride) in has.iter().zip(const { &Self::STRIDES }).take(Self::LAYERS) {
            let count = (has & all).count_ones() as usize;
            layers.push(Layer { has: has & all, start, first });
            start += count * GROUP as usize * stride;
            first += count;
        }
        self.bytes.resize(start);
        for (list, layer) in self.clones.iter_mut().zip(Self::cloned_layers()) {
            list.resize(layers[layer].has.count_ones() as usize);
        }
        fill(self, &layers);
        self.layers = layers;
    }

    /// Copies what both have.
    fn copy(&mut self, layers: &[Layer], from: &Self) {
        match (from.ticks.is_empty(), layers.last()) {
            (false, Some(last)) => {
                self.ticks.resize(last.first + last.has.count_ones() as usize, u64::MAX)
            }
            _ => self.ticks.clear(),
        }
        for (layer, (to, of)) in layers.iter().zip(&from.layers).enumerate() {
            let size = GROUP as usize * const { Self::STRIDES }[layer];
            // Mostly all of them: then they are counted.
            let (mut next, all) = (0, of.has & !to.has == 0);
            for (at, count) in runs_of(to.has & of.has) {
                let (new, count) = (rank(to.has, at), count as usize);
                let old = if all { next } else { rank(of.has, at) };
                next = old + count;
                let (start, len) = (of.start + old * size, count * size);
                let bytes = &from.bytes[start..start + len];
                self.bytes[to.start + new * size..][..len].copy_from_slice(bytes);
                if !self.ticks.is_empty() {
                    let ticks = &from.ticks[of.first + old..][..count];
                    self.ticks[to.first + new..][..count].copy_from_slice(ticks);
                }
                if Self::CLONED == 0 {
                    continue;
                }
                let lists = self.clones.iter_mut().zip(&from.clones).zip(Self::cloned_layers());
                for ((list, from), _) in lists.filter(|(_, of)| *of == layer) {
                    (0..count).for_each(|n| list.copy(new + n, &**from, old + n, u64::MAX));
                }
            }
        }
    }
}

impl<T: Snap> Clone for Block<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    /// Reuses what there is.
    fn clone_from(&mut self, from: &Self) {
        self.fill(from, |_| ());
    }
}

/// How many groups of a set come before one.
fn rank(set: u64, at: u32) -> usize {
    match set & set.wrapping_add(1) {
        0 => at as usize, // the first ones, mostly: all of a block
        _ => (set & ((1 << at) - 1)).count_ones() as usize,
    }
}

/// A value out of its bytes, the first ones of some.
///
/// # Safety
///
/// They are those of a value of this type, which may be copied.
unsafe fn read<V>(bytes: &[MaybeUninit<u8>]) -> V {
    let bytes = &bytes[..size_of::<V>()];
    // SAFETY: in bounds, as the slice shows; the rest is as the caller says.
    unsafe { bytes.as_ptr().cast::<V>().read_unaligned() }
}

/// Writes a value to the start of some bytes. It is `Copy`, whatever the bounds say: nothing is
/// forgotten.
fn write<V>(bytes: &mut [MaybeUninit<u8>], value: V) {
    let bytes = &mut bytes[..size_of::<V>()];
    // SAFETY: in bounds, as the slice shows.
    unsafe { bytes.as_mut_ptr().cast::<V>().write_unaligned(value) };
}

/// The runs of ones in a word: where each begins and how long it is.
fn runs_of(mut word: u64) -> impl Iterator<Item = (u32, u32)> {
    core::iter::from_fn(move || {
        let first = (word != 0).then(|| word.trailing_zeros())?;
        let len = (word >> first).trailing_ones();
        word &= !(u64::MAX >> (64 - len) << first);
        Some((first, len))
    })
}
