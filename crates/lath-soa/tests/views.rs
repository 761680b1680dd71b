//! Views, tags and change marks see what an obviously right map of things sees, in rows and in
//! columns.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, Thing, View};

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u64 {
        const MOVES = 1;
        const FROZEN = 2;
        const ITEM = 4;
        const LAST = 1 << 63;
    }
}

const ALL: [Tags; 4] = [Tags::MOVES, Tags::FROZEN, Tags::ITEM, Tags::LAST];

/// What the model knows of a thing.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    tags: Tags,
    pos: [f32; 3],
    vel: [f32; 3],
    name: String,
}

fn random_tags(random: &mut Rng) -> Tags {
    ALL.into_iter().filter(|_| random.u8(..3) == 0).fold(Tags::empty(), |set, tag| set | tag)
}

/// The whole test, for one layout.
macro_rules! for_layout {
    ($module:ident, $layout:ident) => {
        mod $module {
            use super::*;

            #[derive(Thing, Clone, Default)]
            #[thing($layout)]
            pub(super) struct Actor {
                #[thing(tags)]
                tags: Tags,
                pos: [f32; 3],
                #[thing(hot)]
                vel: [f32; 3],
                #[thing(cold)]
                name: String,
            }

            #[derive(View)]
            #[view(Actor, with = Tags::MOVES, without = Tags::FROZEN)]
            struct Moving<'a> {
                who: Handle<Actor>,
                pos: &'a mut [f32; 3],
                vel: &'a [f32; 3],
            }

            #[derive(View)]
            #[view(Actor, with = Tags::ITEM.union(Tags::LAST))]
            struct Rare<'a> {
                who: Handle<Actor>,
                name: Option<&'a String>,
            }

            fn known(pool: &Pool<Actor>, who: Handle<Actor>) -> Known {
                let actor = pool.read(who);
                #[allow(clippy::clone_on_copy, reason = "a reference in columns, a value in rows")]
                Known {
                    tags: pool.tags(who),
                    pos: actor.pos.clone(),
                    vel: actor.vel.clone(),
                    name: actor.name.clone(),
                }
            }

            fn moves(known: &Known) -> bool {
                known.tags.contains(Tags::MOVES) && !known.tags.contains(Tags::FROZEN)
            }

            fn rare(known: &Known) -> bool {
                known.tags.contains(Tags::ITEM | Tags::LAST)
            }

            #[test]
            fn views_see_what_a_map_of_all_things_sees() {
                for seed in 0..4 {
                    play(seed, 150);
                }
            }

            fn play(seed: u64, steps: usize) {
                let mut random = Rng::with_seed(seed);
                let mut pool = Pool::new();
                let mut model: BTreeMap<Handle<Actor>, Known> = BTreeMap::new();
                let mut dead: Vec<Handle<Actor>> = Vec::new();
                pool.track_changes();
                for step in 0..steps {
                    let at = (seed, step);
                    let any = random.choice(model.keys().copied().collect::<Vec<_>>());
                    match (random.u8(..10), any) {
                        (0..4, _) | (_, None) => {
                            for _ in 0..random.u8(..40) {
                                let tags = random_tags(&mut random);
                                let vel = [random.f32(), random.f32() - 0.5, 1e-30 * random.f32()];
                                let name =
                                    if random.bool() { String::new() } else { format!("{step}") };
                                let pos =
                                    [random.f32() * 1e6, f32::MIN_POSITIVE * random.f32(), -0.0];
                                let actor = Actor { tags, pos, vel, name: name.clone() };
                                let who = if random.bool() {
                                    pool.spawn(actor)
                                } else {
                                    pool.stage(actor)
                                };
                                assert!(
                                    model.insert(who, Known { tags, pos, vel, name }).is_none(),
                                    "{at:?}"
                                );
                            }
                            pool.commit();
                        }
                        (4, Some(who)) => {
                            assert!(pool.despawn(who));
                            model.remove(&who);
                            dead.push(who);
                        }
                        (5, Some(who)) => {
                            let tags = random_tags(&mut random);
                            let known = model.get_mut(&who).unwrap();
                            match random.u8(..3) {
                                0 => {
                                    pool.set_tags(who, tags);
                                    known.tags = tags;
                                }
                                1 => {
                                    pool.insert_tags(who, tags);
                                    known.tags |= tags;
                                }
                                _ => {
                                    pool.remove_tags(who, tags);
                                    known.tags &= !tags;
                                }
                            }
                        }
                        (6, Some(who)) => {
                            let name = if random.bool() {
                                String::new()
                            } else {
                                format!("set at {step}")
                            };
                            pool.set::<actor::name>(who, name.clone()).unwrap();
                            model.get_mut(&who).unwrap().name = name;
                        }
                        (7, _) => step_all(&mut pool, &mut model, &mut random),
                        (8, Some(who)) => {
                            // Of a thousand gone, one or the other group is left alone.
                            for gone in model
                                .keys()
                                .copied()
                                .filter(|_| random.u8(..4) == 0)
                                .collect::<Vec<_>>()
                            {
                                pool.despawn(gone);
                                model.remove(&gone);
                                dead.push(gone);
                            }
                            let _ = who;
                        }
                        (_, Some(who)) => {
                            let (tick, hit) = (pool.tick(), model.contains_key(&who));
                            pool.next_tick();
                            if let Some(mut pos) = pool.view_mut::<Mut<actor::pos>>().get_mut(who) {
                                pos[0] += 1.0;
                                model.get_mut(&who).unwrap().pos[0] += 1.0;
                            }
                            let changed: BTreeSet<_> =
                                pool.changed_since::<actor::pos>(tick).collect();
                            assert_eq!(changed.contains(&who), hit, "{at:?}");
                            assert!(changed.len() <= 64, "{at:?}");
                            assert_eq!(pool.changed_since::<actor::vel>(tick).count(), 0, "{at:?}");
                        }
                    }
                    assert_same(&mut pool, &model, &dead, at);
                }
            }

            /// `pos += vel · 0.1` for all that move, by one of the ways there are.
            fn step_all(
                pool: &mut Pool<Actor>,
                model: &mut BTreeMap<Handle<Actor>, Known>,
                random: &mut Rng,
            ) {
                let mut visited = Vec::new();
                match random.u8(..2) {
                    0 => pool.view_mut::<Moving>().each(|m| {
                        for (pos, vel) in m.pos.iter_mut().zip(m.vel) {
                            *pos += *vel * 0.1;
                        }
                        visited.push(m.who);
                    }),
                    _ => {
                        for m in pool.view_mut::<Moving>() {
                            m.pos.iter_mut().zip(m.vel).for_each(|(pos, vel)| *pos += *vel * 0.1);
                            visited.push(m.who);
                        }
                    }
                }
                let movers: Vec<_> =
                    model.iter().filter(|(_, known)| moves(known)).map(|(who, _)| *who).collect();
                assert_eq!(visited, movers, "the movers, in slot order");
                for who in movers {
                    let known = model.get_mut(&who).unwrap();
                    known.pos.iter_mut().zip(known.vel).for_each(|(pos, vel)| *pos += vel * 0.1);
                }
            }

            fn assert_same(
                pool: &mut Pool<Actor>,
                model: &BTreeMap<Handle<Actor>, Known>,
                dead: &[Handle<Actor>],
                at: (u64, usize),
            ) {
                assert_eq!(pool.check_invariants(), Ok(()), "{at:?}");
                let seen: BTreeMap<_, _> =
                    pool.handles().map(|who| (who, known(pool, who))).collect();
                assert_eq!(&seen, model, "{at:?}");
                assert_eq!(
                    pool.view_mut::<Moving>().count(),
                    model.values().filter(|known| moves(known)).count(),
                    "{at:?}"
                );
                for tag in ALL {
                    let count = model.values().filter(|known| known.tags.contains(tag)).count();
                    assert_eq!(pool.count_tagged(tag), count, "{tag:?} at {at:?}");
                }
                let rare_ones = pool.view::<Rare>().iter().map(|rare| {
                    let name = rare.name.cloned().unwrap_or_default();
                    (rare.who, name)
                });
                let expected = model
                    .iter()
                    .filter(|(_, known)| rare(known))
                    .map(|(who, known)| (*who, known.name.clone()));
                assert!(rare_ones.eq(expected), "{at:?}");
                for (who, known) in model.iter().take(20) {
                    assert_eq!(pool.view::<Rare>().get(*who).is_some(), rare(known), "{at:?}");
                    assert_eq!(
                        *pool.view::<Ref<actor::vel>>().get(*who).unwrap(),
                        known.vel,
                        "{at:?}"
                    );
                }
                // Many at once: the same as one by one, for any handles in any order, and as many
                // as there are.
                let mut random = Rng::with_seed(at.1 as u64);
                let mut many: Vec<_> =
                    model.keys().chain(dead).copied().filter(|_| random.u8(..3) > 0).collect();
                many.extend(
                    (0..random.u64(..30))
                        .map(|_| Handle::from_bits(random.u64(..) & 0x3_0000_03ff)),
                );
                random.shuffle(&mut many);
                let one_by_one = many
                    .iter()
                    .map(|&who| pool.view::<Rare>().get(who).map(|rare| (rare.who, rare.name)));
                let look = pool.view::<Rare>();
                let by_look =
                    many.iter().map(|&who| look.get(who).map(|rare| (rare.who, rare.name)));
                assert!(by_look.eq(one_by_one.clone()), "{at:?}");
                let mut at_once = pool.view::<Rare>().get_many(&many);
                assert_eq!(at_once.len(), many.len());
                assert!(
                    at_once
                        .by_ref()
                        .map(|rare| rare.map(|rare| (rare.who, rare.name)))
                        .eq(one_by_one),
                    "{at:?}"
                );
                assert!(at_once.next().is_none() && at_once.len() == 0, "{at:?}");
                for &who in dead.iter().rev().take(20) {
                    assert!(
                        pool.view::<Ref<actor::vel>>().get(who).is_none()
                            && pool.tags(who).is_empty(),
                        "{who} at {at:?}"
                    );
                }
            }
        }
    };
}

for_layout!(in_rows, rows);
for_layout!(in_columns, columns);

#[derive(Thing, Default)]
#[thing(columns)]
struct Body {
    #[thing(tags)]
    tags: Tags,
    pos: [f32; 3],
    vel: [f32; 3],
    label: String,
}

/// A pool with holes, and movers among others.
fn worn(count: u32) -> Pool<Body> {
    let mut random = Rng::with_seed(5);
    let mut pool = Pool::new();
    for n in 0..count {
        let [x, y, z] = [(); 3].map(|()| f32::from_bits(random.u32(..)));
        let tags = if n % 3 == 0 { Tags::MOVES } else { Tags::empty() };
        pool.spawn(Body { tags, pos: [x, y, z], vel: [z, x, y], label: n.to_string() });
    }
    let gone: Vec<_> = pool.handles().filter(|_| random.u8(..10) == 0).collect();
    gone.into_iter().for_each(|who| assert!(pool.despawn(who)));
    pool
}

/// Any bits there are, infinities and denormals included. The payload of a NaN is the processor's
/// own business.
fn bits(of: f32) -> u32 {
    if of.is_nan() { u32::MAX } else { of.to_bits() }
}

#[test]
fn each_computes_the_same_bits_as_a_plain_loop() {
    let mut pool = worn(20_000);
    let dt = 0.3_f32;
    let expected: Vec<_> = pool
        .iter()
        .map(|(who, body)| {
            let mut pos = *body.pos;
            pos.iter_mut()
                .zip(body.vel)
                .for_each(|(pos, vel)| *pos += std::hint::black_box(*vel * dt));
            (who, pos.map(bits))
        })
        .collect();
    pool.view_mut::<(Mut<body::pos>, Ref<body::vel>)>().each(|(mut pos, vel)| {
        for (pos, vel) in pos.iter_mut().zip(*vel) {
            *pos += vel * dt;
        }
    });
    assert!(pool.iter().map(|(who, body)| (who, body.pos.map(bits))).eq(expected));
}

#[test]
fn runs_are_slices_over_neighbours_that_match_and_over_nothing_else() {
    let mut pool = worn(10_000);
    let (mut labels, mut longest) = (Vec::new(), 0);
    pool.view_mut::<(Ref<body::label>, Mut<body::pos>)>().slices(|(label, pos)| {
        assert_eq!(label.len(), pos.len());
        longest = longest.max(label.len());
        pos.fill([0.0; 3]);
        labels.extend(label.iter().cloned());
    });
    assert!(labels.iter().eq(pool.iter().map(|(_, body)| body.label)));
    assert!(longest > 1);
    assert!(pool.iter().all(|(_, body)| *body.pos == [0.0; 3]));
}

#[test]
fn runs_of_a_derived_view_are_those_of_the_things_that_it_sees() {
    for par in [false, true] {
        let mut pool = worn(10_000);
        for who in pool.handles().step_by(7).collect::<Vec<_>>() {
            pool.insert_tags(who, Tags::FROZEN);
        }
        let mut expected: BTreeMap<_, _> =
            pool.iter().map(|(who, body)| (who, body.pos.map(bits))).collect();
        let (seen, longest) =
            (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
        pool.view_mut::<(Handle<Body>, Thawed)>().each(|(who, thawed)| {
            expected.insert(who, thawed.vel.map(|x| bits(x * 0.5)));
            *thawed.pos = [f32::NAN; 3];
        });
        let fill = |thawed: <Thawed as lath_core::Slices>::Slices<'_>| {
            assert_eq!(thawed.pos.len(), thawed.vel.len());
            thawed
                .pos
                .iter_mut()
                .zip(thawed.vel)
                .for_each(|(pos, vel)| *pos = vel.map(|x| x * 0.5));
            seen.fetch_add(thawed.vel.len(), std::sync::atomic::Ordering::Relaxed);
            longest.fetch_max(thawed.vel.len(), std::sync::atomic::Ordering::Relaxed);
        };
        if par {
            pool.view_mut::<Thawed>().par_slices(fill)
        } else {
            pool.view_mut::<Thawed>().slices(fill)
        }
        assert_eq!(seen.into_inner(), pool.view_mut::<Thawed>().count());
        assert!(longest.into_inner() > 1);
        assert!(pool.iter().map(|(who, body)| (who, body.pos.map(bits))).eq(expected));
    }
}

#[test]
fn a_group_of_slots_holds_things_that_were_spawned_with_the_same_tags() {
    let mut random = Rng::with_seed(9);
    let mut pool = Pool::new();
    let sets = [Tags::empty(), Tags::MOVES, Tags::ITEM, Tags::MOVES | Tags::ITEM];
    for _ in 0..5000 {
        let tags = random.choice(sets).unwrap();
        pool.spawn(Body { tags, ..Default::default() });
    }
    let mut groups: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
    // The first 512 slots are everybody's.
    for who in pool.handles().filter(|who| who.index() >= 512) {
        groups.entry(who.index() / 64).or_default().insert(pool.tags(who).bits());
    }
    assert!(groups.len() > 60 && groups.values().all(|tags| tags.len() == 1), "{groups:?}");
    let used = pool.handles().map(|who| who.index()).max().unwrap();
    assert!(used <= 5000 * 5 / 4 + 64 * 64, "{used}: clusters lie too far apart");

    // When all things of a kind are gone, their groups are anybody's.
    let movers: Vec<_> = pool.handles().filter(|&who| pool.tags(who) == Tags::MOVES).collect();
    let freed: BTreeSet<_> = movers.iter().map(|who| who.index() / 64).collect();
    movers.iter().for_each(|&who| assert!(pool.despawn(who)));
    let before = pool.len();
    let new: Vec<_> = movers
        .iter()
        .map(|_| pool.spawn(Body { tags: Tags::LAST, ..Default::default() }))
        .collect();
    assert_eq!(pool.len(), before + movers.len());
    assert!(new.iter().filter(|who| freed.contains(&(who.index() / 64))).count() > new.len() / 2);
    assert_eq!(pool.check_invariants(), Ok(()));
}

/// Things that want several tags and lack others: the runs of such views are found many groups at a
/// time.
macro_rules! sees {
    ($view:ident, $($filter:tt)*) => {
        #[derive(View)]
        #[view(Body, $($filter)*)]
        struct $view {
            who: Handle<Body>,
        }
    };
}
sees!(Both, with = Tags::MOVES.union(Tags::ITEM));
sees!(BothThawed, with = Tags::MOVES.union(Tags::ITEM), without = Tags::FROZEN);
sees!(NeitherNor, without = Tags::FROZEN.union(Tags::LAST));

#[test]
fn long_runs_end_where_a_tag_is_missing_or_comes_up() {
    let mut random = Rng::with_seed(3);
    for rare in [2, 30, 500, 3000, u32::MAX] {
        let mut pool = Pool::new();
        let all: Vec<_> = (0..12_000)
            .map(|_| pool.spawn(Body { tags: Tags::MOVES | Tags::ITEM, ..Default::default() }))
            .collect();
        for &who in &all {
            match random.u32(..rare.saturating_mul(5)) {
                0 => pool.remove_tags(who, Tags::ITEM),
                1 => pool.remove_tags(who, Tags::MOVES),
                2 => pool.insert_tags(who, Tags::FROZEN),
                3 => pool.insert_tags(who, Tags::LAST),
                4 => pool.despawn(who),
                _ => true,
            };
        }
        let expected = |with: Tags, without: Tags| -> Vec<_> {
            pool.handles()
                .filter(|&who| pool.has(who, with) && !pool.tags(who).intersects(without))
                .collect()
        };
        let expected = [
            expected(Tags::MOVES | Tags::ITEM, Tags::empty()),
            expected(Tags::MOVES | Tags::ITEM, Tags::FROZEN),
            expected(Tags::empty(), Tags::FROZEN | Tags::LAST),
        ];
        let mut seen = [const { Vec::new() }; 3];
        pool.view_mut::<Both>().each(|one| seen[0].push(one.who));
        pool.view_mut::<BothThawed>().each(|one| seen[1].push(one.who));
        pool.view_mut::<NeitherNor>().each(|one| seen[2].push(one.who));
        assert!(seen == expected, "one in {rare}");
    }
}

#[test]
fn tags_that_change_move_nothing_and_new_things_still_go_by_what_they_are_spawned_with() {
    let mut pool = Pool::new();
    let first = pool.spawn(Body { tags: Tags::MOVES, ..Default::default() });
    let address = std::ptr::from_ref(pool.read(first).label);
    pool.set_tags(first, Tags::ITEM);
    assert!(std::ptr::eq(address, pool.read(first).label));
    let second = pool.spawn(Body { tags: Tags::MOVES, ..Default::default() });
    assert_eq!(second.index() / 64, first.index() / 64);
}

#[test]
fn a_full_pool_uses_every_slot_whatever_the_tags() {
    let mut pool = Pool::fixed(200).unwrap();
    let tags = [Tags::empty(), Tags::MOVES, Tags::ITEM, Tags::LAST];
    for n in 0..200 {
        pool.spawn(Body { tags: tags[n % 4], ..Default::default() });
    }
    assert!(pool.try_spawn(Body::default()).is_err());
    assert_eq!((pool.len(), pool.check_invariants()), (200, Ok(())));
}

#[derive(View)]
#[view(Body, with = Tags::MOVES, without = Tags::FROZEN)]
struct Thawed<'a> {
    pos: &'a mut [f32; 3],
    vel: &'a [f32; 3],
}

/// Everything about the bodies that a caller can see.
fn all(pool: &Pool<Body>) -> Vec<(Handle<Body>, [u32; 3], String)> {
    pool.iter().map(|(who, body)| (who, body.pos.map(bits), body.label.clone())).collect()
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Column {
    value: u32,
    step: u32,
}

#[test]
fn a_field_is_printed_as_it_is_whether_it_can_be_changed_or_not() {
    let mut pool: Pool<Column> = [Column { value: 7, step: 8 }].into_iter().collect();
    pool.view_mut::<(Mut<column::value>, Ref<column::step>)>()
        .each(|fields| assert_eq!(format!("{fields:?}"), "(7, 8)"));
}

#[test]
fn loops_on_several_threads_do_what_one_thread_does() {
    let (mut alone, mut together) = (worn(50_000), worn(50_000));
    let step = |mut pos: Mut<body::pos>| *pos = pos.map(|x| x.sqrt() - 1.0);
    alone.view_mut::<Mut<body::pos>>().each(step);
    together.view_mut::<Mut<body::pos>>().par_each(step);
    assert_eq!(all(&alone), all(&together));
    together.view_mut::<Mut<body::pos>>().par_slices(|pos| pos.fill([1.0; 3]));
    assert!(together.iter().all(|(_, body)| *body.pos == [1.0; 3]));
}

#[test]
fn a_tag_that_first_comes_to_a_far_slot_is_seen() {
    let mut pool: Pool<Body> = (0..200_000).map(|_| Body::default()).collect();
    let last = pool.handles().last().unwrap();
    pool.insert_tags(last, Tags::ITEM);
    #[derive(View)]
    #[view(Body, with = Tags::ITEM)]
    struct Item<'a> {
        who: Handle<Body>,
        label: &'a String,
    }
    assert!(pool.view::<Item>().iter().map(|item| item.who).eq([last]));
    let mut seen = Vec::new();
    pool.view_mut::<Item>().each(|item| seen.push((item.who, item.label.len())));
    assert_eq!(seen, [(last, 0)]);
    // And new things of a kind still share groups, however far up.
    let movers: Vec<_> =
        (0..64).map(|_| pool.spawn(Body { tags: Tags::MOVES, ..Default::default() })).collect();
    let groups: BTreeSet<_> = movers.iter().map(|who| who.index() / 64).collect();
    assert!(groups.len() <= 2, "{groups:?}");
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Note {
    #[thing(cold)]
    text: String,
}

#[test]
fn a_thing_may_have_nothing_but_a_cold_field() {
    let texts = ["", "some", "", "more"];
    let mut pool: Pool<Note> =
        texts.map(|text| Note { text: text.to_owned() }).into_iter().collect();
    let handles: Vec<_> = pool.handles().collect();
    assert!(handles.into_iter().map(|who| pool.take(who).unwrap().text).eq(texts));
}
