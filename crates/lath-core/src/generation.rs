//! The odd/even counter of a slot, and what happens when it is spent.
//!
//! A slot counts its lives: the generation is **even while the slot is free and odd while it is
//! live**, goes up by one at every spawn and every despawn, and never goes down. A fresh slot is at
//! 0.
//!
//! What a slot stores is a *stamp*: the generation in the low bits and, for things that have kinds,
//! the kind above it. A handle carries the same stamp, so one compare of two `u32`s answers "is it
//! still that thing?".
//!
//! # Invariants
//!
//! - **G1** The stamp of a slot that holds a value which a handle can reach is odd; every other
//!   stamp is even.
//! - **G2** The generation of a slot only grows. When the last odd generation ends, the slot is
//!   *spent*: its stamp becomes [`SPENT`], and it is handed out no more until
//!   [`reclaim_retired`](crate::Pool::reclaim_retired).
//! - **G3** The stamp of slot 0, where the nil thing lives, is [`NIL_SLOT`]: even, and not the zero
//!   that [`Handle::NIL`](crate::Handle::NIL) carries.

/// The stamp of a slot whose generations are all used up. Fresh slots have it too: a slot that is
/// not free and has it is retired.
pub(crate) const SPENT: u32 = 0;

/// The stamp of slot 0.
#[cfg(feature = "alloc")]
pub(crate) const NIL_SLOT: u32 = 2;

/// How the bits of a stamp are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StampBits {
    /// Bits of the generation, the low ones: 1 to 32.
    pub(crate) generation: u32,
    /// Bits of the kind, above the generation.
    pub(crate) kind: u32,
}

impl StampBits {
    /// The largest generation: odd, the last life of a slot.
    #[inline]
    pub(crate) const fn last_generation(self) -> u32 {
        u32::MAX >> (32 - self.generation)
    }

    /// How many different kinds fit.
    #[inline]
    pub(crate) const fn kinds(self) -> u64 {
        1 << self.kind
    }

    /// The generation within a stamp.
    #[inline]
    pub(crate) const fn generation_of(self, stamp: u32) -> u32 {
        stamp & self.last_generation()
    }

    /// The kind within a stamp.
    #[inline]
    pub(crate) const fn kind_of(self, stamp: u32) -> u32 {
        if self.kind == 0 { 0 } else { stamp >> self.generation }
    }

    /// Puts a stamp together. The parts must fit.
    #[inline]
    pub(crate) const fn stamp(self, generation: u32, kind: u32) -> u32 {
        if self.kind == 0 { generation } else { generation | kind << self.generation }
    }

    /// The stamp after the death of a live one: the next even generation without a kind, or
    /// [`SPENT`].
    #[inline]
    pub(crate) const fn after_death(self, live: u32) -> u32 {
        let generation = self.generation_of(live);
        if generation == self.last_generation() { SPENT } else { generation + 1 }
    }
}

/// Whether a stamp says that a reachable value is there (G1).
#[inline]
pub(crate) const fn is_live(stamp: u32) -> bool {
    stamp & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_of_every_width_ends_in_spent() {
        for generation in 1..=32 {
            let bits = StampBits { generation, kind: 0 };
            assert!(is_live(bits.last_generation()));
            assert_eq!(bits.after_death(bits.last_generation()), SPENT);
        }
    }

    #[test]
    fn the_kind_does_not_touch_the_generation() {
        let bits = StampBits { generation: 28, kind: 4 };
        let stamp = bits.stamp(bits.last_generation(), 15);
        assert_eq!(stamp, u32::MAX);
        assert_eq!((bits.generation_of(stamp), bits.kind_of(stamp)), (bits.last_generation(), 15));
        assert_eq!(bits.after_death(bits.stamp(7, 3)), 8);
    }
}
