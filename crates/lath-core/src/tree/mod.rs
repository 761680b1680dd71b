//! The tree: parent, child and sibling links beside the things of a pool.
//!
//! Links are kept in rows of their own, one per slot, so that they can be walked while things are
//! being changed. A row names its neighbours by slot; what makes a handle of a slot is the stamp in
//! the row that is named, which is the thing's own as long as the thing is there. The pool unlinks
//! a thing before it lets it go. `README.md` in this folder has pictures.
//!
//! # Invariants
//!
//! - **R1** A row is empty, or it has a parent or a child and the stamp of the thing in its slot,
//!   which is live or staged. So a stamp that is found in a row needs no look at the thing.
//! - **R2** The children of a thing are a list: it starts at `first`, ends at `last`, `next` and
//!   `prev` say the same in both directions, and all of them, and no others, have the thing as
//!   `parent`.
//! - **R3** From every thing the way up by `parent` ends at a thing that has none: there are no
//!   cycles.
//! - **R4** The cached order has every thing that has a parent once, after its parent, and its set
//!   has these slots and no others; or it is of an older version.
//! - **R5** With several threads: pieces of a sweep that are visited at the same time have no thing
//!   in common, and a thing's parent is in the same piece, or in one that comes before it or after
//!   it: of a cut order a thing is in one part, and its parent is in the same one, in the trunk, or
//!   not in that order at all. Or the cut is of an older version.
//! - **R6** What is marked is there; and once marks are in use there is a bit for every row, so that
//!   a mark needs no memory.
//!
//! [`Tree::check`] and [`Pool::check_invariants`](crate::Pool::check_invariants) look whether they
//! hold.

mod branch;
mod check;
mod cursor;
mod draw;
mod edit;
mod links;
mod marks;
mod order;
#[cfg(feature = "parallel")]
mod parts;
mod pieces;
mod relation;
mod sweep;
mod things;
mod trees;
pub(crate) mod walk;

use core::marker::PhantomData;

use crate::handle::Handle;
use crate::thing::Thing;

pub(crate) use branch::Taken;
pub use branch::{Branch, Remap, TakenTree};
pub use cursor::Cursor;
pub use edit::{LinksAndThings, LinksOnly, Reach, TreeMut};
pub use relation::{Attached, Orphans, Relation};
pub use sweep::{ChildViews, Sweep};
pub use things::Things;
pub use walk::{Ancestors, Children, Descendants, PostOrder};

pub(crate) use check::check as check_rows;
pub(crate) use links::Links;
pub use links::Row;
pub(crate) use trees::Trees;
pub(crate) use trees::TreesDelta;

/// The links of one relation, to be asked and walked: [`Pool::tree`](crate::Pool::tree).
///
/// It borrows the links and not the things. A thing that is not linked has no parent and no
/// children, and so has a handle that is stale or nil: no question fails.
///
/// # Examples
///
/// ```
/// use lath_core::{Pool, Thing};
/// # #[derive(Thing, Default)] struct Part { name: &'static str }
/// let mut ship = Pool::new();
/// let [hull, mast, flag] = ["hull", "mast", "flag"].map(|name| ship.spawn(Part { name }));
/// ship.tree_mut().attach(mast, hull)?;
/// ship.tree_mut().attach(flag, mast)?;
///
/// let tree = ship.tree();
/// assert_eq!(tree.parent(flag), Some(mast));
/// assert!(tree.ancestors(flag).eq([mast, hull]));
///
/// ship.despawn(mast); // and the flag with it
/// assert_eq!(ship.tree().parent(flag), None);
/// # Ok::<(), lath_core::LinkError>(())
/// ```
pub struct Tree<'a, T: Thing> {
    rows: &'a [Row],
    thing: PhantomData<T>,
}

impl<T: Thing> Clone for Tree<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Thing> Copy for Tree<'_, T> {}

impl<'a, T: Thing> Tree<'a, T> {
    pub(crate) fn new(links: Option<&'a Links>) -> Self {
        Self { rows: links.map_or(&[], Links::rows), thing: PhantomData }
    }

    /// The row of a thing, if it is linked.
    #[inline(always)]
    fn row(&self, handle: Handle<T>) -> Option<&'a Row> {
        // The stamp of nil is 0, as is that of an empty row: slot 0 has no links.
        self.rows
            .get(handle.index() as usize)
            .filter(|row| row.stamp == handle.stamp() && row.stamp != 0)
    }

    #[inline(always)]
    fn name(&self, index: u32) -> Option<Handle<T>> {
        walk::handle(self.rows, index)
    }

    /// Whether a thing has a parent or children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let lone = ship.spawn(Part {});
    /// assert!(!ship.tree().is_linked(lone));
    /// ```
    #[inline]
    pub fn is_linked(&self, handle: Handle<T>) -> bool {
        self.row(handle).is_some()
    }

    /// The parent of a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// assert_eq!(ship.tree().parent(mast), Some(hull));
    /// assert_eq!((ship.tree().parent(hull), ship.tree().parent(Handle::NIL)), (None, None));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn parent(&self, handle: Handle<T>) -> Option<Handle<T>> {
        self.name(self.row(handle)?.parent)
    }

    /// The first child of a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(oar, hull)?;
    /// let tree = ship.tree();
    /// assert_eq!(tree.first_child(hull), Some(mast));
    /// assert_eq!(tree.first_child(oar), None);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn first_child(&self, handle: Handle<T>) -> Option<Handle<T>> {
        self.name(self.row(handle)?.first)
    }

    /// The last child of a thing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// for part in [mast, oar] { ship.tree_mut().attach(part, hull)?; }
    /// assert_eq!((ship.tree().last_child(hull), ship.tree().last_child(oar)), (Some(oar), None));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn last_child(&self, handle: Handle<T>) -> Option<Handle<T>> {
        self.name(self.row(handle)?.last)
    }

    /// The child after a thing in the list of its parent's children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// for part in [mast, oar] { ship.tree_mut().attach(part, hull)?; }
    /// assert_eq!((ship.tree().next_sibling(mast), ship.tree().next_sibling(oar)), (Some(oar), None));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn next_sibling(&self, handle: Handle<T>) -> Option<Handle<T>> {
        self.name(self.row(handle)?.next)
    }

    /// The child before a thing in the list of its parent's children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// for part in [mast, oar] { ship.tree_mut().attach(part, hull)?; }
    /// assert_eq!((ship.tree().prev_sibling(oar), ship.tree().prev_sibling(mast)), (Some(mast), None));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn prev_sibling(&self, handle: Handle<T>) -> Option<Handle<T>> {
        self.name(self.row(handle)?.prev)
    }

    /// The children of a thing, in order, from either end.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(oar, hull)?;
    /// assert!(ship.tree().children(hull).rev().eq([oar, mast]));
    /// assert_eq!(ship.tree().children(Handle::NIL).count(), 0);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn children(&self, handle: Handle<T>) -> Children<'a, T> {
        Children::of(self.rows, self.row(handle))
    }

    /// How many children a thing has. Counts them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// assert_eq!(Pool::<Part>::new().tree().child_count(Handle::NIL), 0);
    /// ```
    pub fn child_count(&self, handle: Handle<T>) -> usize {
        self.children(handle).count()
    }

    /// The parent of a thing, the parent of that, and so on up to the root.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// assert!(ship.tree().ancestors(flag).eq([mast, hull]));
    /// assert_eq!(ship.tree().ancestors(hull).next(), None);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn ancestors(&self, handle: Handle<T>) -> Ancestors<'a, T> {
        let next = self.row(handle).map_or(0, |row| row.parent);
        Ancestors { rows: self.rows, next, thing: PhantomData }
    }

    /// All that is below a thing, every parent before its children, in order; the thing itself is
    /// not among them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag, oar] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// assert!(ship.tree().descendants(hull).eq([mast, flag, oar]));
    /// assert_eq!(ship.tree().descendants(oar).next(), None);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn descendants(&self, handle: Handle<T>) -> Descendants<'a, T> {
        let next = self.row(handle).map_or(0, |row| row.first);
        Descendants { rows: self.rows, root: handle.index(), next, thing: PhantomData }
    }

    /// All that is below a thing, every child before its parent, and the thing itself last. Nothing
    /// for a thing that is not linked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag, oar] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// assert!(ship.tree().post_order(hull).eq([flag, mast, oar, hull]));
    /// assert!(ship.tree().post_order(mast).eq([flag, mast]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn post_order(&self, handle: Handle<T>) -> PostOrder<'a, T> {
        let next = self.row(handle).map_or(0, |_| walk::deepest(self.rows, handle.index()));
        PostOrder { rows: self.rows, root: handle.index(), next, thing: PhantomData }
    }

    /// What is below a thing and has no children; the thing itself is not among them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag, oar] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (oar, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// assert!(ship.tree().leaves(hull).eq([flag, oar]));
    /// assert_eq!(ship.tree().leaves(oar).next(), None); // nothing is below it
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn leaves(&self, handle: Handle<T>) -> impl Iterator<Item = Handle<T>> + use<'a, T> {
        let rows = self.rows;
        self.descendants(handle)
            .filter(move |leaf| rows.get(leaf.index() as usize).is_some_and(|row| row.first == 0))
    }

    /// The things that have children and no parent, in slot order. Looks at every slot.
    ///
    /// A thing without any links is a tree of its own, which is not listed: `Pool::handles` and
    /// [`is_linked`](Self::is_linked) find those.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, _lone] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// assert!(ship.tree().roots().eq([hull]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn roots(&self) -> impl Iterator<Item = Handle<T>> + use<'a, T> {
        let rows = self.rows;
        walk::roots(rows).filter_map(move |index| walk::handle(rows, index))
    }

    /// The topmost thing above a thing; the thing itself if it has no parent.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(flag, mast)?;
    /// assert_eq!((ship.tree().root_of(flag), ship.tree().root_of(hull)), (hull, hull));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn root_of(&self, handle: Handle<T>) -> Handle<T> {
        self.ancestors(handle).last().unwrap_or(handle)
    }

    /// How many ancestors a thing has.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part {}));
    /// for (child, parent) in [(mast, hull), (flag, mast)] { ship.tree_mut().attach(child, parent)?; }
    /// assert_eq!((ship.tree().depth(flag), ship.tree().depth(hull)), (2, 0));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn depth(&self, handle: Handle<T>) -> usize {
        self.ancestors(handle).count()
    }

    /// Whether `ancestor` is above `handle`. A thing is not above itself.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// assert!(ship.tree().is_ancestor(hull, mast));
    /// assert!(!ship.tree().is_ancestor(hull, hull));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn is_ancestor(&self, ancestor: Handle<T>, handle: Handle<T>) -> bool {
        self.ancestors(handle).any(|above| above == ancestor)
    }

    /// The lowest thing that is above both or is one of them; `None` if they are in different
    /// trees.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar, lone] = [(); 4].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(oar, hull)?;
    /// assert_eq!(ship.tree().common_ancestor(mast, oar), Some(hull));
    /// assert_eq!(ship.tree().common_ancestor(mast, hull), Some(hull));
    /// assert_eq!(ship.tree().common_ancestor(mast, lone), None);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn common_ancestor(&self, a: Handle<T>, b: Handle<T>) -> Option<Handle<T>> {
        let (mut a, mut b) = (a, b);
        let (from_a, from_b) = (self.depth(a), self.depth(b));
        for _ in from_b..from_a {
            a = self.parent(a)?;
        }
        for _ in from_a..from_b {
            b = self.parent(b)?;
        }
        while a != b {
            (a, b) = (self.parent(a)?, self.parent(b)?);
        }
        (!a.is_nil()).then_some(a)
    }
}
