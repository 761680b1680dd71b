//! A day in a small harbour: ships come, stay, are counted, and leave.
//!
//! Shows: spawning and walking, adding while a reference is held, taking things out with what they
//! own, keeping a dead thing's memory for a while, and a pool that is full.
//!
//! Run: `cargo run --example 02_pool`

use lath::prelude::*;

#[derive(Thing, Debug, Default)]
struct Ship {
    name: String,
    cargo: u32,
    tugs: u32,
}

fn main() {
    let mut harbour = Pool::new();
    morning(&mut harbour);
    noon(&mut harbour);
    evening(&mut harbour);
    berths();
}

/// Ships come in, one by one and as a convoy.
fn morning(harbour: &mut Pool<Ship>) {
    let heron = harbour.spawn(ship("Heron", 40));
    harbour.spawn_many([ship("Egret", 15), ship("Stork", 0)]);
    let barges = harbour.spawn_range(3, |i| ship(&format!("barge {i}"), 5)).unwrap();
    println!("{} ships: the Heron is {heron:?}, the barges are {barges:?}", harbour.len());

    // Walks are in slot order.
    let names: Vec<_> = harbour.iter().map(|(_, ship)| ship.name.as_str()).collect();
    println!("moored: {}", names.join(", "));
    println!("cargo in all: {}", harbour.iter().map(|(_, ship)| ship.cargo).sum::<u32>());
}

/// A tug is called while somebody is still looking at the ship that it is for.
fn noon(harbour: &mut Pool<Ship>) {
    let heron = harbour.handles().next().unwrap();
    let held = harbour.read(heron);
    let tug = harbour.stage(ship("tug", 0)); // through a shared reference: nothing moves, `held` stays good
    println!("{} calls the {}, which is {tug:?}", held.name, harbour.read(tug).name);
    assert_eq!((harbour.iter().count(), harbour.iter_with_staged().count()), (6, 7));
    harbour.commit();
    assert_eq!(harbour.iter().count(), 7);

    // One ship to change, a look at all the others, and new ships staged meanwhile.
    harbour.each_with_rest(|_, me, rest| {
        if me.cargo > 10 {
            me.tugs = 1;
            rest.stage(ship(&format!("lighter of the {}", me.name), me.cargo / 2));
            me.cargo -= me.cargo / 2;
        }
    });
    println!("{} lighters come alongside", harbour.commit());
}

/// Ships leave. One of them is still being painted, so its hull stays for a while.
fn evening(harbour: &mut Pool<Ship>) {
    let empty: Vec<Ship> =
        harbour.extract_if(|_, ship| ship.cargo == 0).map(|(_, ship)| ship).collect();
    println!("leaving empty: {} and {}", empty[0].name, empty[1].name);

    let painted = harbour.handles().next().unwrap();
    harbour.despawn_after(painted, 3); // the handle dies now, the value when day 3 is over
    assert!(harbour.get(painted).is_none());
    assert_eq!((harbour.reap(2), harbour.reap(3)), (0, 1));

    harbour.retain(|_, ship| ship.tugs > 0 || ship.cargo > 5);
    let next = harbour.spawn(ship("Crane", 1)); // the lowest free slot
    assert_eq!(next.index(), painted.index());
    println!("the Crane gets the Heron's place as {next:?}; left: {}", harbour.len());

    let stats = harbour.stats();
    println!("most at once {}, largest generation {}", stats.high_water, stats.largest_generation);
    harbour.clear();
    assert!(harbour.get(next).is_none()); // no old handle outlives `clear`
}

/// A pool of a fixed size allocates once, and gives back what does not fit.
fn berths() {
    let mut berths = Pool::fixed(2).unwrap();
    berths.spawn_many([ship("Heron", 1), ship("Egret", 2)]);
    let error = berths.try_spawn(ship("Stork", 3)).unwrap_err();
    println!("no berth for the {}: {error}", error.value.name);
    println!("{}", Pool::<Ship>::fixed(0).unwrap_err());
}

fn ship(name: &str, cargo: u32) -> Ship {
    Ship { name: name.into(), cargo, tugs: 0 }
}

// Expected output:
//
// 6 ships: the Heron is 1v1, the barges are 4v1+3
// moored: Heron, Egret, Stork, barge 0, barge 1, barge 2
// cargo in all: 70
// Heron calls the tug, which is 7v1
// 2 lighters come alongside
// leaving empty: Stork and tug
// the Crane gets the Heron's place as 1v3; left: 4
// most at once 9, largest generation 3
// no berth for the Stork: the pool is full: 2 of 2 slots are taken
// a pool of capacity 0 could hold nothing: ask for at least 1
