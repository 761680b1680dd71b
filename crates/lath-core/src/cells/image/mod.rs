#![expect(
    unsafe_code,
    reason = "reads values out of copied bytes, where the copy says that there are values"
)]
//! The image of a pool: a copy of all its slots and values, made and put back mostly by copying
//! memory.
//!
//! Memory is copied block by block where a block is full, and otherwise strip by strip
//! (`strips.rs`), in groups of 64 slots: see `run.rs`. A strip that has plain fields only is copied
//! as bytes, free slots and all; the fields of other strips, and cold ones, are cloned, value by
//! value.
//!
//! # Invariants
//!
//! - **I1** Where `held` says that a slot holds a value, the bytes of every byte strip hold values
//!   of its fields, and every other field that has a strip is kept. Elsewhere bytes mean nothing,
//!   but for the stamps.
//! - **I2** The words, the stamps and what else is noted of the slots keep the invariants of a
//!   pool: they were copied from one, or `build.rs` has looked at them.
//! - **I3** Somebody has written all bytes, padding of values excepted: they begin as zeroes
//!   (`lines.rs`), and memory of a slot that holds no value is copied only if it began as zeroes,
//!   too, or is cleared here afterwards. So a restore may paste all of them.

mod build;
mod capture;
mod delta;
mod kept;
mod lines;
mod restore;
mod run;
mod state;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::Range;

use super::*;
use crate::clusters::COMMON;
use crate::field::Field;
use crate::strips::{Snap, Strips, byte_strips, cloned_fields};

pub use build::ImageBuilder;
pub(crate) use capture::Access;
use capture::Unfinished;
pub(crate) use delta::{ImageDelta, Source};
use kept::{Kept, KeptField, keep};
use lines::Lines;
pub use restore::RestoreError;
use run::Run;
pub use state::{PoolState, StateError, TreeState};

/// How long a stamp is, at the start of an element of the first strip.
const STAMP: usize = size_of::<u32>();
const ZERO: MaybeUninit<u8> = MaybeUninit::new(0);

/// Parts of a group: at most a strip per field, and the first.
const MOST_PARTS: usize = 65;

/// What there is to know of the slots of a group besides which are live: almost always nothing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Others {
    /// Retired, or slot 0.
    out_of_use: u64,
    claimed: u64,
    buried: u64,
    /// Those of the claimed that hold a value.
    staged: u64,
}

impl Others {
    /// What a group is like of which every slot but slot 0 is free or live.
    fn none(number: u32) -> Self {
        Self { out_of_use: u64::from(number == 0), ..Self::default() }
    }
}

/// A copy of the slots and values of a pool. See `Pool::capture`.
pub struct Image<T: Snap> {
    /// In order; those of an image follow each other, whatever is between them in the pool.
    runs: Vec<Run>,
    /// The number of each group in the pool.
    numbers: Vec<u32>,
    /// Of each group that has bytes: its run.
    run_of: Vec<u32>,
    /// Of each group: the live slots.
    live: Vec<u64>,
    /// Of each group; empty if every slot but slot 0 is free or live.
    others: Vec<Others>,
    /// Of each slot, if the first strip is not copied.
    stamps: Vec<u32>,
    /// The stamps of slots that are in no group, where they are not 0: slot and stamp, in order.
    old: Vec<(u32, u32)>,
    /// The strips that are copied, run by run.
    bytes: Lines,
    /// The fields that are cloned.
    kept: Vec<Box<dyn KeptField<T>>>,
    /// The tags that have a bitmap.
    tags: u64,
    /// Of each group: a word for each of those tags, the lowest first.
    maps: Vec<u64>,
    /// The tags of values that are in no bitmap, of staged and buried ones: slot and tags, in
    /// order.
    apart: Vec<(u32, u64)>,
    /// Of each group: the tags that own it.
    owners: Vec<Option<u64>>,
    /// The tags of each cluster, while an image is made.
    sets: Vec<u64>,
    /// Of each group, if changes are tracked: when each of its parts was last changed.
    ticks: Vec<u64>,
    owned: PhantomData<T>,
}

// SAFETY: the image owns copies of fields of things, as bytes and as values. They may go where the
// things may go; a thing is `Send` only if its fields are, unless its author says otherwise and
// vouches for it.
unsafe impl<T: Snap + Send> Send for Image<T> {}
// SAFETY: as above; a shared image gives out shared looks at fields.
unsafe impl<T: Snap + Sync> Sync for Image<T> {}

impl<T: Snap> Image<T> {
    /// The strips that are copied, a bit for each.
    const BYTES: u128 = byte_strips::<T>();
    /// The fields that are cloned, a bit for each.
    const CLONED: u64 = cloned_fields::<T>();
    /// Whether stamps are copied with the first strip.
    const STAMPS_IN_STRIP: bool = Self::BYTES & 1 == 1;
    const STRIPS: usize = <T::Storage as Strips<T>>::STRIPS;

    /// Nothing, with buffers to be filled.
    pub(crate) fn new() -> Self {
        Self {
            runs: Vec::new(),
            numbers: Vec::new(),
            run_of: Vec::new(),
            live: Vec::new(),
            others: Vec::new(),
            stamps: Vec::new(),
            old: Vec::new(),
            bytes: Lines::default(),
            kept: keep::<T>(Self::CLONED),
            tags: 0,
            maps: Vec::new(),
            apart: Vec::new(),
            owners: Vec::new(),
            sets: Vec::new(),
            ticks: Vec::new(),
            owned: PhantomData,
        }
    }

    /// How many parts of a group are looked at by themselves when images are compared: its strips,
    /// and the fields without one.
    const PARTS: usize = Self::STRIPS + Self::lacking(T::FIELDS.len());

    /// The fields that belong to each part.
    const FIELDS_OF: [u64; MOST_PARTS] = {
        let (mut fields_of, mut field) = ([0; MOST_PARTS], 0);
        while field < T::FIELDS.len() {
            fields_of[Self::part_of(field)] |= 1 << field;
            field += 1;
        }
        fields_of
    };

    /// How many of the fields before a field have no strip.
    const fn lacking(field: usize) -> usize {
        let (strip_of, mut lacking, mut at) = (<T::Storage as Strips<T>>::STRIP_OF, 0, 0);
        while at < field {
            lacking += (strip_of[at] == u8::MAX) as usize;
            at += 1;
        }
        lacking
    }

    /// The part that a field belongs to.
    const fn part_of(field: usize) -> usize {
        match <T::Storage as Strips<T>>::STRIP_OF[field] {
            u8::MAX => Self::STRIPS + Self::lacking(field),
            strip => strip as usize,
        }
    }

    /// The parts that the fields that are cloned belong to, in their order.
    fn kept_parts() -> impl Iterator<Item = usize> {
        ones(Self::CLONED).map(|field| Self::part_of(field as usize))
    }

    fn stride(strip: usize) -> usize {
        <T::Storage as Strips<T>>::STRIDES[strip]
    }

    /// Whether a part is a strip that is copied.
    fn is_bytes(part: usize) -> bool {
        Self::BYTES >> part & 1 == 1
    }

    /// The strips that are copied.
    fn byte_strips() -> impl Iterator<Item = usize> {
        (0..Self::STRIPS).filter(|strip| Self::is_bytes(*strip))
    }

    /// Where the bytes of a group are, in a strip that is copied.
    fn group_bytes(&self, at: usize, strip: usize) -> Range<usize> {
        Self::group_in(self.runs[self.run_of[at] as usize], at, strip)
    }

    /// Where the element of a row is, in a strip that is copied.
    fn row_start(&self, row: usize, strip: usize) -> usize {
        let group = self.group_bytes(row / GROUP as usize, strip);
        group.start + row % GROUP as usize * Self::stride(strip)
    }

    fn others(&self, at: usize) -> Others {
        self.others.get(at).copied().unwrap_or_else(|| Others::none(self.numbers[at]))
    }

    /// The states of a group: taken, live, claimed, buried.
    fn words(&self, at: usize) -> [u64; 4] {
        let (live, Others { out_of_use, claimed, buried, .. }) = (self.live[at], self.others(at));
        [live | out_of_use | claimed | buried, live, claimed, buried]
    }

    /// The slots of a group that hold a value.
    fn held(&self, at: usize) -> u64 {
        let Others { buried, staged, .. } = self.others(at);
        self.live[at] | buried | staged
    }

    /// Whether all slots of a group hold a value, slot 0 the nil thing, and none is claimed: all of
    /// its memory was written, and nobody else can be writing to it.
    fn is_full(&self, at: usize) -> bool {
        let nil = u64::from(self.numbers[at] == 0);
        self.live[at] | self.others(at).buried | nil == u64::MAX
    }

    /// How many groups in a row, from `at` up to `end`, are full.
    fn full(&self, at: usize, end: usize) -> usize {
        let mut full = at;
        loop {
            full += all_ones(&self.live[full..end]);
            match full < end && self.is_full(full) {
                true => full += 1,
                false => return full - at,
            }
        }
    }

    /// Clears what was copied of slots of a group that hold no value, all but their stamps.
    fn clear_unheld(&mut self, at: usize) {
        for strip in Self::byte_strips() {
            let (stride, bytes) = (Self::stride(strip), self.group_bytes(at, strip));
            let (stamp, held) = (if strip == 0 { STAMP } else { 0 }, self.held(at));
            let bytes = &mut self.bytes[bytes];
            for start in ones(!held).map(|bit| bit as usize * stride) {
                bytes[start + stamp..start + stride].fill(ZERO);
            }
        }
    }

    /// The slots of a group, by its number, of which the image has values.
    pub(crate) fn held_in(&self, number: u32) -> u64 {
        self.place_of(number).map_or(0, |at| self.held(at))
    }

    /// The stamp of a slot; `None` where there is nothing to know.
    pub(crate) fn stamp_of(&self, index: u32) -> Option<u32> {
        Some(self.stamp(self.place_of(index / GROUP)? * GROUP as usize + (index % GROUP) as usize))
    }

    /// Where the group with this number is in the image.
    fn place_of(&self, number: u32) -> Option<usize> {
        // Mostly the groups from 0 on, and none of the many that have memory and no things yet.
        match self.numbers.get(number as usize) {
            Some(&at) if at == number => Some(number as usize),
            _ if self.numbers.last().is_none_or(|&last| last < number) => None,
            _ => self.numbers.binary_search(&number).ok(),
        }
    }

    /// The stamp of a slot: a row of the image.
    fn stamp(&self, row: usize) -> u32 {
        if !Self::STAMPS_IN_STRIP {
            return self.stamps[row];
        }
        let start = self.row_start(row, 0);
        let bytes = &self.bytes[start..start + STAMP];
        // SAFETY: in bounds, as the slice shows. Initialised: every row has a stamp (I1), at its
        // start.
        unsafe { bytes.as_ptr().cast::<u32>().read_unaligned() }
    }

    /// The tags of the value in a slot that holds one.
    fn tags_of(&self, at: usize, bit: u32) -> u64 {
        let index = self.numbers[at] * GROUP + bit;
        if self.live[at] >> bit & 1 == 0 {
            return self
                .apart
                .binary_search_by_key(&index, |entry| entry.0)
                .map_or(0, |found| self.apart[found].1);
        }
        let count = self.tags.count_ones() as usize;
        let maps = &self.maps[at * count..(at + 1) * count];
        ones(self.tags)
            .zip(maps)
            .filter(|(_, map)| **map >> bit & 1 == 1)
            .fold(0, |set, (tag, _)| set | 1 << tag)
    }

    /// The tags that own a group: those noted, or else those of its first live thing.
    fn owner(&self, at: usize) -> Option<u64> {
        let live = if self.numbers[at] < COMMON { 0 } else { self.live[at] };
        self.owners[at].or_else(|| (live != 0).then(|| self.tags_of(at, live.trailing_zeros())))
    }

    /// Of which slots the image has a value, in order: the place in the image and the slot.
    fn rows(&self) -> impl Iterator<Item = (usize, u32)> {
        self.numbers.iter().enumerate().flat_map(|(at, &number)| {
            ones(self.held(at))
                .map(move |bit| (at * GROUP as usize + bit as usize, number * GROUP + bit))
        })
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        (0..self.numbers.len()).map(|at| self.held(at).count_ones() as usize).sum()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        (0..self.numbers.len()).all(|at| self.held(at) == 0)
    }

    /// How many bytes the copied memory takes; what cloned values have on the heap is not counted.
    pub fn bytes(&self) -> usize {
        let kept: usize = self.kept.iter().map(|kept| kept.bytes()).sum();
        let states = self.numbers.len() * 12
            + self.run_of.len() * 4
            + size_of_val(&*self.others)
            + self.stamps.len() * 4;
        self.bytes.len() + kept + states + self.maps.len() * 8
    }

    /// The handles of the values that are reachable, in slot order; `None` for the buried.
    pub fn handles(&self) -> impl Iterator<Item = Option<Handle<T>>> {
        self.rows().map(|(row, index)| {
            Some(self.stamp(row))
                .filter(|&stamp| is_live(stamp))
                .map(|stamp| Handle::from_parts(index, stamp))
        })
    }

    /// Shows the value of a field in every slot that holds one, in slot order; `None` is the
    /// default of a cold field.
    pub fn each_value<F: Field<Thing = T, Value: Clone>>(
        &self,
        mut f: impl FnMut(Option<&F::Value>),
    ) {
        if let Some(kept) = self.kept_field::<F>() {
            for at in 0..self.numbers.len() {
                ones(self.held(at)).for_each(|bit| f(kept.get(at, bit)));
            }
            return;
        }
        for (row, _) in self.rows() {
            // SAFETY: the row holds a value (by `rows`), in bytes (by the answer above).
            let value = unsafe { self.copied::<F>(row) };
            f(Some(&value));
        }
    }

    /// Shows the values of a plain field as bytes, all of them in slot order, in one or several
    /// pieces. Answers `false`, and does nothing, if its values are kept in another form.
    #[cfg(feature = "bytemuck")]
    pub fn each_bytes<F: Field<Thing = T, Value: bytemuck::NoUninit>>(
        &self,
        mut f: impl FnMut(&[u8]),
    ) -> bool {
        if Self::CLONED >> F::INDEX & 1 == 1 {
            return false;
        }
        let strip = <T::Storage as Strips<T>>::STRIP_OF[F::INDEX] as usize;
        let (stride, size) = (Self::stride(strip), size_of::<F::Value>());
        let mut show = |start: usize, count: usize| {
            let bytes = &self.bytes[start..start + (count - 1) * stride + size];
            // SAFETY: initialised: callers below show rows that hold values (I1), several of them
            // only if nothing is between them, and the values have no bytes without a value
            // (`NoUninit`).
            f(unsafe { &*(&raw const *bytes as *const [u8]) });
        };
        for at in 0..self.numbers.len() {
            let (held, first) = (self.held(at), self.group_bytes(at, strip).start);
            let start = |bit: u32| {
                first + <T::Storage as Strips<T>>::WITHIN[F::INDEX] + bit as usize * stride
            };
            if stride != size {
                ones(held).for_each(|bit| show(start(bit), 1));
                continue;
            }
            for (bit, count) in runs_of(held) {
                show(start(bit), count as usize);
            }
        }
        true
    }

    /// The value of a field out of the bytes of a row.
    ///
    /// # Safety
    ///
    /// The row holds a value (I1), and the field is not cloned.
    unsafe fn copied<F: Field<Thing = T>>(&self, row: usize) -> F::Value {
        let strip = <T::Storage as Strips<T>>::STRIP_OF[F::INDEX] as usize;
        let start = self.row_start(row, strip) + <T::Storage as Strips<T>>::WITHIN[F::INDEX];
        let bytes = &self.bytes[start..start + size_of::<F::Value>()];
        // SAFETY: in bounds, as the slice shows; a value of the field (by the caller, I1), which
        // may be copied: strips are copied as bytes only if the types of all their fields are
        // `Copy`.
        unsafe { bytes.as_ptr().cast::<F::Value>().read_unaligned() }
    }

    /// The values of a field that is cloned.
    fn kept_field<F: Field<Thing = T, Value: Clone>>(&self) -> Option<&Kept<F>> {
        self.kept.iter().find_map(|kept| kept.as_any().downcast_ref())
    }

    /// The same, to be changed.
    fn kept_field_mut<F: Field<Thing = T, Value: Clone>>(&mut self) -> Option<&mut Kept<F>> {
        self.kept.iter_mut().find_map(|kept| kept.as_any_mut().downcast_mut())
    }

    /// Room for rows in every buffer: as many as there are groups.
    fn make_rows(&mut self) {
        self.bytes.resize(Self::bytes_of(&self.runs));
        self.note_runs();
        let rows = self.numbers.len() * GROUP as usize;
        if !Self::STAMPS_IN_STRIP {
            self.stamps.resize(rows, 0);
        }
        for kept in &mut self.kept {
            kept.resize(self.numbers.len());
        }
    }

    /// Notes which run each group is in.
    fn note_runs(&mut self) {
        self.run_of.clear();
        for (n, run) in self.runs.iter().enumerate() {
            self.run_of.resize(run.places().end, n as u32);
        }
    }

    /// Sets the stamp of a row.
    fn put_stamp(&mut self, row: usize, stamp: u32) {
        if !Self::STAMPS_IN_STRIP {
            self.stamps[row] = stamp;
            return;
        }
        let start = self.row_start(row, 0);
        write_stamp(&mut self.bytes[start..], stamp);
    }
}

impl<T: Snap> Clone for Image<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        copy.clone_from(self);
        copy
    }

    /// Reuses what there is.
    fn clone_from(&mut self, from: &Self) {
        let unfinished = Unfinished(self);
        let this = &mut *unfinished.0;
        this.runs.clone_from(&from.runs);
        this.numbers.clone_from(&from.numbers);
        this.run_of.clone_from(&from.run_of);
        this.live.clone_from(&from.live);
        this.others.clone_from(&from.others);
        this.stamps.clone_from(&from.stamps);
        this.old.clone_from(&from.old);
        this.tags = from.tags;
        this.maps.clone_from(&from.maps);
        this.apart.clone_from(&from.apart);
        this.owners.clone_from(&from.owners);
        this.ticks.clone_from(&from.ticks);
        this.bytes.copy(&from.bytes);
        for (to, from) in this.kept.iter_mut().zip(&from.kept) {
            to.copy(&**from);
        }
        unfinished.done();
    }
}

/// Writes a stamp to the start of an element of the first strip.
fn write_stamp(element: &mut [MaybeUninit<u8>], stamp: u32) {
    for (to, from) in element[..STAMP].iter_mut().zip(stamp.to_ne_bytes()) {
        to.write(from);
    }
}

/// The runs of ones in a word: where each begins and how long it is.
fn runs_of(mut word: u64) -> impl Iterator<Item = (u32, u32)> {
    core::iter::from_fn(move || {
        let first = (word != 0).then(|| word.trailing_zeros())?;
        let len = (!(word >> first)).trailing_zeros().min(64 - first);
        word &= !(u64::MAX >> (64 - len) << first);
        Some((first, len))
    })
}

/// How many words at the start are all ones.
fn all_ones(words: &[u64]) -> usize {
    // Several with one comparison.
    let eights = words
        .chunks_exact(8)
        .take_while(|eight| eight.iter().fold(u64::MAX, |all, word| all & word) == u64::MAX);
    let done = eights.count() * 8;
    done + words[done..].iter().take_while(|word| **word == u64::MAX).count()
}
