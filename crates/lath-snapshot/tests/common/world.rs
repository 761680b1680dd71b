//! A world with a pool of every kind and a resource.

use lath_core::{Pool, Thing};
use lath_schedule::World;
use lath_snapshot::{SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::dice::Dice;
use super::play::{Carried, look, play, pool};
use super::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject};

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
pub(crate) fn lively(random: &mut Dice, calls: usize) -> World {
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
pub(crate) fn happen(world: &mut World, random: &mut Dice, calls: usize) -> String {
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

/// An empty world with pools into which those of another can be loaded. Pools that cannot have more
/// slots cannot have less either: whether a pool is fixed is for the program to say.
pub(crate) fn empty_like(world: &World) -> World {
    let mut other = empty();
    other.add_pool(fitting(world.pool::<PlainRow>()));
    other.add_pool(fitting(world.pool::<MixedRow>()));
    other.add_pool(fitting(world.pool::<PlainColumns>()));
    other.add_pool(fitting(world.pool::<MixedColumns>()));
    other
}

/// An empty pool with as many slots as another can have.
fn fitting<T: Thing>(pool: &Pool<T>) -> Pool<T> {
    let limit = pool.stats().limit;
    if limit < u32::MAX >> (32 - T::INDEX_BITS) {
        Pool::fixed(limit as usize).unwrap()
    } else {
        Pool::new()
    }
}

/// A small world with something of everything.
pub(crate) fn small() -> World {
    let mut world = empty();
    let rows: Vec<_> = (0..3).map(|n| world.spawn(PlainRow::new(n))).collect();
    world.pool_mut::<PlainRow>().tree_mut().attach(rows[0], rows[1]).unwrap();
    world.despawn(rows[2]);
    world.spawn(MixedRow::new(5));
    world.pool_mut::<MixedRow>().stage(MixedRow::new(6));
    world.pool_mut::<MixedRow>().reserve();
    let buried = world.spawn(PlainColumns::new(9));
    world.pool_mut::<PlainColumns>().despawn_after(buried, 3);
    world.spawn(MixedColumns::new(35));
    world.insert(Score { points: 7, names: vec!["Ada".into()] });
    world
}

/// The bytes of a save before its body.
pub(crate) const HEADER: usize = 48;

/// A save with another body, and the right checksums for it.
pub(crate) fn with_body(body: &[u8]) -> Vec<u8> {
    let mut file = b"LATHSAVE".to_vec();
    file.extend(1u32.to_le_bytes());
    file.extend([if cfg!(target_endian = "big") { 2 } else { 1 }, 0, 0, 0]);
    file.extend((body.len() as u64).to_le_bytes());
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(xxh3_64(body).to_le_bytes());
    file.extend(xxh3_64(&file).to_le_bytes());
    assert_eq!(file.len(), HEADER);
    file.extend(body);
    file
}
