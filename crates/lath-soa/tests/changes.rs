//! Whatever way a field is reached to be changed, its group is reported; and nothing is reported
//! that nobody could have changed. The oracle knows, for every call, which groups and which fields
//! it gives access to.
//!
//! A failure prints the seed, the step and the call; `LATH_MODEL_SEED=7` plays that seed alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use fastrand::Rng;
use lath_core::bitflags::bitflags;
use lath_core::{Branch, Handle, Mut, Pool, Ref, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 {
        const MOVES = 1;
        const FROZEN = 2;
    }
}

/// The fields, by number.
const TAGS: usize = 0;
const POS: usize = 1;
const VEL: usize = 2;
const HP: usize = 3;
const NAME: usize = 4;
const FIELDS: [usize; 5] = [TAGS, POS, VEL, HP, NAME];

/// When something was reached last, by group and field.
type Ticks = BTreeMap<(u32, usize), u64>;

/// What the oracle knows.
struct Oracle<H> {
    tick: u64,
    live: BTreeMap<H, Tags>,
    staged: BTreeMap<H, Tags>,
    must: Ticks,
    /// What may be reported beside that: access was asked for and not given, or not to a live
    /// thing.
    may: Ticks,
}

impl<H: Copy + Ord + Debug> Oracle<H> {
    fn note(&mut self, group: u32, fields: &[usize]) {
        for &field in fields {
            self.must.insert((group, field), self.tick);
        }
    }

    fn allow(&mut self, group: u32, fields: &[usize]) {
        for &field in fields {
            self.may.insert((group, field), self.tick);
        }
    }

    /// Whoever has the one tag and not the other.
    fn movers(&self) -> BTreeSet<H> {
        let moves = |tags: &Tags| tags.contains(Tags::MOVES) && !tags.contains(Tags::FROZEN);
        self.live.iter().filter(|(_, tags)| moves(tags)).map(|(who, _)| *who).collect()
    }

    fn all(&self) -> BTreeSet<H> {
        self.live.keys().copied().collect()
    }

    /// Compares what is reported for a field since a tick with the live things, by group.
    fn compare(&self, field: usize, since: u64, reported: Vec<H>, groups: &BTreeMap<u32, Vec<H>>) {
        let mut reported = reported.into_iter().peekable();
        for (&group, live) in groups {
            let is_later =
                |ticks: &Ticks| ticks.get(&(group, field)).is_some_and(|tick| *tick > since);
            let what = || format!("field {field} of group {group}, since {since}");
            if reported.peek() == Some(&live[0]) {
                assert!(is_later(&self.must) || is_later(&self.may), "{} was reported", what());
                assert!(
                    reported.by_ref().take(live.len()).eq(live.iter().copied()),
                    "{}: all, in slot order",
                    what()
                );
            } else {
                assert!(!is_later(&self.must), "{} was not reported", what());
            }
        }
        assert_eq!(reported.next(), None, "only live things are reported, in slot order");
    }
}

fn random_tags(random: &mut Rng) -> Tags {
    [Tags::MOVES, Tags::FROZEN]
        .into_iter()
        .filter(|_| random.u8(..3) == 0)
        .fold(Tags::empty(), |set, tag| set | tag)
}

/// The whole test, for one layout.
macro_rules! for_layout {
    ($module:ident, $layout:ident, dense: $dense:literal) => {
        mod $module {
            use super::*;

            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            pub(super) struct Actor {
                #[thing(tags)]
                tags: Tags,
                pos: [f32; 3],
                #[thing(hot)]
                vel: f32,
                hp: f32,
                #[thing(cold)]
                name: String,
            }

            type H = Handle<Actor>;

            #[derive(View)]
            #[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
            struct Moving<'a> {
                pos: &'a mut [f32; 3],
                vel: &'a f32,
            }

            #[derive(View)]
            #[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
            struct MovingVel<'a> {
                vel: &'a f32,
            }

            type Healed<'a> = (Mut<'a, actor::hp>, Ref<'a, actor::vel>);
            type Both<'a> = (Mut<'a, actor::hp>, Mut<'a, actor::vel>);

            struct Game {
                pool: Pool<Actor>,
                oracle: Oracle<H>,
                random: Rng,
                dead: Vec<H>,
            }

            fn group(who: H) -> u32 {
                who.index() / 64
            }

            impl Game {
                fn actor(&mut self) -> Actor {
                    let name = if self.random.bool() { String::new() } else { "x".into() };
                    Actor { tags: random_tags(&mut self.random), name, ..Default::default() }
                }

                /// Somebody who is there; sometimes staged, seldom dead.
                fn any(&mut self) -> H {
                    let Self { oracle, random, dead, .. } = self;
                    let live = || oracle.live.keys().copied().collect::<Vec<_>>();
                    let from = match random.u8(..20) {
                        0 => dead.clone(),
                        1 | 2 => oracle.staged.keys().copied().collect(),
                        _ => live(),
                    };
                    random.choice(from).unwrap_or(H::NIL)
                }

                fn reached(&mut self, who: impl IntoIterator<Item = H>, fields: &[usize]) {
                    for who in who {
                        self.oracle.note(group(who), fields);
                    }
                }

                /// One thing was asked for by handle. Only if it is live does that matter.
                fn asked(&mut self, who: H, fields: &[usize]) {
                    if self.oracle.live.contains_key(&who) {
                        self.oracle.note(group(who), fields);
                    } else {
                        self.oracle.allow(group(who), fields);
                    }
                }

                fn came(&mut self, who: H) {
                    let tags = self.pool.tags(who);
                    self.reached([who], &FIELDS);
                    assert!(self.oracle.live.insert(who, tags).is_none());
                }

                /// Removes from the model what is no longer in the pool.
                fn some_went(&mut self) {
                    let gone: Vec<H> = self.oracle.all().into_iter().filter(|who| !self.pool.contains(*who)).collect();
                    for who in gone {
                        self.oracle.live.remove(&who);
                        self.reached([who], &FIELDS);
                        self.dead.push(who);
                    }
                    let staged: Vec<H> = self.oracle.staged.keys().copied().collect();
                    for who in staged.into_iter().filter(|who| !self.pool.contains(*who)).collect::<Vec<_>>() {
                        self.oracle.staged.remove(&who);
                        self.oracle.allow(group(who), &FIELDS);
                    }
                }

                /// One call; answers which.
                fn step(&mut self) -> &'static str {
                    let (all, movers) = (self.oracle.all(), self.oracle.movers());
                    let (who, other) = (self.any(), self.any());
                    match self.random.u8(..52) {
                        0 => {
                            self.oracle.tick += 1;
                            assert_eq!(self.pool.next_tick(), self.oracle.tick);
                            "next_tick"
                        }
                        1 => {
                            self.pool.view_mut::<Moving>().each(|moving| moving.pos[0] += *moving.vel);
                            self.reached(movers, &[POS]);
                            "each, with a filter"
                        }
                        2 => {
                            self.pool.view_mut::<Healed>().each(|(mut hp, vel)| *hp += *vel);
                            self.reached(all, &[HP]);
                            "each"
                        }
                        3 => {
                            self.pool.view_mut::<(Ref<actor::hp>, Ref<actor::vel>)>().each(|(_, _)| ());
                            "each that reads"
                        }
                        4 => {
                            self.pool.view_mut::<Both>().iter_mut().take(1).for_each(|(mut hp, _)| *hp += 1.0);
                            self.reached(all, &[HP, VEL]);
                            "iter_mut of a view"
                        }
                        5 => {
                            assert_eq!(self.pool.view::<MovingVel>().iter().count(), movers.len());
                            "query"
                        }
                        6 => {
                            let seen = self.pool.view_mut::<Moving>().get_mut(who).is_some();
                            let fields: &[usize] = &[POS];
                            if seen {
                                self.asked(who, fields);
                            } else {
                                self.oracle.allow(group(who), fields);
                            }
                            "view_mut, with a filter"
                        }
                        7 => {
                            let _ = self.pool.view_mut::<Option<Mut<actor::name>>>().get_mut(who);
                            self.asked(who, &[NAME]);
                            "view_mut of a cold field"
                        }
                        8 => {
                            let _ = self.pool.view::<(Ref<actor::hp>, Option<Ref<actor::name>>)>().get(who);
                            let _ =
                                (self.pool.get(who).is_some(), self.pool.read(who).hp, self.pool.has(who, Tags::MOVES));
                            let _ = self.pool.iter_with_staged().count() + self.pool.iter().count();
                            "looking"
                        }
                        9 => {
                            if $dense {
                                self.pool.view_mut::<Mut<actor::hp>>().slices(|hp| hp.fill(1.0));
                                self.reached(all, &[HP]);
                            }
                            "runs"
                        }
                        10 => {
                            if $dense {
                                self.pool.view_mut::<(Mut<actor::pos>, Ref<actor::hp>)>().par_slices(|(pos, _)| pos.fill([1.0; 3]));
                                self.reached(all, &[POS]);
                            }
                            "par_slices"
                        }
                        11 => {
                            self.pool.view_mut::<(Mut<actor::hp>, Ref<actor::vel>)>().each(|(mut hp, vel)| *hp += *vel);
                            self.reached(all, &[HP]);
                            "each, of a tuple"
                        }
                        12 => {
                            self.pool.view_mut::<(Mut<actor::hp>, MovingVel)>().each(|(mut hp, moving)| *hp += moving.vel);
                            self.reached(movers, &[HP]);
                            "each, of a tuple with a filter"
                        }
                        13 => {
                            self.pool.view_mut::<(Mut<actor::pos>, MovingVel)>().par_each(|(mut pos, moving)| pos[0] += moving.vel);
                            self.reached(movers, &[POS]);
                            "par_each, of a tuple with a filter"
                        }
                        14 => {
                            self.pool.view_mut::<Moving>().par_each(|moving| moving.pos[1] += *moving.vel);
                            self.reached(movers, &[POS]);
                            "par_each, with a filter"
                        }
                        15 => {
                            let _ = self.pool.get_mut(who).is_some();
                            self.asked(who, &FIELDS);
                            "get_mut"
                        }
                        16 => {
                            self.pool.edit(who, |_| ());
                            self.asked(who, &FIELDS);
                            "edit"
                        }
                        17 => {
                            let _ = self.pool.split(who).is_some();
                            self.asked(who, &FIELDS);
                            "split"
                        }
                        18 => {
                            let _ = self.pool.get_disjoint_mut([who, other]).map(|answer| answer.is_ok());
                            self.asked(who, &FIELDS);
                            self.asked(other, &FIELDS);
                            "get_disjoint_mut"
                        }
                        19 => {
                            self.pool.iter_mut().take(1).for_each(|_| ());
                            self.reached(all, &FIELDS);
                            "iter_mut"
                        }
                        20 => {
                            self.pool.each_with_rest(|_, _, _| ());
                            self.reached(all, &FIELDS);
                            "each_with_rest"
                        }
                        21 if self.random.bool() => {
                            self.pool.view_mut::<Moving>().each_with_rest(|_, _| ());
                            self.reached(movers, &[POS]);
                            "each_with_rest, with a filter"
                        }
                        21 => {
                            self.pool.retain(|_, _| true);
                            self.reached(all, &FIELDS);
                            "retain that keeps all"
                        }
                        22 => {
                            let _ = self.pool.set::<actor::name>(who, "set".into());
                            self.asked(who, &[NAME]);
                            "set a cold field"
                        }
                        23 => {
                            let _ = self.pool.set::<actor::vel>(who, 2.0);
                            self.asked(who, &[VEL]);
                            "set a hot field"
                        }
                        24..=26 => {
                            let tags = random_tags(&mut self.random);
                            let which = self.random.u8(..3);
                            let is_there = match which {
                                0 => self.pool.set_tags(who, tags),
                                1 => self.pool.insert_tags(who, tags),
                                _ => self.pool.remove_tags(who, tags),
                            };
                            let known = self.oracle.live.get(&who).or(self.oracle.staged.get(&who)).copied();
                            assert_eq!(is_there, known.is_some());
                            let Some(old) = known else { return "tags of nobody" };
                            let new = [tags, old | tags, old & !tags][which as usize];
                            assert_eq!(self.pool.tags(who), new);
                            for map in [&mut self.oracle.live, &mut self.oracle.staged] {
                                map.entry(who).and_modify(|tags| *tags = new);
                            }
                            if new == old {
                                self.oracle.allow(group(who), &FIELDS);
                            } else {
                                self.asked(who, &[TAGS]);
                                self.oracle.allow(group(who), &FIELDS);
                            }
                            "tags"
                        }
                        27 => {
                            self.pool.tree_mut().sweep::<Ref<actor::hp>, Healed>().down(|_, _| ());
                            self.reached(all, &[HP]);
                            "down"
                        }
                        28 => {
                            self.pool.tree_mut().sweep::<Ref<actor::hp>, Moving>().down(|_, _| ());
                            self.reached(movers, &[POS]);
                            "down, with a filter"
                        }
                        29 => {
                            self.pool.tree_mut().sweep::<Ref<actor::hp>, Moving>().par_down(|_, _| ());
                            self.reached(movers, &[POS]);
                            "par_down, with a filter"
                        }
                        30 => {
                            self.pool.tree_mut().sweep::<Ref<actor::vel>, Mut<actor::vel>>().up(|_, _| ());
                            self.reached(all, &[VEL]);
                            "up"
                        }
                        31 => {
                            self.pool.tree_mut().sweep::<Ref<actor::vel>, Moving>().par_up(|_, _| ());
                            self.reached(movers, &[POS]);
                            "par_up, with a filter"
                        }
                        n @ (32 | 33) => {
                            // What was moved before is forgotten first.
                            self.pool.tree_mut().sweep::<H, H>().down_dirty(|_, _| ());
                            self.pool.tree_mut().mark(who);
                            let below: Vec<H> = self.pool.tree().descendants(who).chain([who]).collect();
                            let mut tree = self.pool.tree_mut();
                            if n == 32 {
                                tree.sweep::<H, Mut<actor::hp>>().down_dirty(|_, _| ());
                            } else {
                                tree.sweep::<H, Mut<actor::hp>>().par_down_dirty(|_, _| ());
                            }
                            below.into_iter().for_each(|who| self.asked(who, &[HP]));
                            "down_dirty"
                        }
                        34 | 35 => {
                            let _ = self.pool.tree_mut().attach(who, other);
                            let _ = self.pool.tree_mut().attach_before(other, who);
                            "attach"
                        }
                        36 => {
                            let _ = self.pool.tree_mut().detach(who);
                            "detach"
                        }
                        37 => {
                            let (tree, mut things) = self.pool.tree_and_things();
                            let below: Vec<H> = tree.descendants(who).collect();
                            for &below in &below {
                                let _ = things.view_mut::<Mut<actor::vel>>().get_mut(below);
                                things.edit(below, |_| ());
                            }
                            let _ = things.get_disjoint_mut([who]);
                            below.into_iter().chain([who]).for_each(|who| self.asked(who, &FIELDS));
                            "tree_and_things"
                        }
                        38 => {
                            let actor = self.actor();
                            let who = self.pool.spawn(actor);
                            self.came(who);
                            "spawn"
                        }
                        39 => {
                            let actors: Vec<_> = (0..self.random.u8(..100)).map(|_| self.actor()).collect();
                            let came: Vec<H> = self.pool.spawn_many(actors).collect();
                            came.into_iter().for_each(|who| self.came(who));
                            "spawn_many"
                        }
                        40 => {
                            let count = self.random.u32(1..40);
                            let came = self.pool.spawn_range(count, |_| Actor::default()).unwrap();
                            came.iter().for_each(|who| self.came(who));
                            "spawn_range"
                        }
                        41 => {
                            let actor = self.actor();
                            let handle = H::from_bits(1 << 32 | self.random.u64(1..20_000));
                            if self.pool.spawn_at(handle, actor).is_ok() {
                                self.came(handle);
                            }
                            "spawn_at"
                        }
                        42 => {
                            let (actor, child) = (self.actor(), self.actor());
                            let top = self.pool.spawn_tree(Branch::new(actor).with(Branch::new(child)));
                            let child = self.pool.tree().first_child(top).unwrap();
                            [top, child].into_iter().for_each(|who| self.came(who));
                            "spawn_tree"
                        }
                        43 | 44 => {
                            for _ in 0..self.random.u8(..5) {
                                let actor = self.actor();
                                let tags = actor.tags;
                                let who = self.pool.stage(actor);
                                self.oracle.staged.insert(who, tags);
                            }
                            "stage"
                        }
                        45 => {
                            self.pool.commit();
                            for (who, tags) in std::mem::take(&mut self.oracle.staged) {
                                self.oracle.live.insert(who, tags);
                                self.reached([who], &FIELDS);
                            }
                            "commit"
                        }
                        46 => {
                            self.pool.despawn(who);
                            self.some_went();
                            "despawn"
                        }
                        47 => {
                            let _ = self.pool.take(who);
                            self.some_went();
                            "take"
                        }
                        48 => {
                            self.pool.despawn_after(who, 1);
                            self.some_went();
                            self.pool.reap(1);
                            "despawn_after and reap"
                        }
                        49 => {
                            let Self { pool, random, .. } = self;
                            pool.retain(|_, _| random.u8(..20) > 0);
                            self.reached(all, &FIELDS);
                            self.some_went();
                            "retain"
                        }
                        50 => {
                            let Self { pool, random, .. } = self;
                            drop(pool.extract_if(|_, _| random.u8(..20) == 0).collect::<Vec<_>>());
                            self.reached(all, &FIELDS);
                            self.some_went();
                            "extract_if"
                        }
                        _ => {
                            if let Some(tree) = self.pool.take_tree(who) {
                                self.some_went();
                                let before = self.oracle.all();
                                self.pool.graft(tree, |_, _| ());
                                let came: Vec<H> = self.pool.handles().filter(|who| !before.contains(who)).collect();
                                came.into_iter().for_each(|who| self.came(who));
                            }
                            "take_tree and graft"
                        }
                    }
                }

                fn assert_reported(&mut self) {
                    let now = self.oracle.tick;
                    let mut groups: BTreeMap<u32, Vec<H>> = BTreeMap::new();
                    let mut live: Vec<H> = self.oracle.live.keys().copied().collect();
                    live.sort_by_key(|who| who.index());
                    live.into_iter().for_each(|who| groups.entry(group(who)).or_default().push(who));
                    // Just now, a while ago, and since the beginning.
                    for since in [now, now - 1, now.saturating_sub(self.random.u64(..5)).max(1), 1] {
                        let Self { pool, oracle, .. } = self;
                        oracle.compare(TAGS, since, pool.changed_since::<actor::tags>(since).collect(), &groups);
                        oracle.compare(POS, since, pool.changed_since::<actor::pos>(since).collect(), &groups);
                        oracle.compare(VEL, since, pool.changed_since::<actor::vel>(since).collect(), &groups);
                        oracle.compare(HP, since, pool.changed_since::<actor::hp>(since).collect(), &groups);
                        oracle.compare(NAME, since, pool.changed_since::<actor::name>(since).collect(), &groups);
                    }
                    // What was before marks were kept is not known: all is reported.
                    assert_eq!(self.pool.changed_since::<actor::hp>(0).count(), self.oracle.live.len());
                }
            }

            /// Many things, so that marks have more than one level, or few.
            fn play(seed: u64, count: u32, steps: usize) {
                let mut random = Rng::with_seed(seed);
                let mut pool = Pool::new();
                let spawn = |_| Actor { tags: random_tags(&mut random), ..Default::default() };
                let all: Vec<H> = pool.spawn_many((0..count).map(spawn)).collect();
                pool.track_changes();
                let live = all.into_iter().map(|who| (who, pool.tags(who))).collect();
                let [must, may] = [Ticks::new(), Ticks::new()];
                let oracle = Oracle { tick: pool.next_tick(), live, staged: BTreeMap::new(), must, may };
                let mut game = Game { pool, oracle, random, dead: Vec::new() };
                for step in 0..steps {
                    let what = game.step();
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| game.assert_reported()));
                    if let Err(panic) = result {
                        eprintln!("{what}, step {step} of seed {seed}; LATH_MODEL_SEED={seed} plays it again");
                        std::panic::resume_unwind(panic);
                    }
                }
                assert_eq!(game.pool.check_invariants(), Ok(()));
            }

            #[test]
            fn every_way_to_change_a_field_is_reported_and_nothing_else() {
                let only: Option<u64> = std::env::var("LATH_MODEL_SEED").ok().map(|seed| seed.parse().unwrap());
                for seed in only.map_or(0..8, |seed| seed..seed + 1) {
                    match seed % 4 {
                        0 => play(seed, 5_000, 60),
                        _ => play(seed, 300, 200),
                    }
                }
            }
        }
    };
}

for_layout!(in_rows, rows, dense: false);
for_layout!(in_columns, columns, dense: true);
