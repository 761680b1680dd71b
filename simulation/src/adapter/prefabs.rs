//! Prefabs: made of things, written, read, overridden and spawned.

use std::any::Any;

use lath::prelude::*;
use lath::{Field, Prefab, PrefabLibrary, Resident, spawn_prefab, spawn_prefab_with};

use super::garbage::damage;
use super::pool::{handle, id};
use super::things::{Layout, Number, POOLS, Piece};
use super::world::with_pool;
use crate::answer::{Answer, Ask, Refusal};
use crate::fuse;
use crate::poison;
use crate::program::Call;

/// How many prefabs of each pool there are.
const KEPT: u16 = 3;

/// A library for each pool.
pub struct Prefabs {
    libraries: Vec<Box<dyn Any>>,
}

impl Prefabs {
    /// Without any prefab.
    pub fn new<L: Layout>() -> Self {
        let library = |number| -> Box<dyn Any> {
            with_pool!(L, number, T => Box::new(PrefabLibrary::<T<L>>::new()))
        };
        Self { libraries: (0..POOLS).map(library).collect() }
    }

    /// Makes a call, if it is about prefabs.
    pub fn call<T: Piece + Resident>(&mut self, world: &mut World, ask: &Ask) -> Option<Answer> {
        let library = self.libraries[ask.pool].downcast_mut::<PrefabLibrary<T>>();
        let library = library.expect("the library of this pool");
        let name = (ask.v % KEPT).to_string();
        match ask.call {
            Call::MakePrefab => Some(make(library, world.pool(), ask, &name)),
            Call::SpawnPrefab => Some(spawn::<T>(library, world, ask, &name)),
            _ => None,
        }
    }
}

/// Answers how many parts it has.
fn make<T: Piece + Resident>(
    library: &mut PrefabLibrary<T>,
    pool: &Pool<T>,
    ask: &Ask,
    name: &str,
) -> Answer {
    let Some(prefab) = Prefab::of(pool, handle(ask.who[0])) else { return Answer::Is(false) };
    let Ok(text) = prefab.to_text() else { return Answer::Refused(Refusal::Other) };
    assert!(!poison::is_in_text(&text), "a prefab has memory that nobody has written");
    let again = library.add(name, &text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(again.len(), prefab.len(), "written and read");
    assert_eq!(again.to_text().expect("it was written before"), text, "written again");
    read_damaged(library, &text, ask);
    Answer::Count(prefab.len() as u64)
}

/// A text that somebody has damaged is an error and nothing changed, or a prefab that can be
/// spawned and written.
fn read_damaged<T: Piece + Resident>(library: &mut PrefabLibrary<T>, text: &str, ask: &Ask) {
    let mut random = fastrand::Rng::with_seed(u64::from(ask.v) << 16 | u64::from(ask.b));
    let mut bytes = text.as_bytes().to_vec();
    damage(&mut bytes, None, &mut random);
    let Ok(damaged) = String::from_utf8(bytes) else { return };
    let before = library.names().count();
    let Ok(prefab) = library.add("damaged", &damaged) else {
        assert_eq!(library.names().count(), before, "a prefab that was refused");
        return;
    };
    let mut other = World::new();
    if let Ok(root) = spawn_prefab(&mut other, prefab) {
        let pool = other.pool::<T>();
        assert_eq!(pool.check_invariants(), Ok(()));
        assert_eq!(pool.len(), prefab.len());
        let again = Prefab::of(pool, root).expect("it was spawned just now");
        assert_eq!(again.len(), prefab.len());
    }
}

/// Answers the handles of all parts, or that there is no room for them.
fn spawn<T: Piece + Resident>(
    library: &mut PrefabLibrary<T>,
    world: &mut World,
    ask: &Ask,
    name: &str,
) -> Answer {
    let Some(prefab) = library.get(name) else { return Answer::Is(false) };
    let stats = world.pool::<T>().stats();
    let used = stats.live + stats.staged + stats.reserved + stats.buried + stats.retired;
    // What is reserved and given back uses up generations; of tickets there are few.
    if T::TRAITS.index_bits < 32 && ((stats.limit - used) as usize) < prefab.len() {
        return Answer::Refused(Refusal::Full);
    }
    let n = <T::N as Field>::Value::from_number(u32::from(ask.v)).text();
    let second = 1u64 << T::INDEX_BITS | 2;
    let text = match ask.b % 3 {
        0 => format!("(prefab: {name:?})"),
        1 => format!("(prefab: {name:?}, fields: (n: {n}))"),
        _ if prefab.len() < 2 => format!("(prefab: {name:?})"),
        _ => format!("(prefab: {name:?}, inside: {{{second}: (fields: (n: {n}))}})"),
    };
    let prefab = library.add("over", &text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    let mut places = Vec::new();
    let spawned = spawn_prefab_with(world, prefab, |place, part| {
        fuse::burn();
        places.push(place);
        part.settle();
    });
    let Ok(root) = spawned else { return Answer::Refused(Refusal::Full) };
    assert!(places.into_iter().eq(0..prefab.len()), "every part once");
    let below = world.pool::<T>().tree().descendants(root);
    Answer::NewOnes(std::iter::once(root).chain(below).map(id).collect())
}
