//! A ship is rigged, loaded, damaged, and gives its mast to another.
//!
//! Shows: linking and walking, changing things on a walk, two trees at once, what becomes of
//! children when a parent goes, sums over a tree, and a subtree that moves to another pool.
//!
//! Run: `cargo run --example 03_tree`

use lath::prelude::*;

#[derive(Thing, Debug, Default)]
struct Part {
    name: &'static str,
    own: u32,              // tons, by itself
    total: u32,            // with all that is on it: goes up the tree
    tall: u32,             // feet, by itself
    height: u32,           // of its top above the water: goes down the tree
    held_by: Handle<Part>, // an ordinary handle, beside the links
}

/// In a chest or a sack. What was inside stays when that goes.
struct Stowed;

impl Relation for Stowed {
    const ORPHANS: Orphans = Orphans::Detach;
}

fn main() -> Result<(), LinkError> {
    let mut ship = Pool::new();
    let hull = rig(&mut ship);
    load(&mut ship, hull)?;
    measure(&mut ship, hull);
    mistakes(&mut ship, hull);
    storm(&mut ship, hull)
}

/// A tree in one go.
fn rig(ship: &mut Pool<Part>) -> Handle<Part> {
    let mast = part("mast", 8, 20).with(part("sail", 3, 9)).with(part("flag", 1, 2));
    ship.spawn_tree(part("hull", 90, 4).with(part("rudder", 4, 3)).with(mast))
}

/// Cargo is attached to the ship and, by another relation, stowed in a chest.
fn load(ship: &mut Pool<Part>, hull: Handle<Part>) -> Result<(), LinkError> {
    let chest = ship.spawn_tree(part("chest", 5, 1));
    let rope = ship.spawn_tree(part("rope", 2, 1));
    ship.tree_mut().attach(chest, hull)?;
    ship.tree_mut().attach_before(rope, chest)?;
    ship.tree_of_mut::<Stowed>().attach(rope, chest)?;
    show(ship, hull);

    ship.despawn(chest); // the rope was stowed in it, and falls out
    assert!(ship.contains(rope) && ship.tree_of::<Stowed>().parent(rope).is_none());
    Ok(())
}

/// Heights go down the tree, weights up.
fn measure(ship: &mut Pool<Part>, hull: Handle<Part>) {
    ship.tree_mut().sweep::<Ref<part::height>, (Mut<part::height>, Ref<part::tall>)>().down(
        |below, (mut height, tall)| {
            *height = below.map_or(0, |below| *below) + *tall;
        },
    );
    ship.tree_mut().sweep::<Ref<part::total>, (Mut<part::total>, Ref<part::own>)>().up(
        |children, (mut total, own)| {
            *total = *own + children.map(|child| *child).sum::<u32>();
        },
    );
    let top = ship.tree().descendants(hull).max_by_key(|part| ship[*part].height).unwrap();
    println!(
        "the {} is at {} feet; all together {} tons",
        ship[top].name, ship[top].height, ship[hull].total
    );
}

/// Bad input is an error, and nothing has changed.
fn mistakes(ship: &mut Pool<Part>, hull: Handle<Part>) {
    let flag = named(ship, "flag");
    println!("{}", ship.tree_mut().attach(hull, flag).unwrap_err());
    println!("{}", ship.tree_mut().attach(flag, Handle::NIL).unwrap_err());
    assert_eq!(ship.tree().root_of(flag), hull);
}

/// The mast breaks. Another ship finds it, and rigs it with all that is on it.
fn storm(ship: &mut Pool<Part>, hull: Handle<Part>) -> Result<(), LinkError> {
    let mast = named(ship, "mast");
    let (tree, mut things) = ship.tree_and_things();
    for part in tree.children(mast) {
        things.edit(part, |part| part.held_by = mast); // while the links are being walked
    }
    let wreck = ship.take_tree(mast).unwrap();
    show(ship, hull);

    let mut other = Pool::new();
    let barge = other.spawn_tree(part("barge", 60, 2));
    let mast =
        other.graft(wreck, |part, new| part.held_by = new.get(part.held_by).unwrap_or_default());
    other.tree_mut().attach(mast, barge)?;
    other.tree_mut().sort_children_by(mast, |a, b| a.own.cmp(&b.own))?;
    assert!(other.tree().children(mast).all(|part| other[part].held_by == mast));
    show(&other, barge);

    other.despawn_with(mast, Orphans::Adopt);
    show(&other, barge);
    Ok(())
}

fn part(name: &'static str, own: u32, tall: u32) -> Branch<Part> {
    Branch::new(Part { name, own, tall, ..default() })
}

fn named(ship: &Pool<Part>, name: &str) -> Handle<Part> {
    ship.iter().find(|(_, part)| part.name == name).unwrap().0
}

fn show(ship: &Pool<Part>, root: Handle<Part>) {
    print!("{}", ship.tree().draw(root, |part| ship[part].name));
}

// Expected output:
//
// hull
// ├─ rudder
// ├─ mast
// │  ├─ sail
// │  └─ flag
// ├─ rope
// └─ chest
// the sail is at 33 feet; all together 108 tons
// 1v1 cannot be put below 5v1, which is below it:
// 1v1
// └─ … 1 in between
//    └─ 5v1
// there is no such parent: the handle is nil: it names nothing
// hull
// ├─ rudder
// └─ rope
// barge
// └─ mast
//    ├─ flag
//    └─ sail
// barge
// ├─ flag
// └─ sail
