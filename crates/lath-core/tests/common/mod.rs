//! What several test files share: things that are counted, the oracle, and the player that compares
//! the two.
//!
//! Nothing here knows where a pool keeps its values. A layout joins by declaring a thing and
//! implementing [`Subject`] for it: `tests/model.rs` does so for rows.

#![allow(dead_code, reason = "each test file uses a part of this")]

mod calls;
pub(crate) mod counted;
pub(crate) mod dice;
pub(crate) mod oracle;
pub(crate) mod owners;
pub(crate) mod play;

use lath_core::{CloneStorage, Thing, ThingMut, ThingRef};

/// A thing that the model can make, recognise and change, whatever its layout. Of tags it uses the
/// lowest two.
pub(crate) trait Subject: Thing<Storage: CloneStorage<Self>> {
    /// Whether its values are counted as they come and go: not if there is nothing to drop.
    const COUNTED: bool = true;

    /// A thing that carries `value`, above 0; the nil thing carries 0. Things without kinds or tags
    /// ignore those.
    fn new(value: u64, kind: u32, tags: u64) -> Self;

    /// What the thing carries.
    fn value(&self) -> u64;

    /// What the thing behind a shared look carries.
    fn seen(thing: ThingRef<'_, Self>) -> u64;

    /// What the thing behind exclusive access carries.
    fn held(thing: &ThingMut<'_, Self>) -> u64;

    /// Makes the thing carry `value`.
    fn set(thing: &mut ThingMut<'_, Self>, value: u64);
}
