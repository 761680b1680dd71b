//! What has changed since: for snapshots, replication, and everyone who does not want to look at
//! everything.

use super::Pool;
use crate::field::Field;
use crate::field::Fields;
use crate::handle::Handle;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// Marks changes from now on, field by field, for every group of 64 slots. Off until this is
    /// called, since it costs a store here and there.
    ///
    /// # Examples
    ///
    /// See [`changed_since`](Pool::changed_since).
    pub fn track_changes(&mut self) {
        self.cells.track_changes();
    }

    /// The present tick: what changes now is marked with it. 0 while changes are not tracked.
    ///
    /// # Examples
    ///
    /// See [`changed_since`](Pool::changed_since).
    pub fn tick(&self) -> u64 {
        self.cells.tick()
    }

    /// Starts the next tick; answers which. Does nothing while changes are not tracked.
    ///
    /// # Examples
    ///
    /// See [`changed_since`](Pool::changed_since).
    pub fn next_tick(&mut self) -> u64 {
        self.cells.next_tick()
    }
}

impl<T: Fields> Pool<T> {
    /// The live things whose field may have changed after tick `tick`, in slot order. It looks only
    /// at the groups of 64 slots that were written to: through a view that writes the field, or
    /// through anything that gives a whole thing to be changed. All things of such a group are
    /// listed, so some may be as they were. While changes are not tracked, all things are listed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::{Mut, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, hp: f32 }
    /// let mut actors: Pool<Actor> = (0..1000).map(|_| Actor::default()).collect();
    /// actors.track_changes();
    /// let seen = actors.tick();
    /// actors.next_tick();
    ///
    /// let hurt = actors.handles().nth(500).unwrap();
    /// *actors.view_mut::<Mut<actor::hp>>().get_mut(hurt).unwrap() -= 1.0;
    /// assert!(actors.changed_since::<actor::hp>(seen).any(|who| who == hurt));
    /// assert!(actors.changed_since::<actor::hp>(seen).count() <= 64); // its group, not the thousand
    /// assert_eq!(actors.changed_since::<actor::pos>(seen).count(), 0); // another field
    /// ```
    pub fn changed_since<F: Field<Thing = T>>(&self, tick: u64) -> impl Iterator<Item = Handle<T>> {
        self.cells.changed_since(F::INDEX, tick)
    }
}
