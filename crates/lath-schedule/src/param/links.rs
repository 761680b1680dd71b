#![expect(unsafe_code, reason = "hands out links that the system has declared")]
//! Trees: [`Tree`] and [`TreeMut`].

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use lath_core::{Attached, LinksOnly, Relation};

use super::Context;
use super::lent::Lent;
use crate::access::Access;
use crate::type_map::{Found, Pooled, TypeKey};
use crate::world::{Resident, World};

/// A look at the links of a relation: all of [`lath_core::Tree`], for a system.
///
/// # Examples
///
/// ```
/// use lath_core::{Mut, Thing};
/// use lath_schedule::{Query, Schedule, Tree, World};
/// # use lath_core::{Handle, Ref};
/// #[derive(Thing, Default)]
/// struct Part { depth: usize }
///
/// let mut world = World::new();
/// let hull = world.spawn(Part::default());
/// let mast = world.pool_mut::<Part>().spawn_child(hull, Part::default()).unwrap();
/// let mut schedule = Schedule::new();
/// schedule.add(|tree: Tree<Part>, mut parts: Query<(Handle<Part>, Mut<part::depth>)>| {
///     parts.each(|(me, mut depth)| *depth = tree.depth(me));
/// });
/// schedule.run(&mut world);
/// assert_eq!(world.read(mast).depth, 1);
/// ```
pub struct Tree<'w, T: Resident, R: Relation = Attached> {
    tree: lath_core::Tree<'w, T>,
    relation: PhantomData<R>,
}

impl<'w, T: Resident, R: Relation> Deref for Tree<'w, T, R> {
    type Target = lath_core::Tree<'w, T>;

    fn deref(&self) -> &Self::Target {
        &self.tree
    }
}

/// The links of a relation, to be changed: what [`lath_core::TreeMut`] can do without touching the
/// things. Other systems may be using those meanwhile. To sweep along the links there is
/// [`Sweep`](crate::Sweep).
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Ref, Thing};
/// use lath_schedule::{Query, Schedule, TreeMut, World};
/// #[derive(Thing, Default)]
/// struct Part { goes_to: Handle<Part> }
///
/// let mut world = World::new();
/// let hull = world.spawn(Part::default());
/// let mast = world.spawn(Part { goes_to: hull });
/// let mut schedule = Schedule::new();
/// schedule.add(|mut tree: TreeMut<Part>, parts: Query<(Handle<Part>, Ref<part::goes_to>)>| {
///     for (me, goes_to) in &parts {
///         tree.attach(me, *goes_to).ok(); // nothing happens for nil
///     }
/// });
/// schedule.run(&mut world);
/// assert_eq!(world.pool::<Part>().tree().parent(mast), Some(hull));
/// ```
pub struct TreeMut<'w, T: Resident, R: Relation = Attached> {
    tree: lath_core::TreeMut<'w, T, LinksOnly>,
    relation: PhantomData<R>,
}

impl<'w, T: Resident, R: Relation> Deref for TreeMut<'w, T, R> {
    type Target = lath_core::TreeMut<'w, T, LinksOnly>;

    fn deref(&self) -> &Self::Target {
        &self.tree
    }
}

impl<T: Resident, R: Relation> DerefMut for TreeMut<'_, T, R> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.tree
    }
}

// SAFETY: looks at the links that it declares.
unsafe impl<T: Resident, R: Relation> Lent for Tree<'_, T, R> {
    type Value = Pooled<T>;
    type Lent<'w> = Tree<'w, T, R>;

    fn declare(access: &mut Access) {
        access.links::<T, R>(false);
    }

    fn key(world: &mut World) -> TypeKey<Pooled<T>> {
        world.pool_key()
    }

    unsafe fn lend<'w>(pool: Found<'w, Pooled<T>>, _: Context<'w>) -> Option<Tree<'w, T, R>> {
        Some(Tree { tree: pool.look().0.tree_of::<R>(), relation: PhantomData })
    }
}

// SAFETY: uses the links that it declares to write.
unsafe impl<T: Resident, R: Relation> Lent for TreeMut<'_, T, R> {
    type Value = Pooled<T>;
    type Lent<'w> = TreeMut<'w, T, R>;

    fn declare(access: &mut Access) {
        access.links::<T, R>(true);
        access.prepare(|world| {
            if let Some(pool) = world.present_pool_mut::<T>() {
                pool.prepare_links::<R>().unwrap_or_else(|error| panic!("{error}"));
            }
        });
    }

    fn key(world: &mut World) -> TypeKey<Pooled<T>> {
        world.pool_key()
    }

    unsafe fn lend<'w>(pool: Found<'w, Pooled<T>>, _: Context<'w>) -> Option<TreeMut<'w, T, R>> {
        // SAFETY: nobody else uses the links of this relation (by the caller, and what was
        // declared).
        let tree = unsafe { pool.look().0.links_mut::<R>() }?;
        Some(TreeMut { tree, relation: PhantomData })
    }
}
