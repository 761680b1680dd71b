//! What a candidate can do: a few small traits, each implemented by those who take part in the
//! workloads that need it.

use crate::things::{Mover, Vec3};

/// Keeps things of type `T` and names each by a key.
pub(crate) trait Store<T>: 'static {
    /// Names a thing for as long as it lives.
    type Key: Copy + 'static;

    /// An empty container that has allocated as little as the candidate can.
    fn new() -> Self;

    /// An empty container with memory for so many things; for candidates that look things up
    /// quicker then.
    fn with_room(_things: usize) -> Self
    where
        Self: Sized,
    {
        Self::new()
    }

    /// Puts one thing in.
    fn spawn(&mut self, thing: T) -> Self::Key;

    /// Takes one thing out and forgets it.
    fn despawn(&mut self, key: Self::Key);

    /// Takes many things out; for candidates that have a call for that.
    #[inline(always)]
    fn despawn_many(&mut self, keys: impl Iterator<Item = Self::Key>) {
        keys.for_each(|key| self.despawn(key));
    }
}

/// Puts many things in at once, by whatever call the candidate has for that.
pub(crate) trait SpawnMany<T>: Store<T> {
    /// Puts all of `things` in and adds their keys to `keys`, which has the room.
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Self::Key>);
}

/// Forgets all things at once; no key names anything after that.
pub(crate) trait Clear {
    /// Takes all things out, and keeps the memory.
    fn clear(&mut self);
}

/// Finds a thing by its key.
pub(crate) trait Lookup<T>: Store<T> {
    /// The field of the thing that `key` names, or 0.0 if it is gone.
    fn field(&self, key: Self::Key) -> f32;

    /// The bits of the fields of many things, added up; for candidates that want to be told
    /// beforehand that more than one will be asked for.
    ///
    /// The bits, not the floats: a chain of float additions would hide the cost of finding them.
    #[inline(always)]
    fn sum(&mut self, keys: &[Self::Key]) -> u32 {
        keys.iter().fold(0, |sum, &key| sum.wrapping_add(self.field(key).to_bits()))
    }
}

/// Goes over all things, in any order.
pub(crate) trait Walk<T>: Store<T> {
    /// Shows every thing to `see`.
    fn walk(&self, see: impl FnMut(&T));

    /// Lets `change` have every thing.
    fn walk_mut(&mut self, change: impl FnMut(&mut T));
}

/// Moves things: all of them, or those that match.
pub(crate) trait Movers: 'static {
    /// No things yet.
    fn new() -> Self;

    /// Puts a mover in. Who moves all of them need not remember which ones match: all do.
    fn spawn(&mut self, mover: Mover, matches: bool);

    /// Moves every thing that matches by its velocity.
    fn step(&mut self);

    /// Shows where every thing that matches is, in any order.
    fn positions(&mut self, see: impl FnMut(Vec3));
}

/// Keeps things of 26 kinds that have one number in common.
pub(crate) trait Kinds: 'static {
    /// No things yet.
    fn new() -> Self;

    /// Puts a thing of a kind in.
    fn spawn(&mut self, kind: usize, data: f32);

    /// Multiplies the number that all kinds have.
    fn scale(&mut self, by: f32);

    /// Shows the number of every thing, in any order.
    fn data(&mut self, see: impl FnMut(f32));
}

/// Gives things a tag and takes it away again.
pub(crate) trait Tagging: 'static {
    /// Names a thing.
    type Key: Copy + 'static;

    /// No things yet.
    fn new() -> Self;

    /// Puts a thing of one number in, without the tag.
    fn spawn(&mut self, data: f32) -> Self::Key;

    /// Gives the tag to each of these, one by one.
    fn tag(&mut self, keys: &[Self::Key]);

    /// Takes it away from each of these, one by one.
    fn untag(&mut self, keys: &[Self::Key]);

    /// How many things have the tag.
    fn tagged(&mut self) -> usize;
}
