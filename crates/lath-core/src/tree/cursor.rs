//! A place in a tree that is kept between edits.

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
    /// See [`Cursor`].
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
    /// See [`Cursor`].
    pub fn next(&mut self, tree: Tree<'_, T>) -> Option<Handle<T>> {
        let root = self.root.index();
        let next = if tree.row(self.at).is_some() {
            // Whoever was moved elsewhere has no place here: the way up from there would miss the
            // root.
            let inside = self.at == self.root || tree.is_ancestor(self.root, self.at);
            inside.then(|| walk::after(tree.rows, root, self.at.index())).flatten()
        } else {
            tree.is_ancestor(self.root, self.after).then(|| self.after.index())
        };
        let next = tree.name(next?)?;
        self.at = next;
        self.after = walk::beyond(tree.rows, root, next.index())
            .and_then(|after| tree.name(after))
            .unwrap_or_default();
        Some(next)
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
        if tree.row(self.at).is_none()
            || self.at == self.root
            || !tree.is_ancestor(self.root, self.at)
        {
            return self.next(tree);
        }
        let next = tree.name(walk::beyond(tree.rows, self.root.index(), self.at.index())?)?;
        self.at = next;
        self.after = walk::beyond(tree.rows, self.root.index(), next.index())
            .and_then(|at| tree.name(at))
            .unwrap_or_default();
        Some(next)
    }
}
