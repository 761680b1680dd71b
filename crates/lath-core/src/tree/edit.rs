//! Changing links.
//!
//! Every call looks at all that could be wrong first and changes something only then.

use core::cmp::Ordering;
use core::ops::Deref;

use super::Tree;
use super::links::Links;
use crate::cells::Cells;
use crate::error::{LinkError, LinkRole, OutOfMemory};
use crate::handle::Handle;
use crate::storage::ThingRef;
use crate::thing::Thing;

/// The links of one relation, to be changed: [`Pool::tree_mut`](crate::Pool::tree_mut).
///
/// # Examples
///
/// ```
/// use lath_core::{LinkError, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part {}
/// let mut ship = Pool::new();
/// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
/// let mut tree = ship.tree_mut();
/// tree.attach(mast, hull)?;
/// assert!(matches!(tree.attach(hull, mast), Err(LinkError::Cycle { .. }))); // and nothing has changed
/// assert_eq!(tree.as_tree().parent(mast), Some(hull));
/// # Ok::<(), LinkError>(())
/// ```
///
/// Whoever may change the links but not the things has a `TreeMut` that [reaches](Reach)
/// [`LinksOnly`]: it cannot sweep.
pub struct TreeMut<'a, T: Thing, A: Reach = LinksAndThings> {
    pub(crate) cells: A::Cells<'a, T>,
    pub(crate) links: &'a mut Links,
}

/// What a [`TreeMut`] may change: [`LinksAndThings`] or [`LinksOnly`].
pub trait Reach: sealed::Sealed {
    /// The things, as far as they can be reached.
    #[doc(hidden)]
    type Cells<'a, T: Thing>: Deref<Target = Cells<T>>;
}

/// A [`TreeMut`] that has the pool for itself: [`Pool::tree_mut`](crate::Pool::tree_mut).
///
/// # Examples
///
/// ```
/// # use lath_core::{LinksAndThings, Pool, Thing, TreeMut};
/// # #[derive(Thing, Default)] struct Part { size: u32 }
/// let mut ship = Pool::<Part>::new();
/// let mut tree: TreeMut<'_, Part, LinksAndThings> = ship.tree_mut();
/// # tree.reserve().unwrap();
/// ```
pub enum LinksAndThings {}

/// A [`TreeMut`] beside which others may be using the things:
/// [`Pool::links_mut`](crate::Pool::links_mut).
pub enum LinksOnly {}

impl Reach for LinksAndThings {
    type Cells<'a, T: Thing> = &'a mut Cells<T>;
}

impl Reach for LinksOnly {
    type Cells<'a, T: Thing> = &'a Cells<T>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::LinksAndThings {}
    impl Sealed for super::LinksOnly {}
}

/// A thing as the links know it: slot and stamp.
type Node = (u32, u32);

impl<T: Thing> TreeMut<'_, T> {
    /// Sorts the children of a thing by what `compare` says of two of them. Equal ones keep their
    /// order. If `compare` panics nothing has changed.
    ///
    /// # Errors
    ///
    /// [`LinkError::Stale`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { z: i32, name: &'static str }
    /// let mut scene = Pool::new();
    /// let root = scene.spawn(Part::default());
    /// for (z, name) in [(2, "hat"), (1, "face"), (2, "feather")] { scene.spawn_child(root, Part { z, name }).unwrap(); }
    /// scene.tree_mut().sort_children_by(root, |a, b| a.z.cmp(&b.z))?;
    /// let names = scene.tree().children(root).map(|child| scene[child].name);
    /// assert!(names.eq(["face", "hat", "feather"]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn sort_children_by(
        &mut self,
        parent: Handle<T>,
        mut compare: impl FnMut(ThingRef<'_, T>, ThingRef<'_, T>) -> Ordering,
    ) -> Result<(), LinkError> {
        let cells = &*self.cells;
        let mut links = TreeMut::<T, LinksOnly> { cells, links: self.links };
        links.sort_children(parent, |a, b| {
            let [Some(a), Some(b)] = [cells.get(a), cells.get(b)] else {
                unreachable!("R1: a linked thing is there")
            };
            compare(a, b)
        })
    }
}

impl<T: Thing, A: Reach> TreeMut<'_, T, A> {
    /// The same links, to be asked and walked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
    /// let mut tree = ship.tree_mut();
    /// tree.attach(mast, hull)?;
    /// assert_eq!(tree.as_tree().depth(mast), 1); // and more can be attached then
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn as_tree(&self) -> Tree<'_, T> {
        Tree::new(Some(self.links))
    }

    /// Makes memory for the links of all slots that the pool has memory for: linking those
    /// allocates nothing then.
    ///
    /// Links take 24 bytes per slot, up to the highest slot that was ever linked, or that was
    /// reserved here.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::<Part>::fixed(1000).unwrap();
    /// ship.tree_mut().reserve()?;
    /// # Ok::<(), lath_core::OutOfMemory>(())
    /// ```
    pub fn reserve(&mut self) -> Result<(), OutOfMemory> {
        self.links.reserve(self.cells.memory())
    }

    /// Puts a thing below a parent, after the parent's other children. If it was below another it
    /// is moved, and all that is below it comes along.
    ///
    /// # Errors
    ///
    /// [`LinkError`], and nothing has changed: a handle is stale, or the parent is the thing itself
    /// or below it. The latter is looked for from the parent upwards, and only if the thing has
    /// children.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(flag, hull)?;
    /// ship.tree_mut().attach(flag, mast)?; // moved
    /// assert!(ship.tree().children(hull).eq([mast]));
    ///
    /// let error = ship.tree_mut().attach(hull, flag).unwrap_err();
    /// assert_eq!(error.to_string(), "1v1 cannot be put below 3v1, which is below it:\n1v1\n└─ … 1 in between\n   └─ 3v1");
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn attach(&mut self, child: Handle<T>, parent: Handle<T>) -> Result<(), LinkError> {
        let (child, parent) = self.pair(child, parent, LinkRole::Parent)?;
        self.may_go_below(child, parent)?;
        self.place(child, parent, 0);
        Ok(())
    }

    /// Puts a thing below a parent, before the parent's other children.
    ///
    /// # Errors
    ///
    /// As for [`attach`](Self::attach).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach_first(mast, hull)?;
    /// ship.tree_mut().attach_first(oar, hull)?;
    /// assert!(ship.tree().children(hull).eq([oar, mast]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn attach_first(&mut self, child: Handle<T>, parent: Handle<T>) -> Result<(), LinkError> {
        let (child, parent) = self.pair(child, parent, LinkRole::Parent)?;
        self.may_go_below(child, parent)?;
        let first = self.links.row(parent.0).first;
        self.place_before(child, parent, first);
        Ok(())
    }

    /// Puts a thing beside another, before it. Nothing happens if they are the same.
    ///
    /// # Errors
    ///
    /// As for [`attach`](Self::attach); and [`LinkError::NoParent`] if the other has no parent.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{LinkError, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach_before(oar, mast)?;
    /// assert!(ship.tree().children(hull).eq([oar, mast]));
    /// ship.tree_mut().attach_after(oar, mast)?;
    /// assert!(ship.tree().children(hull).eq([mast, oar]));
    /// assert!(matches!(ship.tree_mut().attach_before(oar, hull), Err(LinkError::NoParent { .. })));
    /// # Ok::<(), LinkError>(())
    /// ```
    pub fn attach_before(&mut self, child: Handle<T>, sibling: Handle<T>) -> Result<(), LinkError> {
        let (child, sibling, parent) = self.beside(child, sibling)?;
        if child != sibling {
            self.place_before(child, parent, sibling.0);
        }
        Ok(())
    }

    /// Puts a thing beside another, after it. Nothing happens if they are the same.
    ///
    /// # Errors
    ///
    /// As for [`attach_before`](Self::attach_before).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, oar, flag] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for part in [mast, oar] { ship.tree_mut().attach(part, hull)?; }
    /// ship.tree_mut().attach_after(flag, mast)?;
    /// assert!(ship.tree().children(hull).eq([mast, flag, oar]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn attach_after(&mut self, child: Handle<T>, sibling: Handle<T>) -> Result<(), LinkError> {
        let (child, sibling, parent) = self.beside(child, sibling)?;
        if child != sibling {
            let next = self.links.row(sibling.0).next;
            self.place_before(child, parent, next);
        }
        Ok(())
    }

    /// Takes a thing from its parent. What is below it stays below it. Answers who the parent was.
    ///
    /// # Errors
    ///
    /// [`LinkError::Stale`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// assert_eq!(ship.tree_mut().detach(mast)?, Some(hull));
    /// assert_eq!(ship.tree_mut().detach(mast)?, None); // twice is harmless
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn detach(&mut self, child: Handle<T>) -> Result<Option<Handle<T>>, LinkError> {
        let (index, _) = self.node(child, LinkRole::Child)?;
        let parent = self.as_tree().parent(child);
        if parent.is_some() {
            self.links.unlink(index);
            self.links.mark_moved(index);
            self.links.debug_check();
        }
        Ok(parent)
    }

    /// Hands all children of `from` over to `to`, after those that it has, in order. Takes as long
    /// as there are children.
    ///
    /// # Errors
    ///
    /// [`LinkError`], and nothing has changed: a handle is stale, or `to` is below `from`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [bag, chest, rope, lamp] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for item in [rope, lamp] { ship.tree_mut().attach(item, bag)?; }
    /// ship.tree_mut().move_children(bag, chest)?;
    /// assert!(ship.tree().children(chest).eq([rope, lamp]));
    /// assert!(ship.tree_mut().move_children(chest, rope).is_err());
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn move_children(&mut self, from: Handle<T>, to: Handle<T>) -> Result<(), LinkError> {
        let ((from, _), to) = self.pair(from, to, LinkRole::Parent)?;
        if self.links.row(from).first == 0 || from == to.0 {
            return Ok(());
        }
        if let Some((below, levels)) = self.links.way_down(from, to.0) {
            return Err(self.cycle(below, to.0, levels - 1));
        }
        self.links.mark_children(from);
        self.links.hand_over(from, to, false);
        self.links.debug_check();
        Ok(())
    }

    /// Exchanges the places of two things: each is below the other's parent then, where the other
    /// was. What is below them comes along.
    ///
    /// # Errors
    ///
    /// [`LinkError`], and nothing has changed: a handle is stale, or one is below the other.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, bow, stern, spare] = [(); 4].map(|()| ship.spawn(Part {}));
    /// for part in [bow, stern] { ship.tree_mut().attach(part, hull)?; }
    /// ship.tree_mut().swap(bow, stern)?;
    /// assert!(ship.tree().children(hull).eq([stern, bow]));
    /// ship.tree_mut().swap(bow, spare)?; // the other has no place: now this one has none
    /// assert_eq!((ship.tree().parent(bow), ship.tree().parent(spare)), (None, Some(hull)));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn swap(&mut self, a: Handle<T>, b: Handle<T>) -> Result<(), LinkError> {
        let (a, b) = self.pair(a, b, LinkRole::Child)?;
        if a == b {
            return Ok(());
        }
        for (above, below) in [(a, b), (b, a)] {
            if let Some((_, levels)) = self.links.way_down(above.0, below.0) {
                return Err(self.cycle(above.0, below.0, levels));
            }
        }
        let places = [a, b].map(|node| self.links.row(node.0));
        let parents = places.map(|row| (row.parent, self.links.row(row.parent).stamp));
        let mut nexts = places.map(|row| row.next);
        // Neighbours: what comes after the first is not the second, which goes away, but the first
        // itself.
        for (n, other) in [(0, b.0), (1, a.0)] {
            if nexts[n] == other {
                let me = [a.0, b.0][n];
                nexts[n] = me;
            }
        }
        let neighbours =
            (nexts[0] == a.0).then_some((b, a)).or((nexts[1] == b.0).then_some((a, b)));
        if let Some((mover, before)) = neighbours {
            self.links.unlink(mover.0);
            self.links.insert(mover, parents[0], before.0);
        } else {
            self.links.unlink(a.0);
            self.links.unlink(b.0);
            for (node, parent, next) in [(b, parents[0], nexts[0]), (a, parents[1], nexts[1])] {
                if parent.0 != 0 {
                    self.links.insert(node, parent, next);
                }
            }
        }
        for (index, _) in [a, b] {
            self.links.mark_moved(index);
        }
        self.links.debug_check();
        Ok(())
    }

    /// Sorts the children of a thing by what `compare` says of the handles of two of them. Equal
    /// ones keep their order. If `compare` panics nothing has changed.
    ///
    /// # Errors
    ///
    /// [`LinkError::Stale`].
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
    /// ship.tree_mut().sort_children(hull, |a, b| b.cmp(&a))?; // youngest slot first
    /// assert!(ship.tree().children(hull).eq([oar, mast]));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn sort_children(
        &mut self,
        parent: Handle<T>,
        mut compare: impl FnMut(Handle<T>, Handle<T>) -> Ordering,
    ) -> Result<(), LinkError> {
        let (parent, _) = self.node(parent, LinkRole::Parent)?;
        // The scratch is put back at the end. If `compare` panics it is lost, and that is all.
        let mut scratch = core::mem::take(&mut self.links.scratch);
        scratch.clear();
        let mut child = self.links.row(parent).first;
        while child != 0 {
            scratch.push(child);
            child = self.links.row(child).next;
        }
        let sorted = merge_sort(&mut scratch, |a, b| {
            let [a, b] = [a, b].map(|index| Handle::from_parts(index, self.links.row(index).stamp));
            compare(a, b)
        });
        self.links.arrange(parent, sorted);
        self.links.scratch = scratch;
        self.links.debug_check();
        Ok(())
    }

    /// Marks a thing for [`Sweep::down_dirty`](crate::Sweep::down_dirty). Answers whether there is one;
    /// marking twice is harmless.
    ///
    /// From the first mark on, things that are attached, detached or moved are marked by
    /// themselves.
    ///
    /// # Panics
    ///
    /// If memory for marks is refused: a bit for each slot, which [`reserve`](Self::reserve) and
    /// linking make once marks are in use.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast] = [(); 2].map(|()| ship.spawn(Part {}));
    /// let mut tree = ship.tree_mut();
    /// assert!(tree.mark(hull) && tree.mark(hull));
    /// assert!(!tree.mark(Handle::NIL));
    /// tree.attach(mast, hull)?; // marks it
    /// assert_eq!(tree.sweep::<Handle<Part>, Handle<Part>>().down_dirty(|_, _| ()), 2);
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    #[inline]
    pub fn mark(&mut self, handle: Handle<T>) -> bool {
        let there = self.node(handle, LinkRole::Child).is_ok();
        let index = if there { handle.index() } else { 0 };
        self.links.use_marks(index).unwrap_or_else(|error| panic!("{error}"));
        if there {
            self.links.marks.mark(index);
        }
        there
    }

    /// Whether there is such a thing.
    pub(crate) fn may_have_children(&self, parent: Handle<T>) -> Result<(), LinkError> {
        self.node(parent, LinkRole::Parent).map(|_| ())
    }

    /// As [`attach`](Self::attach), for a thing that was spawned just now, and a parent that is
    /// there.
    pub(crate) fn attach_fresh(
        &mut self,
        child: Handle<T>,
        parent: Handle<T>,
    ) -> Result<(), LinkError> {
        self.room(child.index().max(parent.index()))?;
        let child = (child.index(), child.stamp());
        self.links.insert(child, (parent.index(), parent.stamp()), 0);
        self.links.mark_moved(child.0);
        self.links.debug_check();
        Ok(())
    }

    /// The thing as the links know it, if there is one. One that is linked is there (R1).
    #[inline]
    fn node(&self, handle: Handle<T>, role: LinkRole) -> Result<Node, LinkError> {
        let (index, stamp) = (handle.index(), handle.stamp());
        let linked = self.links.row(index).stamp == stamp && stamp != 0;
        if linked { Ok((index, stamp)) } else { unlinked_node(&self.cells, handle, role) }
    }

    /// Makes room for the links of a slot.
    #[inline]
    fn room(&mut self, index: u32) -> Result<(), LinkError> {
        if self.links.has_room(index) {
            return Ok(());
        }
        self.links.grow(index).map_err(LinkError::OutOfMemory)
    }

    /// Two things, with room for their links.
    #[inline]
    fn pair(
        &mut self,
        child: Handle<T>,
        other: Handle<T>,
        role: LinkRole,
    ) -> Result<(Node, Node), LinkError> {
        let (child, other) = (self.node(child, LinkRole::Child)?, self.node(other, role)?);
        self.room(child.0.max(other.0))?;
        Ok((child, other))
    }

    /// Whether `child` may be put below `parent`.
    #[inline]
    fn may_go_below(&self, child: Node, parent: Node) -> Result<(), LinkError> {
        if child.0 == parent.0 {
            return Err(self.cycle(child.0, parent.0, 0));
        }
        if self.links.row(child.0).first == 0 {
            return Ok(()); // nothing is below it
        }
        match self.links.way_down(child.0, parent.0) {
            Some((_, levels)) => Err(self.cycle(child.0, parent.0, levels)),
            None => Ok(()),
        }
    }

    /// `child`, `sibling` and the sibling's parent, if the first may be put beside the second.
    fn beside(
        &mut self,
        child: Handle<T>,
        sibling: Handle<T>,
    ) -> Result<(Node, Node, Node), LinkError> {
        let (child, other) = self.pair(child, sibling, LinkRole::Sibling)?;
        let parent = self.links.row(other.0).parent;
        if parent == 0 {
            return Err(LinkError::NoParent { sibling: sibling.name() });
        }
        let parent = (parent, self.links.row(parent).stamp);
        self.may_go_below(child, parent)?;
        Ok((child, other, parent))
    }

    /// Moves a thing before a child of `parent`, or to the end if that is 0 or the thing itself is
    /// the last.
    fn place_before(&mut self, child: Node, parent: Node, before: u32) {
        let before = if before == child.0 { self.links.row(before).next } else { before };
        self.place(child, parent, before);
    }

    #[inline]
    fn place(&mut self, child: Node, parent: Node, before: u32) {
        self.links.unlink(child.0);
        self.links.insert(child, parent, before);
        self.links.mark_moved(child.0);
        self.links.debug_check();
    }

    #[cold]
    fn cycle(&self, child: u32, parent: u32, levels: u32) -> LinkError {
        let name = |index| self.cells.handle_at(index).unwrap_or_default().name();
        LinkError::Cycle { child: name(child), parent: name(parent), levels }
    }
}

/// Sorts the items, stably; the result is in one half of the buffer, which is twice as long then.
fn merge_sort(
    items: &mut alloc::vec::Vec<u32>,
    mut compare: impl FnMut(u32, u32) -> Ordering,
) -> &[u32] {
    let len = items.len();
    items.resize(2 * len, 0);
    let (mut from, mut to) = items.split_at_mut(len);
    let mut width = 1;
    while width < len {
        for start in (0..len).step_by(2 * width) {
            let (middle, end) = ((start + width).min(len), (start + 2 * width).min(len));
            let (mut left, mut right) = (start, middle);
            for slot in &mut to[start..end] {
                let take_right = left == middle
                    || right < end && compare(from[left], from[right]) == Ordering::Greater;
                let side = if take_right { &mut right } else { &mut left };
                *slot = from[*side];
                *side += 1;
            }
        }
        (from, to) = (to, from);
        width *= 2;
    }
    from
}

/// A thing that is not linked, as the links would know it, if there is one. Not a method: the whole
/// of `TreeMut` would have to be in memory.
#[inline(never)]
fn unlinked_node<T: Thing>(
    cells: &Cells<T>,
    handle: Handle<T>,
    role: LinkRole,
) -> Result<Node, LinkError> {
    match cells.contains(handle) {
        true => Ok((handle.index(), handle.stamp())),
        false => Err(LinkError::Stale { role, error: cells.why_not(handle) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merge_sort_is_stable_and_agrees_with_the_one_of_std() {
        for len in 0..200u32 {
            let items: alloc::vec::Vec<u32> =
                (0..len).map(|i| i.wrapping_mul(2_654_435_761) % 97).collect();
            let key = |item: u32| item / 10;
            let mut expected = items.clone();
            expected.sort_by_key(|&item| key(item));
            let mut buffer = items;
            assert_eq!(merge_sort(&mut buffer, |a, b| key(a).cmp(&key(b))), expected);
        }
    }
}
