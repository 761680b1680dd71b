//! What a candidate can do: a few small traits, each implemented by those who take part in the workloads that need it.

/// Keeps things of type `T` and names each by a key.
pub(crate) trait Store<T>: 'static {
    /// Names a thing for as long as it lives.
    type Key: Copy + 'static;

    /// An empty container that has allocated as little as the candidate can.
    fn new() -> Self;

    /// Puts one thing in.
    fn spawn(&mut self, thing: T) -> Self::Key;

    /// Takes one thing out and forgets it.
    fn despawn(&mut self, key: Self::Key);
}

/// Puts many things in at once, by whatever call the candidate has for that.
pub(crate) trait SpawnMany<T>: Store<T> {
    /// Puts all of `things` in and adds their keys to `keys`, which has the room.
    fn spawn_many(&mut self, things: impl ExactSizeIterator<Item = T>, keys: &mut Vec<Self::Key>);
}

/// Finds a thing by its key.
pub(crate) trait Lookup<T>: Store<T> {
    /// The field of the thing that `key` names, or 0.0 if it is gone.
    fn field(&self, key: Self::Key) -> f32;
}

/// Goes over all things, in any order.
pub(crate) trait Walk<T>: Store<T> {
    /// Shows every thing to `see`.
    fn walk(&self, see: impl FnMut(&T));

    /// Lets `change` have every thing.
    fn walk_mut(&mut self, change: impl FnMut(&mut T));
}
