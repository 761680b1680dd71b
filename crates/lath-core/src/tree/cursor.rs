//! A place in a tree that is kept between edits.

use super::links::Row;
use super::{Tree, walk};
use crate::handle::Handle;
use crate::thing::Thing;

/// Walks what is below a thing, parents first, and lets go of the tree between steps: anything may
/// be attached, moved or despawned meanwhile.
///
/// Every step looks anew where the last thing is. If that has gone, the walk goes on with what came
/// after its subtree; if that has gone too, or is no longer below the root, the walk is over.
///
/// # Examples
///
/// ```
/// use lath_core::{Cursor, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part { rotten: bool }
/// let mut ship = Pool::new();
/// let hull = ship.spawn(Part::default());
/// for rotten in [false, true, false] { ship.spawn_child(hull, Part { rotten }).unwrap(); }
///
/// let mut cursor = Cursor::below(hull);
/// while let Some(part) = cursor.next(ship.tree()) {
///     if ship[part].rotten { ship.despawn(part); } // in the middle of the walk
/// }
/// assert_eq!(ship.tree().child_count(hull), 2);
/// ```
pub struct Cursor<T: Thing> {
    root: Handle<T>,
    at: Handle<T>,
    /// What comes after all that is below `at`.
    after: Handle<T>,
}

// By hand: a derive would ask for `T: Clone`.
impl<T: Thing> Clone for Cursor<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for Cursor<T> {}

impl<T: Thing> Cursor<T> {
    /// Starts above the first child of `root`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Cursor, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part {});
    /// let mut cursor = Cursor::below(hull);
    /// assert_eq!(cursor.next(ship.tree()), None);
    /// let mast = ship.spawn_child(hull, Part {}).unwrap();
    /// assert_eq!(cursor.next(ship.tree()), Some(mast)); // it came after the cursor
    /// ```
    pub fn below(root: Handle<T>) -> Self {
        Self { root, at: root, after: Handle::NIL }
    }

    /// The thing that was reached last; the root before the first step.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Cursor, Handle, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// assert_eq!(Cursor::<Part>::below(Handle::NIL).at(), Handle::NIL);
    /// ```
    pub fn at(&self) -> Handle<T> {
        self.at
    }

    /// Goes on to the next thing. `None` at the end; asking again goes on from the last thing,
    /// should there be more by then.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Cursor, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part {});
    /// let [mast, oar] = [(); 2].map(|()| ship.spawn_child(hull, Part {}).unwrap());
    /// let mut cursor = Cursor::below(hull);
    /// assert_eq!(cursor.next(ship.tree()), Some(mast));
    /// ship.despawn(mast);
    /// assert_eq!(cursor.next(ship.tree()), Some(oar)); // what came after it
    /// assert_eq!(cursor.next(ship.tree()), None);
    /// ```
    pub fn next(&mut self, tree: Tree<'_, T>) -> Option<Handle<T>> {
        self.go_on(tree, walk::after)
    }

    /// Goes on past all that is below the last thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Cursor, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag, oar] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// let mut cursor = Cursor::below(hull);
    /// assert_eq!(cursor.next(ship.tree()), Some(mast));
    /// assert_eq!(cursor.skip(ship.tree()), Some(oar)); // not the flag
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn skip(&mut self, tree: Tree<'_, T>) -> Option<Handle<T>> {
        self.go_on(tree, walk::beyond)
    }

    /// Goes on to what `next` says comes after the last thing: rows, root, and slot.
    fn go_on(
        &mut self,
        tree: Tree<'_, T>,
        next: impl Fn(&[Row], u32, u32) -> Option<u32>,
    ) -> Option<Handle<T>> {
        let (rows, root) = (tree.rows, self.root.index());
        let next = if tree.row(self.at).is_none() {
            tree.is_ancestor(self.root, self.after).then(|| self.after.index())
        } else if self.at == self.root {
            walk::after(rows, root, root)
        } else {
            // Whoever was moved elsewhere has no place here: the way up from there would miss the
            // root.
            let inside = tree.is_ancestor(self.root, self.at);
            inside.then(|| next(rows, root, self.at.index())).flatten()
        };
        self.at = tree.name(next?)?;
        let after = walk::beyond(rows, root, self.at.index());
        self.after = after.and_then(|after| tree.name(after)).unwrap_or_default();
        Some(self.at)
    }
}
