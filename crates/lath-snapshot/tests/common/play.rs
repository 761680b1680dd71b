//! A player that makes random calls on a pool. Two pools that are in the same state give the same
//! answers to the same player.

use std::fmt::Write as _;

use lath_core::{Handle, Pool, Relation, Reuse, TagSet};

use super::dice::Dice;
use super::things::Subject;

/// A second tree, in which nothing goes with its parent.
pub(crate) struct Carried;

impl Relation for Carried {
    const ORPHANS: lath_core::Orphans = lath_core::Orphans::Detach;
}

/// A pool that is worth playing with.
pub(crate) fn pool<T: Subject>(random: &mut Dice) -> Pool<T> {
    let mut pool = match random.u8(..4) {
        0 => Pool::fixed(random.usize(100..700)).unwrap(),
        1 if T::INDEX_BITS > 12 => Pool::with_capacity(random.usize(..4000)).unwrap(),
        1 => Pool::with_capacity(random.usize(..900)).unwrap(),
        _ => Pool::new(),
    };
    pool.set_reuse([Reuse::Lowest, Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][random.usize(..4)]);
    if random.bool() {
        pool.track_changes();
    }
    pool
}

/// Makes `calls` random calls, and notes every answer.
pub(crate) fn play<T: Subject>(pool: &mut Pool<T>, random: &mut Dice, calls: usize) -> String {
    let mut heard = String::new();
    for _ in 0..calls {
        if !random.next_step() {
            break;
        }
        call(pool, random, &mut heard);
    }
    pool.check_invariants().unwrap();
    heard
}

fn call<T: Subject>(pool: &mut Pool<T>, random: &mut Dice, heard: &mut String) {
    let value = random.u32(..1000);
    let known: Vec<Handle<T>> = pool.iter_with_staged().map(|(handle, _)| handle).collect();
    let mut any =
        || if known.is_empty() { Handle::NIL } else { known[random.usize(..known.len())] };
    let (one, two, three) = (any(), any(), any());
    let answer = match random.u8(..34) {
        0..=5 => format!("{:?}", pool.try_spawn(T::new(value)).map_err(|error| error.fault)),
        6 | 7 => {
            let count = random.u32(..90);
            let mut spawned = Vec::new();
            for n in 0..count {
                spawned.extend(pool.try_spawn(T::new(value + n)).ok());
            }
            format!("{spawned:?}")
        }
        8 => {
            format!("{:?}", pool.spawn_range(random.u32(..20), |n| T::new(value / 21 * 21 + 3 * n)))
        }
        9..=11 => format!("{}", pool.despawn(one)),
        12 => {
            pool.retain(|handle, _| handle.index() % 3 != value % 3);
            String::new()
        }
        13 => format!("{:?}", pool.take(one).is_some()),
        14 => format!("{}", pool.despawn_after(one, u64::from(value % 8))),
        15 => format!("{}", pool.reap(u64::from(value % 8))),
        16 => format!("{:?}", pool.try_stage(T::new(value)).map_err(|error| error.fault)),
        17 => format!("{:?}", pool.try_reserve()),
        18 => format!("{}", pool.commit()),
        19 => format!("{}", pool.set_tags(one, T::some_tags(value))),
        20 | 21 => format!("{}", pool.edit(one, |thing| T::set(thing, value))),
        22..=25 => format!("{:?}", pool.tree_mut().attach(one, two)),
        26 => format!("{:?}", pool.tree_mut().detach(one)),
        27 => format!("{:?}", pool.tree_of_mut::<Carried>().attach(two, three)),
        28 => {
            pool.tree_mut().mark(one);
            String::new()
        }
        29 => {
            let reserved = pool.reserve_or_nil(random);
            format!("{:?}", pool.spawn_at(reserved, T::new(0)).map_err(|error| error.fault))
        }
        30 if value % 9 == 0 => {
            pool.clear();
            String::new()
        }
        31 if value % 9 == 0 => format!("{}", pool.reclaim_retired()),
        32 => {
            pool.next_tick();
            String::new()
        }
        _ => format!("{}", pool.len()),
    };
    writeln!(heard, "{answer}").unwrap();
}

/// A handle that is reserved just now, if there is room.
trait ReserveOrNil<T: Subject> {
    fn reserve_or_nil(&self, random: &mut Dice) -> Handle<T>;
}

impl<T: Subject> ReserveOrNil<T> for Pool<T> {
    fn reserve_or_nil(&self, random: &mut Dice) -> Handle<T> {
        if random.bool() { self.try_reserve().unwrap_or_default() } else { Handle::NIL }
    }
}

/// All that can be seen of a pool, but for how much memory it has.
pub(crate) fn look<T: Subject>(pool: &Pool<T>) -> String {
    let mut seen = String::new();
    let stats = pool.stats();
    let counts = (stats.live, stats.staged, stats.reserved, stats.buried, stats.retired);
    writeln!(
        seen,
        "{counts:?} {} {} {:?}",
        stats.high_water,
        stats.largest_generation,
        pool.reuse()
    )
    .unwrap();
    for (handle, thing) in pool.iter_with_staged() {
        let (tree, carried) = (pool.tree(), pool.tree_of::<Carried>());
        let links = [
            tree.parent(handle),
            tree.next_sibling(handle),
            carried.parent(handle),
            carried.next_sibling(handle),
        ];
        writeln!(seen, "{handle} {} {:?} {links:?}", T::seen(thing), pool.tags(handle).widen())
            .unwrap();
    }
    for bits in 0..8 {
        write!(seen, "{} ", pool.count_tagged(T::Tags::narrow(bits))).unwrap();
    }
    seen
}
