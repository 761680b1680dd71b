//! Tags: the bits that views filter on, as a bitmap per bit.
//!
//! The tags of every thing are kept twice: as a value beside the thing, and as one bitmap per tag
//! that is in use. Setting a tag flips two bits; finding the things that have some tags and lack
//! others is an AND of words.
//!
//! # Invariants
//!
//! - **T1** A bit of a tag's bitmap is set exactly if the slot is live and its thing has the tag.
//!   That rests on what the tags' type says its bits are, which is user code: no memory is touched
//!   on the word of a bitmap alone, only for slots that are live besides. How many ones a bitmap
//!   has is counted where they are set and cleared.

use bitflags::{Flag, Flags};

#[cfg(feature = "alloc")]
pub(crate) use index::{Filter, TagIndex};

/// The integers that hold tags: up to 64 bits.
///
/// Sealed: the unsigned integers up to `u64`.
#[diagnostic::on_unimplemented(
    message = "tags in a `{Self}` are not supported",
    label = "a thing has at most 64 tags, in a `u8`, `u16`, `u32` or `u64`"
)]
pub trait TagBits: Copy + sealed::Wide {}

#[diagnostic::do_not_recommend]
impl<B: sealed::Wide> TagBits for B {}

mod sealed {
    use core::panic::{RefUnwindSafe, UnwindSafe};

    /// What there can be one of for each bit.
    pub trait PerBit: Default + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static {}
    impl<X: Default + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static> PerBit for X {}

    /// Conversion to and from 64 bits.
    pub trait Wide: Copy {
        /// An array with one for each bit.
        type Each<X: PerBit>: AsRef<[X]>
            + AsMut<[X]>
            + Send
            + Sync
            + Unpin
            + UnwindSafe
            + RefUnwindSafe
            + 'static;
        fn each<X: PerBit>() -> Self::Each<X>;

        fn widen(self) -> u64;
        /// Keeps the low bits.
        fn narrow(bits: u64) -> Self;
    }

    macro_rules! wide {
        ($($int:ty),*) => {$(
            impl Wide for $int {
                type Each<X: PerBit> = [X; <$int>::BITS as usize];

                fn each<X: PerBit>() -> Self::Each<X> {
                    core::array::from_fn(|_| X::default())
                }

                #[inline(always)]
                fn widen(self) -> u64 {
                    self as u64
                }
                #[inline(always)]
                fn narrow(bits: u64) -> Self {
                    bits as $int
                }
            }
        )*};
    }

    wide!(u8, u16, u32, u64);
}

/// What can be the tags of a thing: any type that the [`bitflags`](bitflags::bitflags) macro makes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the tags of a thing",
    label = "not made by `bitflags!`, not `Copy`, or of more than 64 bits",
    note = "declare it with `bitflags! {{ #[derive(Clone, Copy, Default)] pub struct Tags: u32 {{ … }} }}`"
)]
pub trait TagSet: Copy + Send + Sync + 'static {
    /// The integer that holds them.
    type Integer: TagBits;

    /// The tags as 64 bits.
    fn widen(self) -> u64;

    /// The tags that these bits mean.
    fn narrow(bits: u64) -> Self;
}

#[diagnostic::do_not_recommend]
impl<F: Flags<Bits: TagBits> + Copy + Send + Sync + 'static> TagSet for F {
    type Integer = F::Bits;

    #[inline(always)]
    fn widen(self) -> u64 {
        sealed::Wide::widen(self.bits())
    }

    #[inline(always)]
    fn narrow(bits: u64) -> Self {
        Self::from_bits_retain(sealed::Wide::narrow(bits))
    }
}

/// The tags of a thing that has none. Takes no memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoTags;

impl Flags for NoTags {
    const FLAGS: &'static [Flag<Self>] = &[];
    type Bits = u8;

    #[inline(always)]
    fn bits(&self) -> u8 {
        0
    }

    #[inline(always)]
    fn from_bits_retain(_: u8) -> Self {
        Self
    }
}

#[cfg(feature = "alloc")]
mod index {
    use alloc::vec::Vec;

    use super::{TagSet, sealed::Wide};
    use crate::error::OutOfMemory;
    use crate::flat::FlatBits;
    use crate::slots::{GROUP, Slots, ones};

    /// A bitmap for each tag that there can be; those that are not in use have no memory.
    ///
    /// They lie in the pool itself: where the tag is known, so is where its bitmap is.
    pub(crate) struct TagIndex<T: TagSet> {
        maps: <T::Integer as Wide>::Each<FlatBits>,
    }

    impl<T: TagSet> Default for TagIndex<T> {
        fn default() -> Self {
            Self { maps: T::Integer::each() }
        }
    }

    impl<T: TagSet> TagIndex<T> {
        /// The bitmaps of all tags.
        #[inline(always)]
        pub(crate) fn maps(&self) -> &[FlatBits] {
            self.maps.as_ref()
        }

        /// The bitmap of a tag.
        #[inline(always)]
        fn map(&mut self, bit: u32) -> Option<&mut FlatBits> {
            self.maps.as_mut().get_mut(bit as usize)
        }

        /// How many things have a tag.
        pub(crate) fn count(&self, bit: u32) -> u32 {
            self.maps().get(bit as usize).map_or(0, FlatBits::count)
        }

        /// Whether there is room to note these tags for slot `index`.
        #[inline]
        pub(crate) fn has_room(&self, index: u32, tags: u64) -> bool {
            ones(tags)
                .all(|bit| self.maps().get(bit as usize).is_some_and(|map| map.has_room(index)))
        }

        /// Makes room to note these tags, and those that are in use already, for slots up to
        /// `last`: so that nothing is to be made when a tag comes to a slot for the first time.
        #[cold]
        pub(crate) fn grow(&mut self, last: u32, tags: u64) -> Result<(), OutOfMemory> {
            for (bit, map) in self.maps.as_mut().iter_mut().enumerate() {
                if tags >> bit & 1 == 1 || map.has_room(0) {
                    map.grow(last)?;
                }
            }
            Ok(())
        }

        /// Notes that the thing in a live slot has these tags, whether or not it had them. Answers
        /// whether there was room to note all of them.
        #[inline(always)]
        pub(crate) fn insert(&mut self, index: u32, tags: u64) -> bool {
            ones(tags).all(|bit| self.map(bit).is_some_and(|map| map.insert(index).is_some()))
        }

        /// Notes that the thing in a live slot does not have these tags, whether or not it had
        /// them.
        #[inline(always)]
        pub(crate) fn remove(&mut self, index: u32, tags: u64) {
            for bit in ones(tags) {
                if let Some(map) = self.map(bit) {
                    map.remove(index);
                }
            }
        }

        /// Copies the words of every bitmap up to a group; reuses what there is.
        pub(crate) fn read(&self, into: &mut Vec<Vec<u64>>, end: u32) {
            into.resize_with(self.maps().len(), Vec::new);
            for (to, map) in into.iter_mut().zip(self.maps()) {
                to.clear();
                to.extend(map.words(0).iter().take(end as usize));
            }
        }

        /// The tags that have a bitmap.
        pub(crate) fn in_use(&self) -> u64 {
            let used = self.maps().iter().enumerate().filter(|(_, map)| map.has_room(0));
            used.fold(0, |set, (bit, _)| set | 1 << bit)
        }

        /// Makes the bitmap of every tag what `word` says of it, group by group, where there is
        /// memory.
        pub(crate) fn assign(&mut self, word: impl Fn(usize, u32) -> u64) {
            for (bit, map) in self.maps.as_mut().iter_mut().enumerate() {
                map.assign(|group| word(bit, group));
            }
        }

        /// Whether every count is that of the ones in its bitmap.
        pub(crate) fn counts_right(&self) -> bool {
            self.maps().iter().all(|map| {
                map.words(0).iter().map(|word| word.count_ones()).sum::<u32>() == map.count()
            })
        }

        /// Whether the bitmaps say exactly `tags` of a slot.
        pub(crate) fn agrees(&self, index: u32, tags: u64) -> bool {
            (0..64).all(|bit| {
                let has = self.maps().get(bit).is_some_and(|map| map.contains(index));
                has == (tags >> bit & 1 == 1)
            })
        }
    }

    /// Some groups in a row, seen through a filter.
    #[derive(Clone, Copy)]
    pub(crate) struct Groups<'a> {
        filter: Filter<'a>,
        first: u32,
        live: &'a [u64],
        lead: Option<&'a [u64]>,
        /// The words tell all there is to know.
        only: bool,
    }

    impl Groups<'_> {
        /// The matching slots of the `n`th of these groups.
        #[inline(always)]
        pub(crate) fn word(&self, n: u32) -> u64 {
            let mut word = self.live.get(n as usize).copied().unwrap_or(0);
            if let Some(lead) = self.lead {
                word &= lead.get(n as usize).copied().unwrap_or(0);
            }
            if self.only { word } else { self.filter.narrow(self.first + n, word) }
        }

        /// The first of these groups from number `n` on, up to `end`, in which not every slot
        /// matches.
        #[inline(always)]
        pub(crate) fn full_until(&self, n: u32, end: u32) -> u32 {
            if self.only && self.lead.is_none() {
                return n + self.live_and_full(n, end);
            }
            // Tag by tag, many words at a time. Further and further, so that no more is looked at
            // than is found.
            let (mut n, mut step) = (n, 8);
            while n < end {
                let to = end.min(n + step);
                let full = self.full_within(n, to);
                if full < to {
                    return full;
                }
                (n, step) = (to, 2 * step);
            }
            n
        }

        /// The same, looking at every tag up to where the one before was no longer full.
        #[inline(always)]
        fn full_within(&self, n: u32, to: u32) -> u32 {
            let Filter { maps, with, without, .. } = self.filter;
            let words = |bit: u32| maps[bit as usize].words(self.first + n);
            let mut len = (to - n) as usize;
            if let Some(lead) = self.lead {
                len = leading(lead.get(n as usize..).unwrap_or(&[]), len, u64::MAX);
            }
            for bit in ones(with) {
                len = leading(words(bit), len, u64::MAX);
            }
            for bit in ones(without) {
                let words = words(bit);
                // Beyond the end are zeros.
                let same = leading(words, len.min(words.len()), 0);
                len = if same < words.len() { same.min(len) } else { len };
            }
            n + self.live_and_full(n, n + len as u32)
        }

        /// How many of these groups from number `n` on, up to `end`, are full.
        #[inline(always)]
        fn live_and_full(&self, n: u32, end: u32) -> u32 {
            let live = self.live.get(n as usize..).unwrap_or(&[]);
            leading(live, (end - n) as usize, u64::MAX) as u32
        }
    }

    /// How many of the first `len` words are `all`.
    #[inline(always)]
    fn leading(words: &[u64], len: usize, all: u64) -> usize {
        let words = &words[..len.min(words.len())];
        let mut lines = words.chunks_exact(8);
        // Eight words with one comparison.
        let same = 8 * lines
            .by_ref()
            .take_while(|line| line.iter().fold(0, |differ, word| differ | (word ^ all)) == 0)
            .count();
        same + words[same..].iter().take_while(|&&word| word == all).count()
    }

    /// The live slots that have some tags and lack others, group by group.
    #[derive(Clone, Copy)]
    pub(crate) struct Filter<'a> {
        slots: &'a Slots,
        maps: &'a [FlatBits],
        /// The rarest of the tags that are wanted leads; the others are asked about its groups.
        lead: Option<&'a FlatBits>,
        with: u64,
        without: u64,
        /// A tag that is wanted has never been used: nothing matches.
        nothing: bool,
    }

    impl<'a> Filter<'a> {
        #[inline(always)]
        pub(crate) fn new(slots: &'a Slots, maps: &'a [FlatBits], with: u64, without: u64) -> Self {
            match with | without {
                0 => Self { slots, maps, lead: None, with, without, nothing: false },
                _ => Self::by_tags(slots, maps, with, without),
            }
        }

        fn by_tags(slots: &'a Slots, maps: &'a [FlatBits], with: u64, without: u64) -> Self {
            let count = |bit: u32| maps.get(bit as usize).map_or(0, FlatBits::count);
            let rarest = ones(with).min_by_key(|&bit| count(bit));
            let nothing = rarest.is_some_and(|bit| count(bit) == 0);
            let lead = rarest.and_then(|bit| maps.get(bit as usize));
            let with = with & !rarest.map_or(0, |bit| 1 << bit);
            // Tags that nobody has need not be looked at.
            let without =
                ones(without).filter(|&bit| count(bit) > 0).fold(0, |set, bit| set | 1 << bit);
            Self { slots, maps, lead, with, without, nothing }
        }

        /// The same filter, which was made for `with` and `without`. Where these are constants,
        /// what they do not ask for is known to the compiler from here on, and a loop that asks for
        /// nothing has no code for tags.
        #[inline(always)]
        pub(crate) fn known(self, with: u64, without: u64) -> Self {
            Self {
                lead: self.lead.filter(|_| with != 0),
                with: if with.count_ones() > 1 { self.with } else { 0 },
                without: if without == 0 { 0 } else { self.without },
                nothing: with != 0 && self.nothing,
                ..self
            }
        }

        /// The first group at `number` or later that may have something.
        #[inline(always)]
        pub(crate) fn next(&self, number: u32) -> Option<u32> {
            match self.lead {
                _ if self.nothing => None,
                Some(lead) => lead.next_word(number),
                None => self.slots.next_live(number).map(|(number, _)| number),
            }
        }

        /// The groups from `number` on, as far as their words lie in a row: at least to the end of
        /// a run of slots.
        #[inline]
        pub(crate) fn groups(&self, number: u32) -> Groups<'a> {
            Groups {
                filter: *self,
                first: number,
                live: self.slots.live_words(number),
                lead: self.lead.map(|lead| lead.words(number)),
                only: self.with | self.without == 0,
            }
        }

        /// The matching slots of a group.
        #[inline(always)]
        pub(crate) fn word(&self, number: u32) -> u64 {
            let lead = self.lead.map_or(u64::MAX, |lead| lead.word(number));
            self.narrow(number, lead & self.slots.live_word(number))
        }

        /// Whether a slot matches.
        #[inline(always)]
        pub(crate) fn sees(&self, index: u32) -> bool {
            !self.nothing && self.word(index / GROUP) >> (index % GROUP) & 1 == 1
        }

        /// Those of the slots of a group that have the other tags, and lack those that they must
        /// lack.
        #[inline(always)]
        fn narrow(&self, number: u32, mut word: u64) -> u64 {
            for bit in ones(self.with) {
                word &= self.maps[bit as usize].word(number);
            }
            for bit in ones(self.without) {
                word &= !self.maps[bit as usize].word(number);
            }
            word
        }

        /// How many slots match.
        pub(crate) fn count(&self) -> usize {
            if let (least, most) = self.bounds()
                && least == most
            {
                return least;
            }
            let mut count = 0;
            let mut from = 0;
            while let Some(number) = self.next(from) {
                count += self.word(number).count_ones() as usize;
                from = number + 1;
            }
            count
        }

        /// At least and at most so many slots match: as far as that can be said without looking.
        #[inline]
        pub(crate) fn bounds(&self) -> (usize, usize) {
            let most = match self.lead {
                _ if self.nothing => 0,
                Some(lead) => lead.count(),
                None => self.slots.live(),
            } as usize;
            (if self.with | self.without == 0 { most } else { 0 }, most)
        }
    }
}
