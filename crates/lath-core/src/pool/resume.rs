//! Walking a pool bit by bit, with changes in between.

use super::Pool;
use crate::handle::Handle;
use crate::thing::Thing;

impl<T: Thing> Pool<T> {
    /// The live thing in `slot`, or else the first one after it. For a walk that is interrupted and
    /// goes on later: nothing is borrowed meanwhile, and the pool may change.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Crew {}
    /// let mut crew = Pool::new();
    /// let [a, b, c] = [(); 3].map(|()| crew.spawn(Crew {}));
    /// assert_eq!(crew.next_from(0), Some(a));
    /// crew.despawn(b);
    /// assert_eq!(crew.next_from(a.index() + 1), Some(c));
    /// assert_eq!(crew.next_from(c.index() + 1), None);
    /// ```
    pub fn next_from(&self, slot: u32) -> Option<Handle<T>> {
        let index = self.cells.next_live(slot)?;
        Some(Handle::from_parts(index, self.cells.stamp(index)?))
    }
}
