//! A world with a pool of every kind and a resource.

use fastrand::Rng;
use lath_schedule::World;
use lath_snapshot::{SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};

use super::play::{Carried, look, play, pool};
use super::things::{MixedColumns, MixedRow, PlainColumns, PlainRow};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Score {
    pub(crate) points: u64,
    pub(crate) names: Vec<String>,
}

/// A world that saves everything and has nothing.
pub(crate) fn empty() -> World {
    let mut world = World::new();
    world.saves::<PlainRow>().tree::<Carried>();
    world.saves::<MixedRow>().tree::<Carried>();
    world.saves::<PlainColumns>().tree::<Carried>();
    world.saves::<MixedColumns>().tree::<Carried>();
    world.saves_resource::<Score>();
    world
}

/// A world in which things have happened.
pub(crate) fn lively(random: &mut Rng, calls: usize) -> World {
    let mut world = empty();
    world.add_pool(pool::<PlainRow>(random));
    world.add_pool(pool::<MixedRow>(random));
    world.add_pool(pool::<PlainColumns>(random));
    world.add_pool(pool::<MixedColumns>(random));
    world.insert(Score { points: random.u64(..), names: vec!["Ada".into(); random.usize(..4)] });
    happen(&mut world, random, calls);
    world
}

/// Makes things happen, and tells what.
pub(crate) fn happen(world: &mut World, random: &mut Rng, calls: usize) -> String {
    let mut heard = play(world.pool_mut::<PlainRow>(), random, calls);
    heard += &play(world.pool_mut::<MixedRow>(), random, calls);
    heard += &play(world.pool_mut::<PlainColumns>(), random, calls);
    heard += &play(world.pool_mut::<MixedColumns>(), random, calls);
    heard
}

pub(crate) fn seen(world: &World) -> String {
    let pools = [
        look(world.pool::<PlainRow>()),
        look(world.pool::<MixedRow>()),
        look(world.pool::<PlainColumns>()),
        look(world.pool::<MixedColumns>()),
    ];
    format!("{pools:?} {:?}", world.try_resource::<Score>().ok())
}

pub(crate) fn save(world: &World) -> Vec<u8> {
    Write::new().to_bytes(&Snapshot::take(world).unwrap()).unwrap()
}
