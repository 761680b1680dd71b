//! What a tree means: the marker type that names it, and what becomes of children whose parent
//! goes.

/// Names a tree of a pool. Implement it on an empty struct to have a tree beside the default one.
///
/// # Examples
///
/// ```
/// use lath_core::{Orphans, Pool, Relation, Thing};
///
/// /// In a bag. What was in it falls out when the bag goes.
/// struct Carried;
/// impl Relation for Carried { const ORPHANS: Orphans = Orphans::Detach; }
///
/// # #[derive(Thing, Default)] struct Item {}
/// let mut items = Pool::new();
/// let [hand, bag, sword] = [(); 3].map(|()| items.spawn(Item {}));
/// items.tree_mut().attach(sword, hand)?; // attached to the hand…
/// items.tree_of_mut::<Carried>().attach(sword, bag)?; // …and carried in the bag
///
/// items.despawn(bag);
/// assert!(items.contains(sword));
/// items.despawn(hand);
/// assert!(!items.contains(sword)); // what is attached goes along
/// # Ok::<(), lath_core::LinkError>(())
/// ```
pub trait Relation: 'static {
    /// What becomes of the children when a parent leaves the pool.
    const ORPHANS: Orphans = Orphans::Despawn;
}

/// The default relation: parts that go when what they are attached to goes.
///
/// # Examples
///
/// ```
/// use lath_core::{Attached, Orphans, Relation};
/// assert_eq!(Attached::ORPHANS, Orphans::Despawn);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Attached;

impl Relation for Attached {}

/// What becomes of children whose parent leaves the pool.
///
/// # Examples
///
/// ```
/// # use lath_core::{Orphans, Pool, Thing};
/// # #[derive(Thing, Default)] struct Part {}
/// let orphans = [Orphans::Despawn, Orphans::Detach, Orphans::Adopt].map(|fate| {
///     let mut ship = Pool::new();
///     let hull = ship.spawn(Part {});
///     let mast = ship.spawn_child(hull, Part {}).unwrap();
///     let flag = ship.spawn_child(mast, Part {}).unwrap();
///     ship.despawn_with(mast, fate);
///     (ship.contains(flag), ship.tree().parent(flag) == Some(hull))
/// });
/// assert_eq!(orphans, [(false, false), (true, false), (true, true)]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orphans {
    /// They go too, and their children by the same rule.
    #[default]
    Despawn,
    /// They stay, without a parent.
    Detach,
    /// The grandparent takes them, in order, in the place of the parent; without one they stay
    /// without a parent.
    Adopt,
}
