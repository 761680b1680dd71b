//! Trees beside the things: asking for them, and putting in and taking out what is linked.

use alloc::vec::Vec;

use super::Pool;
use super::despawn::Fate;
use super::spawn::{refuse, spawn_near};
use crate::error::{LinkError, SpawnError, SpawnFault};
use crate::handle::Handle;
use crate::storage::ThingMut;
use crate::thing::Thing;
use crate::tree::{
    Attached, Branch, Orphans, Relation, Remap, Taken, TakenTree, Things, Tree, TreeMut,
};

impl<T: Thing> Pool<T> {
    /// The links of the default relation, [`Attached`], to be asked and walked.
    ///
    /// # Examples
    ///
    /// See [`Tree`].
    #[inline]
    pub fn tree(&self) -> Tree<'_, T> {
        self.tree_of::<Attached>()
    }

    /// The links of the default relation, [`Attached`], to be changed.
    ///
    /// # Examples
    ///
    /// See [`TreeMut`].
    #[inline]
    pub fn tree_mut(&mut self) -> TreeMut<'_, T> {
        self.tree_of_mut::<Attached>()
    }

    /// The links of a relation, to be asked and walked.
    ///
    /// # Examples
    ///
    /// See [`Relation`].
    #[inline]
    pub fn tree_of<R: Relation>(&self) -> Tree<'_, T> {
        Tree::new(self.companions.trees.of::<R>())
    }

    /// The links of a relation, to be changed.
    ///
    /// # Panics
    ///
    /// If this is the first time for the relation and memory is refused:
    /// [`prepare_links`](Self::prepare_links) answers with an error then.
    ///
    /// # Examples
    ///
    /// See [`Relation`].
    #[inline]
    pub fn tree_of_mut<R: Relation>(&mut self) -> TreeMut<'_, T> {
        self.cells.set_observed(true);
        let links = self.companions.trees.of_mut::<R>().unwrap_or_else(|error| panic!("{error}"));
        TreeMut { cells: &mut self.cells, links }
    }

    /// The links of the default relation, to be walked, and the things, to be changed meanwhile.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn tree_and_things(&mut self) -> (Tree<'_, T>, Things<'_, T>) {
        self.tree_of_and_things::<Attached>()
    }

    /// The links of a relation, to be walked, and the things, to be changed meanwhile.
    ///
    /// # Examples
    ///
    /// See [`Things`].
    #[inline]
    pub fn tree_of_and_things<R: Relation>(&mut self) -> (Tree<'_, T>, Things<'_, T>) {
        (Tree::new(self.companions.trees.of::<R>()), Things { cells: &mut self.cells })
    }

    /// Puts a thing into the pool and below a parent, after the parent's other children.
    ///
    /// # Errors
    ///
    /// [`SpawnError`] gives the thing back, and nothing has changed: the parent is stale
    /// ([`SpawnFault::Link`]), or there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, SpawnFault, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn(Part { name: "hull" });
    /// let mast = ship.spawn_child(hull, Part { name: "mast" })?;
    /// assert_eq!(ship.tree().parent(mast), Some(hull));
    ///
    /// let error = ship.spawn_child(Handle::NIL, Part { name: "oar" }).unwrap_err();
    /// assert_eq!(error.value.name, "oar");
    /// assert!(matches!(error.fault, SpawnFault::Link(_)));
    /// # Ok::<(), lath_core::SpawnError<Part>>(())
    /// ```
    #[inline(always)] // as for `spawn`
    pub fn spawn_child(&mut self, parent: Handle<T>, thing: T) -> Result<Handle<T>, SpawnError<T>> {
        let Self { cells, order, counts, companions, .. } = self;
        let Some(linked) = companions.trees.linked(parent.node()) else {
            return self.spawn_child_anywhere(parent, thing);
        };
        match spawn_near(cells, order, counts, thing) {
            Ok(child) if linked.adopt(child.node()) => Ok(child),
            Ok(child) => self.attach_fresh(child, parent),
            Err((_, thing)) => self.spawn_child_anywhere(parent, thing),
        }
    }

    /// As [`spawn_child`](Self::spawn_child), wherever there is room, and also below a thing that
    /// is not linked yet.
    #[inline(never)]
    fn spawn_child_anywhere(
        &mut self,
        parent: Handle<T>,
        thing: T,
    ) -> Result<Handle<T>, SpawnError<T>> {
        let made = self.prepare_links::<Attached>().map_err(LinkError::OutOfMemory);
        let checked = made.and_then(|()| self.tree_mut().may_have_children(parent));
        if let Err(error) = checked {
            return Err(SpawnError { value: thing, fault: SpawnFault::Link(error) });
        }
        let child = self.try_spawn(thing)?;
        self.attach_fresh(child, parent)
    }

    /// Links a thing that was spawned just now below one that is there. Takes it out again if there
    /// is no memory for its links.
    #[inline(never)]
    fn attach_fresh(
        &mut self,
        child: Handle<T>,
        parent: Handle<T>,
    ) -> Result<Handle<T>, SpawnError<T>> {
        match self.tree_mut().attach_fresh(child, parent) {
            Ok(()) => Ok(child),
            Err(error) => Err(self.take_back(child, error)),
        }
    }

    /// There was no memory for the links of a new thing.
    #[cold]
    fn take_back(&mut self, child: Handle<T>, error: LinkError) -> SpawnError<T> {
        match self.take(child) {
            Some(value) => SpawnError { value, fault: SpawnFault::Link(error) },
            None => unreachable!("spawned just now"),
        }
    }

    /// Puts a thing and all that is to be below it into the pool: parents before their children, in
    /// order. Answers which is the topmost.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn), if there is no room. Those that were put in before stay, linked.
    ///
    /// # Examples
    ///
    /// See [`Branch`].
    pub fn spawn_tree(&mut self, branch: Branch<T>) -> Handle<T> {
        let Branch { thing, children } = branch;
        let root = self.spawn(thing);
        let mut open = alloc::vec![(root, children.into_iter())];
        while let Some((parent, children)) = open.last_mut() {
            let Some(Branch { thing, children }) = children.next() else {
                open.pop();
                continue;
            };
            let parent = *parent;
            let child =
                self.spawn_child(parent, thing).unwrap_or_else(|error| refuse::<T>(error.fault));
            if !children.is_empty() {
                open.push((child, children.into_iter()));
            }
        }
        root
    }

    /// As [`despawn`](Self::despawn), but with another fate for the children of this thing, in
    /// every tree. Those that go with it leave their own children to what each relation says.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Orphans, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part {}
    /// let mut ship = Pool::new();
    /// let [hull, mast, flag] = [(); 3].map(|()| ship.spawn(Part {}));
    /// ship.tree_mut().attach(mast, hull)?;
    /// ship.tree_mut().attach(flag, mast)?;
    /// ship.despawn_with(mast, Orphans::Adopt);
    /// assert_eq!(ship.tree().parent(flag), Some(hull));
    /// # Ok::<(), lath_core::LinkError>(())
    /// ```
    pub fn despawn_with(&mut self, handle: Handle<T>, orphans: Orphans) -> bool {
        self.despawn_as(handle, Some(orphans), Fate::Dropped)
    }

    /// Moves a thing and all that is below it in the default tree out of the pool; `None` if there
    /// is no such thing. What is below them in other trees stays in the pool, detached.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Part { name: &'static str }
    /// # let part = |name| Branch::new(Part { name });
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn_tree(part("hull").with(part("mast").with(part("flag"))));
    /// let mast = ship.tree().first_child(hull).unwrap();
    /// let taken = ship.take_tree(mast).unwrap();
    /// assert_eq!((taken.len(), ship.len()), (2, 1));
    /// assert!(ship.take_tree(mast).is_none());
    /// ```
    pub fn take_tree(&mut self, handle: Handle<T>) -> Option<TakenTree<T>> {
        if !self.contains(handle) {
            return None;
        }
        // Parents first. By slot, to find a parent's place in the list.
        let list: Vec<_> =
            core::iter::once(handle).chain(self.tree().descendants(handle)).collect();
        let mut places: Vec<_> =
            list.iter().enumerate().map(|(place, handle)| (*handle, place)).collect();
        places.sort_unstable();
        let place_of =
            |handle| places.binary_search_by_key(&handle, |at| at.0).map_or(0, |at| places[at].1);
        let parents: Vec<_> =
            list.iter().map(|&handle| self.tree().parent(handle).map_or(0, place_of)).collect();
        let mut nodes = Vec::with_capacity(list.len());
        // From the last on: whoever is taken has no children left in the default tree.
        for (&was, parent) in list.iter().zip(parents).rev() {
            let Some(thing) = self.take_as(was, Some(Orphans::Detach)) else {
                unreachable!("nobody went but by this")
            };
            nodes.push(Taken { was, parent, thing });
        }
        nodes.reverse();
        Some(TakenTree { nodes })
    }

    /// Puts a subtree that was taken out of a pool, this one or another, into this one, linked as
    /// it was. Every thing gets a new handle; `fix` is called for each of them then, to replace the
    /// handles inside by what the map says.
    ///
    /// # Panics
    ///
    /// As [`spawn`](Self::spawn), if there is no room. Those that were put in before stay, linked.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// #[derive(Thing, Default)]
    /// struct Part { held_by: Handle<Part> }
    ///
    /// let mut dock = Pool::new();
    /// dock.spawn(Part::default());
    /// let mast = dock.spawn(Part::default());
    /// let flag = dock.spawn_child(mast, Part { held_by: mast }).unwrap();
    ///
    /// let mut ship = Pool::new();
    /// let mast = ship.graft(dock.take_tree(mast).unwrap(), |part, new| {
    ///     part.held_by = new.get(part.held_by).unwrap_or_default();
    /// });
    /// let flag = ship.tree().first_child(mast).unwrap();
    /// assert_eq!(ship[flag].held_by, mast);
    /// ```
    pub fn graft(
        &mut self,
        taken: TakenTree<T>,
        mut fix: impl FnMut(ThingMut<'_, T>, &Remap<T>),
    ) -> Handle<T> {
        let mut now = Vec::with_capacity(taken.len());
        let mut pairs = Vec::with_capacity(taken.len());
        for (place, Taken { was, parent, thing }) in taken.nodes.into_iter().enumerate() {
            let handle = match now.get(parent) {
                Some(&parent) if place > 0 => {
                    self.spawn_child(parent, thing).unwrap_or_else(|error| refuse::<T>(error.fault))
                }
                _ => self.spawn(thing),
            };
            now.push(handle);
            pairs.push((was, handle));
        }
        pairs.sort_unstable();
        let map = Remap { pairs };
        for &handle in &now {
            self.edit(handle, |thing| fix(thing, &map));
        }
        now.first().copied().unwrap_or_default()
    }
}
