//! A missile chases a ship; the ship docks before the missile arrives.
//!
//! Shows: keeping a handle across frames, asking whether it is still good, and why a reused slot
//! cannot fool it.
//!
//! Run: `cargo run --example 01_handles`

use lath::prelude::*;

/// One fat struct for everything that moves: a ship has no target, a missile has no name.
#[derive(Thing, Debug, Default)]
struct Craft {
    name: &'static str,
    x: f32,
    target: Handle<Craft>, // `Handle::NIL` by default: nothing
}

fn main() {
    let mut crafts = Pool::new();
    let heron = crafts.spawn(Craft { name: "Heron", x: 9.0, ..default() });
    let missile = crafts.spawn(Craft { target: heron, ..default() });
    println!("the Heron is {heron:?}, the missile is {missile:?}: slot, `v`, generation");

    for frame in 1..=2 {
        let gap = chase(&mut crafts, missile);
        println!("frame {frame}: {gap} to go");
    }

    // The Heron docks, and another ship leaves the dock at once: in the same slot, but as a later
    // generation.
    crafts.despawn(heron);
    let egret = crafts.spawn(Craft { name: "Egret", x: 20.0, ..default() });
    println!("the Heron docks; the Egret is {egret:?}");
    assert_eq!(egret.index(), heron.index());
    assert_ne!(egret, heron);

    // Nobody has told the missile. Its handle knows.
    let target = crafts.read(missile).target;
    assert_eq!(target, heron);
    assert!(crafts.get(target).is_none());
    println!("{}", crafts.check(target).unwrap_err());

    // `read` never fails: a handle of nothing shows the nil thing, `Craft::default()`.
    let nil = crafts.read(target);
    assert_eq!((nil.name, nil.target), ("", Handle::NIL));
    // Nobody can write to it.
    assert!(!crafts.edit(target, |craft| craft.x = 1.0));

    // The missile gives up. A nil handle is no special case: it names nothing, like a stale one.
    crafts.edit(missile, |missile| missile.target = Handle::NIL);
    println!("{}", crafts.check(crafts.read(missile).target).unwrap_err());

    // A handle is 8 bytes that mean the same in a save or on another machine…
    let saved = egret.to_bits();
    assert_eq!(size_of::<Handle<Craft>>(), 8);
    assert_eq!(crafts.read(Handle::from_bits(saved)).name, "Egret");
    // …and bits that somebody made up are harmless.
    assert!(crafts.get(Handle::from_bits(0xdead_beef_dead_beef)).is_none());
    assert!(Handle::<Craft>::from_bits(u64::from(egret.index())).is_nil()); // generation 0: no thing ever has it
    println!("after a trip through a save: {}", crafts.read(Handle::from_bits(saved)).name);
}

/// Halves the distance between a missile and its target, if there is one. Answers what is left of
/// it.
fn chase(crafts: &mut Pool<Craft>, missile: Handle<Craft>) -> f32 {
    let Some((me, rest)) = crafts.split(missile) else { return 0.0 };
    let Some(target) = rest.get(me.target) else { return 0.0 };
    me.x += (target.x - me.x) / 2.0;
    target.x - me.x
}

// Expected output:
//
// the Heron is 1v1, the missile is 2v1: slot, `v`, generation
// frame 1: 4.5 to go
// frame 2: 2.25 to go
// the Heron docks; the Egret is 1v3
// 1v1 is stale: slot 1 is now at generation 3
// the handle is nil: it names nothing
// after a trip through a save: Egret
