//! The things of a pool without its links: what can be changed while a tree is being walked.

use crate::cells::{Cells, Views};
use crate::handle::Handle;
use crate::storage::{ThingMut, ThingRef};
use crate::thing::Thing;
use crate::view::View;

/// All things of a pool, to be changed while its links are walked:
/// [`Pool::tree_and_things`](crate::Pool::tree_and_things).
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part { wet: bool }
/// let mut ship = Pool::new();
/// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part::default()));
/// ship.tree_mut().attach(mast, hull)?;
/// ship.tree_mut().attach(flag, mast)?;
///
/// let (tree, mut things) = ship.tree_and_things();
/// for part in tree.descendants(hull) {
///     things.edit(part, |part| part.wet = true); // no list in between
/// }
/// assert!(things.read(flag).wet);
/// assert!(things.get_mut(Handle::NIL).is_none());
/// # Ok::<(), lath_core::LinkError>(())
/// ```
pub struct Things<'a, T: Thing> {
    pub(crate) cells: &'a mut Cells<T>,
}

impl<T: Thing> Things<'_, T> {
    /// Whether `handle` names a thing.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.cells.contains(handle)
    }

    /// Looks at the thing that `handle` names; `None` if there is none.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn get(&self, handle: Handle<T>) -> Option<ThingRef<'_, T>> {
        self.cells.get(handle)
    }

    /// Gives the thing that `handle` names, to be changed; `None` if there is none.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<ThingMut<'_, T>> {
        self.cells.get_mut(handle)
    }

    /// Looks at the thing that `handle` names, or at the nil thing if there is none.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn read(&self, handle: Handle<T>) -> ThingRef<'_, T> {
        match self.cells.get(handle) {
            Some(thing) => thing,
            None => self.cells.nil(),
        }
    }

    /// Changes the thing that `handle` names; does nothing, and answers `false`, if there is none.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn edit(&mut self, handle: Handle<T>, f: impl FnOnce(ThingMut<'_, T>)) -> bool {
        self.get_mut(handle).map(f).is_some()
    }

    /// All things as a view shows them, as [`Pool::view`](crate::Pool::view).
    ///
    /// # Examples
    ///
    /// See [`Pool::view`](crate::Pool::view).
    #[inline(always)]
    pub fn view<V: View<Thing = T>>(&self) -> Views<'_, V> {
        self.cells.view()
    }

    /// All things as a view shows them, to be changed, as [`Pool::view_mut`](crate::Pool::view_mut).
    ///
    /// # Examples
    ///
    /// See [`Pool::view_mut`](crate::Pool::view_mut).
    #[inline(always)]
    pub fn view_mut<V: View<Thing = T>>(&mut self) -> Views<'_, V> {
        self.cells.view_mut()
    }

    /// Gives several things at once, as [`Pool::get_disjoint_mut`](crate::Pool::get_disjoint_mut)
    /// does: a parent and its child, for example.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { load: u32 }
    /// let mut ship = Pool::new();
    /// let [hull, cargo] = [0, 5].map(|load| ship.spawn(Part { load }));
    /// ship.tree_mut().attach(cargo, hull)?;
    /// let (tree, mut things) = ship.tree_and_things();
    /// for child in tree.children(hull) {
    ///     if let [Ok(hull), Ok(child)] = things.get_disjoint_mut([hull, child]) { hull.load += child.load; }
    /// }
    /// assert_eq!(ship[hull].load, 5);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<T>; N],
    ) -> [Result<ThingMut<'_, T>, crate::HandleError>; N] {
        self.cells.get_disjoint_mut(handles)
    }
}
