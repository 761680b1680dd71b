//! Whole subtrees, going in and coming out.

use alloc::vec::Vec;

use crate::handle::Handle;
use crate::thing::Thing;

/// A thing and what is to be below it: for [`Pool::spawn_tree`](crate::Pool::spawn_tree).
///
/// # Examples
///
/// ```
/// use lath_core::{Branch, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part { name: &'static str }
/// # fn part(name: &'static str) -> Part { Part { name } }
/// let mut ship = Pool::new();
/// let hull = ship.spawn_tree(Branch::new(part("hull")).with(Branch::new(part("mast")).with(part("flag"))).with(part("oar")));
/// let names: Vec<_> = ship.tree().descendants(hull).map(|part| ship[part].name).collect();
/// assert_eq!(names, ["mast", "flag", "oar"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Branch<T> {
    /// The thing.
    pub thing: T,
    /// What is below it, in order.
    pub children: Vec<Branch<T>>,
}

impl<T> Branch<T> {
    /// A thing with nothing below it.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn_tree(Branch::new(Part { name: "hull" }));
    /// assert!(!ship.tree().is_linked(hull)); // a thing as any other
    /// ```
    pub fn new(thing: T) -> Self {
        Self { thing, children: Vec::new() }
    }

    /// The same with one more child, after the others.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let mast = Branch::new(Part { name: "mast" }).with(Part { name: "flag" });
    /// let hull = ship.spawn_tree(Branch::new(Part { name: "hull" }).with(mast).with(Part { name: "oar" }));
    /// let names: Vec<_> = ship.tree().children(hull).map(|part| ship[part].name).collect();
    /// assert_eq!(names, ["mast", "oar"]);
    /// ```
    #[must_use]
    pub fn with(mut self, child: impl Into<Branch<T>>) -> Self {
        self.children.push(child.into());
        self
    }
}

impl<T> From<T> for Branch<T> {
    fn from(thing: T) -> Self {
        Self::new(thing)
    }
}

/// A subtree that was taken out of a pool: every thing with the handle that it had, and its
/// parent's place in the list.
///
/// # Examples
///
/// ```
/// # use lath_core::{Branch, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part { name: &'static str }
/// let mut dock = Pool::new();
/// let mast = dock.spawn_tree(Branch::new(Part { name: "mast" }).with(Part { name: "flag" }));
/// let taken = dock.take_tree(mast).unwrap();
/// assert!(dock.is_empty());
/// let mut ship = Pool::new();
/// let mast = ship.graft(taken, |_, _| ());
/// assert_eq!((ship[mast].name, ship.tree().child_count(mast)), ("mast", 1));
/// ```
pub struct TakenTree<T: Thing> {
    pub(crate) nodes: Vec<Taken<T>>,
}

pub(crate) struct Taken<T: Thing> {
    pub(crate) was: Handle<T>,
    /// The parent's place in the list; 0 for the root, which is at 0.
    pub(crate) parent: usize,
    pub(crate) thing: T,
}

impl<T: Thing> TakenTree<T> {
    /// How many things there are: at least one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let mast = ship.spawn_tree(Branch::new(Part { name: "mast" }).with(Part { name: "flag" }));
    /// assert_eq!(ship.take_tree(mast).unwrap().len(), 2);
    /// ```
    #[expect(clippy::len_without_is_empty, reason = "it never is")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The things, parents first: each with the handle that it had and the place of its parent in
    /// this list, which for the root, the first, is `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default, Debug)] struct Part { name: &'static str }
    /// # let part = |name| Branch::new(Part { name });
    /// let mut ship = Pool::new();
    /// let hull = ship.spawn_tree(part("hull").with(part("mast").with(part("flag"))));
    /// let taken = ship.take_tree(hull).unwrap();
    /// assert!(taken.iter().map(|(_, parent, part)| (parent, part.name)).eq([(None, "hull"), (Some(0), "mast"), (Some(1), "flag")]));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (Handle<T>, Option<usize>, &T)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(n, node)| (node.was, Some(node.parent).filter(|_| n > 0), &node.thing))
    }

    /// The things, parents first, without the links.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Branch, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { name: &'static str }
    /// let mut ship = Pool::new();
    /// let mast = ship.spawn_tree(Branch::new(Part { name: "mast" }).with(Part { name: "flag" }));
    /// let things = ship.take_tree(mast).unwrap().into_things();
    /// assert!(things.map(|part| part.name).eq(["mast", "flag"]));
    /// ```
    pub fn into_things(self) -> impl Iterator<Item = T> {
        self.nodes.into_iter().map(|node| node.thing)
    }
}

/// Which handle each thing of a subtree had, and which it has now:
/// [`Pool::graft`](crate::Pool::graft).
///
/// # Examples
///
/// ```
/// # use lath_core::{Handle, Pool, Remap, Thing};
/// # #[derive(Thing, Default)] struct Part { held_by: Handle<Part> }
/// fn renew(part: &mut Part, new: &Remap<Part>) {
///     part.held_by = new.get(part.held_by).unwrap_or_default();
/// }
/// let mut dock = Pool::new();
/// let mast = dock.spawn(Part::default());
/// dock.edit(mast, |part| part.held_by = mast);
/// let mut ship = Pool::new();
/// let mast = ship.graft(dock.take_tree(mast).unwrap(), renew);
/// assert_eq!(ship[mast].held_by, mast);
/// ```
pub struct Remap<T: Thing> {
    /// By old handle.
    pub(crate) pairs: Vec<(Handle<T>, Handle<T>)>,
}

impl<T: Thing> Remap<T> {
    /// The handle of the thing that used to be `was`; `None` if that is not of the subtree.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Pool, Thing};
    /// # #[derive(Thing, Default)] struct Part { held_by: Handle<Part> }
    /// let mut dock = Pool::new();
    /// let crane = dock.spawn(Part::default());
    /// let mast = dock.spawn(Part { held_by: crane });
    /// let taken = dock.take_tree(mast).unwrap();
    /// let mut ship = Pool::new();
    /// ship.graft(taken, |part, new| {
    ///     assert!(new.get(mast).is_some());
    ///     part.held_by = new.get(part.held_by).unwrap_or_default(); // the crane has stayed behind
    /// });
    /// assert!(ship.iter().all(|(_, part)| part.held_by.is_nil()));
    /// ```
    pub fn get(&self, was: Handle<T>) -> Option<Handle<T>> {
        let place = self.pairs.binary_search_by_key(&was, |pair| pair.0).ok()?;
        Some(self.pairs[place].1)
    }
}
