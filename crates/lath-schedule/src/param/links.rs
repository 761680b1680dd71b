#![expect(unsafe_code, reason = "hands out links that the system has declared")]
//! Trees: [`Tree`] and [`TreeMut`].

use std::any::type_name;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use lath_core::{Attached, LinksOnly, Relation};

use super::{Context, Param};
use crate::access::Access;
use crate::missing::Missing;
use crate::type_map::{Pooled, TypeKey};
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

pub(super) fn must_have_pool<T: Resident>(
    place: TypeKey<Pooled<T>>,
    world: &World,
) -> Result<(), Missing> {
    if world.types.has(place) { Ok(()) } else { Err(world.types.missing_at(place)) }
}

/// The pool is gone although `check` had found it.
#[cold]
pub(super) fn gone<T>() -> ! {
    panic!(
        "the pool of `{}` is gone: a hook or a command of this run has taken it away",
        type_name::<T>()
    )
}

// SAFETY: looks at the links that it declares.
unsafe impl<T: Resident, R: Relation> Param for Tree<'_, T, R> {
    type State = TypeKey<Pooled<T>>;
    type Item<'w, 's> = Tree<'w, T, R>;

    fn declare(access: &mut Access) {
        access.links::<T, R>(false);
    }

    fn init(world: &mut World) -> Self::State {
        world.pool_key()
    }

    fn check(place: &Self::State, world: &World) -> Result<(), Missing> {
        must_have_pool(*place, world)
    }

    unsafe fn fetch<'w, 's>(place: &'s mut Self::State, context: Context<'w>) -> Tree<'w, T, R> {
        // SAFETY: nobody has the pool exclusively, and nobody changes the links (by the caller, and
        // what was declared).
        let Pooled(pool) =
            unsafe { context.world() }.types.get(*place).unwrap_or_else(|| gone::<T>());
        Tree { tree: pool.tree_of::<R>(), relation: PhantomData }
    }
}

// SAFETY: uses the links that it declares to write.
unsafe impl<T: Resident, R: Relation> Param for TreeMut<'_, T, R> {
    type State = TypeKey<Pooled<T>>;
    type Item<'w, 's> = TreeMut<'w, T, R>;

    fn declare(access: &mut Access) {
        access.links::<T, R>(true);
        access.prepare(|world| {
            if world.has_pool::<T>() {
                world.pool_mut::<T>().prepare_links::<R>();
            }
        });
    }

    fn init(world: &mut World) -> Self::State {
        world.pool_key()
    }

    fn check(place: &Self::State, world: &World) -> Result<(), Missing> {
        must_have_pool(*place, world)
    }

    unsafe fn fetch<'w, 's>(place: &'s mut Self::State, context: Context<'w>) -> TreeMut<'w, T, R> {
        // SAFETY: nobody has the pool exclusively (by the caller, and what was declared).
        let Pooled(pool) =
            unsafe { context.world() }.types.get(*place).unwrap_or_else(|| gone::<T>());
        // SAFETY: and nobody else uses the links of this relation.
        match unsafe { pool.links_mut::<R>() } {
            Some(tree) => TreeMut { tree, relation: PhantomData },
            None => {
                panic!("the pool of `{}` was replaced by a command of this run", type_name::<T>())
            }
        }
    }
}
