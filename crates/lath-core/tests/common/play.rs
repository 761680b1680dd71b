//! The player: makes random calls on a pool and on the oracle, and compares everything that a
//! caller can observe.
//!
//! The calls themselves are in `calls.rs`. A failure prints the seed, the step and the call.
//! `LATH_MODEL_SEED=7` plays that seed alone; `LATH_MODEL_STEPS=100000` plays longer games. Fuzz
//! targets play with bytes instead of seeds.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use std::str::FromStr;

use lath_core::{Handle, Pool, SpawnFault, TagSet};

use super::Subject;
use super::counted;
use super::dice::Dice;
use super::oracle::{Fate, Oracle, forge, last_generation};

/// What kind of pool to play with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Room {
    Growable,
    Capacity(usize),
    Fixed(usize),
}

/// Plays one game for each of `seeds`.
pub(crate) fn play<T: Subject>(room: Room, seeds: Range<u64>) {
    let steps = setting("LATH_MODEL_STEPS").unwrap_or(150);
    let seeds = setting("LATH_MODEL_SEED").map_or(seeds, |seed| seed..seed + 1);
    for seed in seeds {
        game::<T>(room, Dice::with_seed(seed), steps);
    }
}

/// Plays one game of at most so many steps.
pub(crate) fn game<T: Subject>(room: Room, dice: Dice, steps: usize) {
    let mut player = Player::<T>::new(room, dice);
    for _ in 0..steps {
        if !player.random.next_step() {
            break;
        }
        player.step();
    }
    player.finish();
}

/// Plays one game in any kind of room, of at most 300 steps.
pub(crate) fn any_room<T: Subject>(mut dice: Dice) {
    let most = 600.min(u32::MAX >> (32 - T::INDEX_BITS)) as usize;
    let room = match dice.u8(..4) {
        0 => Room::Capacity(dice.usize(..=most)),
        1 => Room::Fixed(dice.usize(1..=most)),
        _ => Room::Growable,
    };
    game::<T>(room, dice, 300);
}

fn setting<V: FromStr<Err: Debug>>(name: &str) -> Option<V> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|error| panic!("{name}={text}: {error:?}")))
}

/// Says where the game was when an assertion failed.
struct At {
    game: String,
    step: usize,
    call: &'static str,
    thing: &'static str,
}

impl Drop for At {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self { game, step, call, thing } = self;
            eprintln!("{thing}: `{call}`, step {step} of {game}");
        }
    }
}

pub(super) struct Player<T: Subject> {
    at: At,
    pub(super) random: Dice,
    pub(super) pool: Pool<T>,
    pub(super) oracle: Oracle<T>,
    /// Values that an empty pool holds: the nil thing.
    pub(super) idle: usize,
    pub(super) epoch: u64,
    pub(super) last_value: u64,
    /// What lies beside things, by slot and generation.
    pub(super) beside: BTreeMap<(u32, u32), (Handle<T>, u64)>,
    has_table: bool,
    fixed: bool,
}

impl<T: Subject> Player<T> {
    fn new(room: Room, random: Dice) -> Self {
        let at = At {
            game: random.to_string(),
            step: 0,
            call: "new",
            thing: std::any::type_name::<T>(),
        };
        counted::start_anew();
        let largest = u32::MAX >> (32 - T::INDEX_BITS);
        let (pool, limit) = match room {
            Room::Growable => (Pool::new(), largest),
            Room::Capacity(n) => (Pool::with_capacity(n).unwrap(), largest),
            Room::Fixed(n) => (Pool::fixed(n).unwrap(), n as u32),
        };
        let fixed = matches!(room, Room::Fixed(_));
        let (oracle, idle) = (Oracle::new(limit, matches!(room, Room::Fixed(_))), counted::alive());
        let mut player = Self {
            at,
            random,
            pool,
            oracle,
            idle,
            epoch: 0,
            last_value: 0,
            beside: BTreeMap::new(),
            has_table: false,
            fixed,
        };
        player.has_table = player.chance(40);
        player
    }

    fn finish(mut self) {
        self.at.call = "drop";
        let Self { pool, at, .. } = self;
        drop(pool);
        counted::assert_all_dropped_once("at the end of the game");
        drop(at);
    }

    fn step(&mut self) {
        type Call<T> = (u32, &'static str, fn(&mut Player<T>));
        let calls: [Call<T>; 28] = [
            (14, "spawn", Self::spawn),
            (8, "try_spawn", Self::try_spawn),
            (4, "spawn_many", Self::spawn_many),
            (6, "spawn_range", Self::spawn_range),
            (14, "spawn_at", Self::spawn_at),
            (22, "despawn", Self::despawn),
            (8, "take", Self::take),
            (8, "despawn_after", Self::despawn_after),
            (5, "reap", Self::reap),
            (10, "stage", Self::stage),
            (8, "reserve", Self::reserve),
            (5, "commit", Self::commit),
            (4, "edit", Self::edit),
            (4, "get_mut", Self::get_mut),
            (6, "get_disjoint_mut", Self::get_disjoint_mut),
            (5, "split", Self::split),
            (4, "each_with_rest", Self::each_with_rest),
            (if Oracle::<T>::TAGGED { 8 } else { 0 }, "set_tags", Self::change_tags),
            (4, "iter_mut", Self::iter_mut),
            (3, "retain", Self::retain),
            (4, "extract_if", Self::extract_if),
            (1, "clear", Self::clear),
            (3, "clone", Self::clone_pool),
            (3, "set_reuse", Self::set_reuse),
            (2, "reclaim_retired", Self::reclaim_retired),
            (3, "shrink_to_fit", Self::shrink),
            (3, "despawn_many", Self::despawn_many),
            // Where there is a table some things go another way.
            (if self.has_table { 12 } else { 0 }, "side_mut", Self::side_mut),
        ];
        let all: u32 = calls.iter().map(|call| call.0).sum();
        let mut lot = self.random.u32(..all);
        let call = calls
            .into_iter()
            .find(|&(weight, ..)| lot.checked_sub(weight).map(|left| lot = left).is_none());
        let (_, name, call) = call.unwrap();
        self.at.step += 1;
        self.at.call = name;
        call(self);
        self.assert_same();
    }

    // Choices.

    pub(super) fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    pub(super) fn new_value(&mut self) -> u64 {
        self.last_value += 1;
        self.last_value
    }

    pub(super) fn new_kind(&mut self) -> u32 {
        self.random.u32(..1 << T::KIND_BITS)
    }

    pub(super) fn new_tags(&mut self) -> u64 {
        if Oracle::<T>::TAGGED { self.random.u64(..4) } else { 0 }
    }

    /// A handle: mostly of something that is there, sometimes dead, nil or made up.
    pub(super) fn some_handle(&mut self) -> Handle<T> {
        let in_use = !self.chance(25);
        let wanted: Vec<_> = self
            .oracle
            .lives()
            .filter(|life| (life.fate != Fate::Dead) == in_use)
            .map(|life| life.handle)
            .collect();
        match self.random.u8(..20) {
            0 => Handle::NIL,
            1 => self.made_up_handle(),
            _ => self.random.choice(wanted).unwrap_or(Handle::NIL),
        }
    }

    /// A handle that the pool may never have made; not so far out that a growable pool would need
    /// much memory.
    pub(super) fn made_up_handle(&mut self) -> Handle<T> {
        let far = self.chance(10);
        let most = if far { 3000 } else { 100 };
        let index =
            if self.fixed && self.chance(10) { u32::MAX } else { self.random.u32(1..=most) };
        let index = index.min(u32::MAX >> (32 - T::INDEX_BITS));
        let last = last_generation::<T>();
        let generation = match self.random.u8(..8) {
            0 => last,
            1 => self.random.u32(..) & last,
            2 => self.oracle.generation(index),
            _ => self.oracle.generation(index).saturating_add(self.random.u32(1..6)),
        };
        let kind = self.new_kind();
        forge(index, generation.min(last) | 1, kind)
    }

    pub(super) fn capacity(&self) -> u32 {
        self.pool.capacity() as u32
    }

    /// The handle that a thing of kind `kind` should get in slot `index`.
    pub(super) fn next_handle_in(&self, index: u32, kind: u32) -> Handle<T> {
        forge(index, self.oracle.generation(index) + 1, kind)
    }

    /// What a call should say that finds no free slot.
    pub(super) fn full(&self) -> SpawnFault {
        SpawnFault::Full {
            capacity: self.oracle.limit,
            retired: self.oracle.retired().len() as u32,
        }
    }

    // Comparison.

    /// How many values the pool should hold beside the nil thing.
    pub(super) fn values(&self) -> usize {
        self.oracle.count(|fate| !matches!(fate, Fate::Reserved | Fate::Dead)) as usize
    }

    /// Everything that a caller could observe about the pool agrees with the oracle.
    pub(super) fn assert_same(&mut self) {
        let Self { pool, oracle, random, idle, beside, .. } = self;
        assert_eq!(pool.check_invariants(), Ok(()));

        beside.retain(|_, (handle, _)| oracle.value(*handle).is_some());
        let side = pool.side::<u64>();
        assert_eq!(
            side.iter().map(|(handle, value)| (handle, *value)).collect::<Vec<_>>(),
            beside.values().copied().collect::<Vec<_>>(),
            "what lies beside"
        );
        assert_eq!((side.len(), side.is_empty()), (beside.len(), beside.is_empty()));

        let live = oracle.live();
        let show = |(handle, thing)| (handle, T::seen(thing));
        assert_eq!(pool.iter().map(show).collect::<Vec<_>>(), live, "iteration differs");
        assert_eq!(pool.iter().size_hint(), (live.len(), Some(live.len())));
        let mut folded = Vec::new();
        let mut rest = pool.iter();
        folded.extend(rest.by_ref().take(random.usize(..=live.len())).map(show));
        rest.for_each(|thing| folded.push(show(thing)));
        assert_eq!(folded, live, "iteration by `fold` differs");
        assert!(pool.handles().eq(live.iter().map(|&(handle, _)| handle)), "handles differ");
        let with_staged = oracle.live_and_staged();
        assert_eq!(
            pool.iter_with_staged().map(show).collect::<Vec<_>>(),
            with_staged,
            "with staged ones differs"
        );
        assert_eq!((pool.len(), pool.is_empty()), (live.len(), live.is_empty()));

        let stats = pool.stats();
        assert_eq!(stats.live, live.len() as u32);
        assert_eq!(stats.staged, (with_staged.len() - live.len()) as u32);
        assert_eq!(stats.reserved, oracle.count(|fate| fate == Fate::Reserved));
        assert_eq!(stats.buried, oracle.count(|fate| matches!(fate, Fate::Buried { .. })));
        assert_eq!(stats.retired, oracle.retired().len() as u32);
        assert_eq!(stats.high_water, oracle.high_water, "the high-water mark");
        assert_eq!(stats.largest_generation, oracle.largest_generation, "the largest generation");
        assert_eq!((stats.capacity, stats.limit), (pool.capacity() as u32, oracle.limit));
        assert!(!stats.beyond_expected);

        for tags in 0..4 {
            let having =
                live.iter().filter(|&&(handle, _)| oracle.tags(handle) & tags == tags).count();
            if tags == 0 || Oracle::<T>::TAGGED {
                assert_eq!(
                    pool.count_tagged(T::Tags::narrow(tags)),
                    having,
                    "things with tags {tags:b}"
                );
            }
        }

        let capacity = pool.capacity() as u32;
        let share = 80.0 / oracle.lives().count().max(1) as f64;
        for life in oracle.lives() {
            let handle = life.handle;
            if life.fate == Fate::Dead && random.f64() > share {
                continue; // all dead handles would take too long in a long game
            }
            let expected = oracle.value(handle);
            assert_eq!(
                pool.get(handle).map(T::seen),
                expected,
                "{handle}, which is {:?}",
                life.fate
            );
            assert_eq!(
                T::seen(pool.read(handle)),
                expected.unwrap_or(0),
                "{handle}, which is {:?}",
                life.fate
            );
            assert_eq!(pool.contains(handle), expected.is_some());
            assert_eq!(pool.tags(handle).widen(), oracle.tags(handle), "the tags of {handle}");
            assert_eq!(
                pool.check(handle),
                oracle.check(handle, capacity),
                "{handle}, which is {:?}",
                life.fate
            );
        }
        for (index, kind) in
            [(0, 0), (random.u32(1..100), 0), (random.u32(1..100), random.u32(..1 << T::KIND_BITS))]
        {
            let generation = random.u32(..) & last_generation::<T>();
            let handle = forge::<T>(index & u32::MAX >> (32 - T::INDEX_BITS), generation, kind);
            assert_eq!(pool.get(handle).map(T::seen), oracle.value(handle), "the made-up {handle}");
            assert_eq!(
                T::seen(pool.read(handle)),
                oracle.value(handle).unwrap_or(0),
                "the made-up {handle}"
            );
        }

        counted::assert_none_dropped_twice("values");
        if T::COUNTED {
            assert_eq!(
                counted::alive(),
                *idle + self.values(),
                "values leaked, or were dropped too early"
            );
        }
    }
}
