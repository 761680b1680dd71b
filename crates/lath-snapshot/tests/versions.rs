//! Old saves still load: one file in `tests/saves` for each change of the things below, written by
//! the program as it was then.
//!
//! `LATH_WRITE_SAVES=1 cargo test -p lath-snapshot --test versions` writes those that are missing.
//! A file that is there is never written again: it stands for a program that is no more.

#![cfg(target_endian = "little")]

use std::fs;
use std::path::PathBuf;

use lath_core::{Handle, Thing};
use lath_schedule::World;
use lath_snapshot::{Load, Save, SaveError, SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Score {
    points: u32,
}

/// The first version.
mod v1 {
    use super::*;

    #[derive(Thing, Save, Default)]
    pub(super) struct Ship {
        pub(super) hull: u16,
        pub(super) goal: Handle<Ship>,
        pub(super) crew: String,
        pub(super) paint: u8,
    }

    pub(super) fn world() -> World {
        let mut world = World::new();
        world.saves::<Ship>();
        world.saves_resource::<Score>();
        let first =
            world.spawn(Ship { hull: 10, crew: "Ada, Lin".into(), paint: 3, ..Ship::default() });
        let gone = world.spawn(Ship::default());
        let second = world.spawn(Ship { hull: 20, goal: first, crew: "Bo".into(), paint: 4 });
        let third = world.spawn(Ship { hull: 30, goal: second, ..Ship::default() });
        world.despawn(gone);
        world.pool_mut::<Ship>().tree_mut().attach(third, first).unwrap();
        world.insert(Score { points: 7 });
        world
    }
}

/// `goal` is called `target`, `paint` is gone, `speed` is new.
mod v2 {
    use super::*;

    #[derive(Thing, Save, Default)]
    pub(super) struct Ship {
        pub(super) hull: u16,
        #[thing(alias = "goal")]
        pub(super) target: Handle<Ship>,
        pub(super) crew: String,
        pub(super) speed: f32,
    }

    pub(super) fn world() -> World {
        let mut world = World::new();
        world.saves::<Ship>();
        world.saves_resource::<Score>();
        Load::new().from_bytes(&mut world, &read("v1")).unwrap();
        world.pool_mut::<Ship>().retain(|_, ship| {
            ship.speed = 1.5;
            true
        });
        world
    }
}

/// `hull` is a float, `crew` a list, `Ship` is called `Vessel` and kept in columns, `Score` is
/// called `points`.
mod v3 {
    use super::*;

    #[derive(Thing, Save, Default)]
    #[thing(columns)]
    pub(super) struct Vessel {
        #[thing(hot)]
        pub(super) hull: f32,
        #[thing(alias = "goal")]
        pub(super) target: Handle<Vessel>,
        #[thing(cold)]
        pub(super) crew: Vec<String>,
        pub(super) speed: f32,
        #[thing(skip)]
        pub(super) drawn: u32,
    }

    pub(super) fn empty() -> World {
        let mut world = World::new();
        world
            .saves::<Vessel>()
            .alias("Ship")
            .convert_plain::<vessel::hull, u16>(f32::from)
            .convert::<vessel::crew, String>(|old| {
            old.split(", ").filter(|name| !name.is_empty()).map(String::from).collect()
        });
        world.saves_resource::<Score>().named("points").alias("Score");
        world
    }

    pub(super) fn world() -> World {
        let mut world = empty();
        Load::new().from_bytes(&mut world, &read("v2")).unwrap();
        world
    }
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/saves").join(name).with_extension("lath")
}

fn read(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|error| panic!("{}: {error}", path(name).display()))
}

fn write_missing() {
    if std::env::var_os("LATH_WRITE_SAVES").is_none() {
        return;
    }
    for (name, world) in [("v1", v1::world as fn() -> World), ("v2", v2::world), ("v3", v3::world)]
    {
        if !path(name).exists() {
            Write::new().to_file(&Snapshot::take(&world()).unwrap(), path(name)).unwrap();
        }
    }
}

#[test]
fn every_old_save_loads_into_the_program_of_today() {
    write_missing();
    for name in ["v1", "v2", "v3"] {
        let mut world = v3::empty();
        Load::new()
            .from_bytes(&mut world, &read(name))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let pool = world.pool::<v3::Vessel>();
        let hulls: Vec<_> = pool
            .iter()
            .map(|(handle, ship)| (handle.index(), handle.generation(), *ship.hull))
            .collect();
        assert_eq!(hulls, [(1, 1, 10.0), (3, 1, 20.0), (4, 1, 30.0)], "{name}");
        let [first, second, third] =
            <[_; 3]>::try_from(pool.handles().collect::<Vec<_>>()).unwrap();
        assert_eq!(
            (*pool.read(second).target, *pool.read(third).target),
            (first, second),
            "{name}"
        );
        assert_eq!(pool.read(first).crew, &["Ada", "Lin"], "{name}");
        assert!(pool.read(third).crew.is_empty(), "{name}");
        assert_eq!(*pool.read(first).speed, if name == "v1" { 0.0 } else { 1.5 }, "{name}");
        assert_eq!(pool.tree().parent(third), Some(first), "{name}");
        assert_eq!(world.resource::<Score>().points, 7, "{name}");
        // The slot of the one that was despawned is next, under a later generation.
        let next = world.spawn(v3::Vessel::default());
        assert_eq!((next.index(), next.generation()), (2, 3), "{name}");
    }
}

#[test]
fn a_type_that_has_changed_is_an_error_that_names_the_field() {
    write_missing();
    let mut world = World::new();
    world.saves::<v3::Vessel>().alias("Ship");
    let error = Load::new().ignore("Score").from_bytes(&mut world, &read("v1")).unwrap_err();
    assert!(
        matches!(&error, SaveError::Field { pool, field, .. } if pool == "Vessel" && field == "hull"),
        "{error}"
    );
    assert!(
        error.to_string().contains("it is `u16` in the save and `f32` in the program"),
        "{error}"
    );
    assert!(world.try_pool::<v3::Vessel>().map_or(true, |pool| pool.is_empty()));
}

#[test]
fn the_conversion_of_another_form_says_which_to_use() {
    write_missing();
    let mut world = World::new();
    world.saves::<v3::Vessel>().alias("Ship").convert::<v3::vessel::hull, u16>(f32::from);
    let error = Load::new().ignore("Score").from_bytes(&mut world, &read("v1")).unwrap_err();
    assert!(error.to_string().contains("convert_plain"), "{error}");
}
