//! What systems do, kind by kind.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Mutex;

use lath::prelude::*;
use lath::{
    Attached, Field, PinnedMut, PinnedRes, PoolMut, PoolRef, Relation, Set, SingleError, Slices,
    State, System, Time, Tree, TreeMut,
};

use super::marked::{Marked, bundle};
use super::{Clock, Diary, Ping, R, Rare, Sum, name};
use crate::adapter::pool::{self, handle, id, make, number, with_number};
use crate::adapter::things::{Carried, Kin, Layout, Piece};
use crate::adapter::world::{self, with_pool};
use crate::answer::{Answer, Ask};
use crate::body::Body;
use crate::fuse;
use crate::program::Call;
use crate::spec::{self, CROWD, Kind, Note, Owner, SETS, When, digest, mix};

/// What systems that fail say.
pub(super) const ERROR: &str = "not today";

/// The system that is described.
pub(super) fn system<L: Layout>(spec: &spec::System, diary: &Diary) -> System {
    let mut system = of_kind::<L>(spec, diary).named(name(spec.number));
    for (place, when) in spec.whens.iter().enumerate() {
        system = only_if(system, *when, Owner::Condition(spec.number, place), diary);
    }
    if let Some(set) = spec.set {
        system = system.in_set(SETS[set]);
    }
    system = spec.before.iter().fold(system, |system, name| system.before(name.clone()));
    system = spec.after.iter().fold(system, |system, name| system.after(name.clone()));
    match spec.unordered {
        Some(other) => system.unordered_with(name(other)),
        None => system,
    }
}

/// Adds a condition to a system, or to a set.
macro_rules! run_if {
    ($to:expr, $when:expr, $owner:expr, $diary:expr) => {{
        let (owner, diary) = ($owner, $diary.clone());
        match $when {
            When::Odd(0) => $to.run_if(|r: Res<R<0>>| odd(r.0)),
            When::Odd(1) => $to.run_if(|r: Res<R<1>>| odd(r.0)),
            When::Odd(2) => $to.run_if(|r: Res<R<2>>| odd(r.0)),
            When::EveryOther => $to.run_if(move |mut times: Local<u64>| {
                fuse::burn();
                *times += 1;
                diary.note(owner, Note::Local(*times));
                odd(*times)
            }),
            When::Heard => $to.run_if(move |mut pings: EventReader<Ping>| {
                fuse::burn();
                hear(&mut pings, owner, &diary) != 0
            }),
            // What systems have words of their own for.
            When::In(state) => $to.run_if(move |now: Res<State<u8>>| *now.get() == state),
            _ => $to.run_if(|r: Res<R<3>>| odd(r.0)),
        }
    }};
}

fn odd(number: u64) -> bool {
    fuse::burn();
    number % 2 == 1
}

fn only_if(system: System, when: When, owner: Owner, diary: &Diary) -> System {
    match when {
        When::Entering(state) => system.on_enter(state),
        When::Leaving(state) => system.on_exit(state),
        When::In(state) => system.while_in(state),
        when => run_if!(system, when, owner, diary),
    }
}

/// Adds a condition to a set. Sets have no words for states.
pub(super) fn set_if(set: &mut Set, when: When, owner: Owner, diary: &Diary) {
    run_if!(set, when, owner, diary);
}

/// Reads all events, and makes one number of them.
fn hear(pings: &mut EventReader<Ping>, owner: Owner, diary: &Diary) -> u64 {
    let (waiting, missed) = (pings.len(), pings.missed());
    let heard: Vec<u64> = pings.read().map(|ping| ping.n).collect();
    assert_eq!((heard.len(), pings.len(), pings.missed()), (waiting, 0, 0));
    let sum = heard.iter().fold(heard.len() as u64, |sum, n| mix(sum ^ n));
    diary.note(owner, Note::Heard(heard, missed));
    sum
}

fn of_kind<L: Layout>(spec: &spec::System, diary: &Diary) -> System {
    let (number, salt, way) = (spec.number, spec.salt, spec.way);
    let (owner, diary) = (Owner::System(number), diary.clone());
    match spec.kind {
        Kind::Mix => mix_numbers(way, salt),
        Kind::Count => (move |mut runs: Local<u64>, mut r: ResMut<R<0>>| {
            fuse::burn();
            *runs += 1;
            diary.note(owner, Note::Local(*runs));
            r.0 = mix(r.0 ^ *runs ^ salt);
        })
        .into_system(),
        Kind::Add => (move |mut sum: ResMut<Sum>| {
            fuse::burn();
            sum.0 = sum.0.wrapping_add(salt ^ u64::from(number));
        })
        .into_system(),
        Kind::Maybe => (move |rare: Option<Res<Rare>>, mut r: ResMut<R<1>>| {
            fuse::burn();
            r.0 = mix(r.0 ^ rare.map_or(salt, |rare| rare.n));
        })
        .into_system(),
        Kind::Needs => (move |rare: Res<Rare>, mut r: ResMut<R<2>>| {
            fuse::burn();
            r.0 = mix(r.0 ^ rare.n ^ salt);
        })
        .into_system(),
        Kind::Pinned if way % 2 == 1 => (move |pinned: PinnedRes<Rc<u64>>, mut r: ResMut<R<0>>| {
            fuse::burn();
            r.0 = mix(r.0 ^ **pinned ^ salt);
        })
        .into_system(),
        Kind::Pinned => (move |mut pinned: PinnedMut<Rc<u64>>, r: Res<R<0>>| {
            fuse::burn();
            *pinned = Rc::new(mix(**pinned ^ r.0 ^ salt));
        })
        .into_system(),
        Kind::OneThread => {
            let runs = Rc::new(Cell::new(0));
            System::local(move || {
                fuse::burn();
                runs.set(runs.get() + 1);
                diary.note(owner, Note::Local(runs.get()));
            })
        }
        Kind::Bundle => bundle(spec, &diary),
        Kind::SetState => (move |mut state: ResMut<State<u8>>, r: Res<R<0>>| {
            fuse::burn();
            let drawn = r.0 ^ salt;
            if drawn % 2 == 0 {
                state.set((drawn / 2 % 3) as u8);
            }
        })
        .into_system(),
        Kind::Tick => (move |mut clock: ResMut<Clock>, time: Res<Time>| {
            fuse::burn();
            let fired = clock.timer.tick(time.dt);
            if time.dt > 2000.0 {
                // What a huge number leaves over is not known exactly.
                assert!(fired > 0, "a timer slept through {} seconds", time.dt);
                clock.timer.restart();
            }
            clock.cooldown.tick(time.dt);
            let was_done = clock.once.is_done();
            let just_done = clock.once.tick(time.dt) == 1;
            assert_eq!(clock.once.is_done(), was_done || just_done, "once is enough");
            if was_done && way % 2 == 0 {
                clock.once.restart();
            }
            let used = clock.cooldown.try_use();
            let fired = if time.dt > 2000.0 { 1 } else { fired };
            diary.note(owner, Note::Fired(fired, used));
        })
        .into_system(),
        Kind::Marked => <L as Marked>::marked(spec),
        Kind::TwoPools => <L as Marked>::two_pools(spec),
        Kind::World => {
            let ask = spec.call();
            (move |world: &mut World| {
                fuse::burn();
                diary.note(owner, Note::Answered(on_world::<L>(world, &ask)));
            })
            .into_system()
        }
        Kind::Close => {
            let ask = spec.call();
            (move |mut commands: Commands, r: Res<R<0>>| {
                fuse::burn();
                let (ask, diary, seen) = (ask.clone(), diary.clone(), r.0);
                commands.run(move |world| {
                    fuse::burn();
                    let answer = on_world::<L>(world, &ask);
                    diary.note(Owner::Closure(number), Note::Answered(answer));
                    let r = world.resource_mut::<R<0>>();
                    r.0 = mix(r.0 ^ seen ^ salt);
                });
            })
            .into_system()
        }
        Kind::Put => (move |mut commands: Commands| {
            fuse::burn();
            match way % 4 {
                0 | 1 => commands.insert(Rare::new(salt)),
                2 => commands.remove::<Rare>(),
                _ => commands.insert(R::<3>(salt)),
            }
            assert_eq!((commands.len(), commands.is_empty()), (1, false));
        })
        .into_system(),
        Kind::Send => (move |mut pings: EventWriter<Ping>, r: Res<R<0>>| {
            fuse::burn();
            let pings_of = |from| (from..=salt % 3).map(|n| Ping::new(mix(r.0 ^ salt ^ n)));
            pings.send(Ping::new(mix(r.0 ^ salt)));
            pings.extend(pings_of(1));
        })
        .into_system(),
        Kind::Hear => (move |mut pings: EventReader<Ping>, mut r: ResMut<R<3>>| {
            fuse::burn();
            r.0 = mix(r.0 ^ hear(&mut pings, owner, &diary));
        })
        .into_system(),
        Kind::Fail => (move |world: &mut World| -> Result<(), &str> {
            fuse::burn();
            let r = world.resource_mut::<R<0>>();
            r.0 = mix(r.0 ^ salt);
            if r.0 % 4 == 1 { Err(ERROR) } else { Ok(()) }
        })
        .into_system(),
        Kind::FailBetween => (move |mut r: ResMut<R<0>>, mut commands: Commands| {
            fuse::burn();
            r.0 = mix(r.0 ^ salt);
            commands.insert(R::<1>(salt));
            if r.0 % 4 == 1 { Err(ERROR) } else { Ok(()) }
        })
        .into_system(),
        _ => with_pool!(L, spec.pool, T => of_pool::<T<L>>(spec, &diary)),
    }
}

fn mix_numbers(way: u16, salt: u64) -> System {
    match way % 4 {
        0 => (move |a: Res<R<0>>, mut b: ResMut<R<1>>| {
            fuse::burn();
            b.0 = mix(b.0 ^ a.0 ^ salt);
        })
        .into_system(),
        1 => (move |a: Res<R<1>>, mut b: ResMut<R<2>>| {
            fuse::burn();
            b.0 = mix(b.0 ^ a.0 ^ salt);
        })
        .into_system(),
        2 => (move |a: Res<R<2>>, mut b: ResMut<R<3>>, mut c: ResMut<R<0>>| {
            fuse::burn();
            (b.0, c.0) = (mix(a.0 ^ salt), mix(b.0 ^ c.0));
        })
        .into_system(),
        _ => (move |mut a: ResMut<R<3>>| {
            fuse::burn();
            a.0 = mix(a.0 ^ salt);
        })
        .into_system(),
    }
}

/// A call on the world, about one pool.
fn on_world<L: Layout>(world: &mut World, ask: &Ask) -> Answer {
    with_pool!(L, ask.pool, T => world::call::<T<L>>(world, ask))
}

type Value<T> = <<T as Piece>::N as Field>::Value;

fn change<T: Piece>(n: &mut Value<T>, f: impl FnOnce(u32) -> u32) {
    fuse::burn();
    *n = with_number::<T>(f(number::<T>(n)));
}

/// A relation by its number.
macro_rules! with_relation {
    ($number:expr, $r:ident => $do:expr) => {
        match $number % 3 {
            0 => {
                type $r = Attached;
                $do
            }
            1 => {
                type $r = Carried;
                $do
            }
            _ => {
                type $r = Kin;
                $do
            }
        }
    };
}

fn of_pool<T: Piece>(spec: &spec::System, diary: &Diary) -> System {
    let (salt, way, who) = (spec.salt, spec.way, spec.who.map(handle::<T>));
    let (owner, diary) = (Owner::System(spec.number), diary.clone());
    match spec.kind {
        Kind::Each => each::<T>(way, salt),
        Kind::Fold => (move |mut things: Query<(Handle<T>, Ref<T::N>)>, mut r: ResMut<R<1>>| {
            fuse::burn();
            let count = things.count();
            match things.single() {
                Ok((handle, _)) => assert_eq!((count, things.contains(handle)), (1, true)),
                Err(SingleError { seen }) => assert!(seen == count && count != 1, "{seen}"),
            }
            let start = mix(things.count() as u64 ^ u64::from(things.is_empty()));
            r.0 = things.iter().fold(r.0 ^ start, |sum, (handle, n)| {
                mix(sum ^ handle.to_bits() ^ u64::from(number::<T>(&n)))
            });
        })
        .into_system(),
        Kind::Lookup => lookup::<T>(way, salt, who),
        Kind::Rest => (move |mut things: Query<(Handle<T>, Mut<T::N>)>| {
            fuse::burn();
            things.each_with_rest(|(me, mut n), others| {
                if let Some(its) = others.get::<Ref<T::N>>(who[2]) {
                    assert_ne!(me, who[2], "given out twice");
                    change::<T>(&mut n, |n| n.wrapping_add(number::<T>(&its)));
                }
            });
        })
        .into_system(),
        Kind::Read => (move |pool: PoolRef<T>, mut r: ResMut<R<2>>| {
            fuse::burn();
            r.0 = pool.iter().fold(r.0 ^ pool.len() as u64, |sum, (handle, thing)| {
                assert!(pool.contains(handle) && pool.check(handle).is_ok(), "{handle}");
                mix(sum ^ handle.to_bits() ^ digest(&T::seen(thing)))
            });
            for handle in who {
                let (seen, read) =
                    (pool.get(handle).is_some(), digest(&T::seen(pool.read(handle))));
                r.0 = mix(r.0 ^ u64::from(seen) ^ read);
            }
            assert!(pool.handles().eq(pool.iter().map(|(handle, _)| handle)));
        })
        .into_system(),
        Kind::Alone => {
            let ask = spec.call();
            (move |mut pool: PoolMut<T>| {
                fuse::burn();
                diary.note(owner, Note::Answered(pool::call(&mut pool, &ask)));
            })
            .into_system()
        }
        Kind::LookAtTree => with_relation!(way, R => look_at_tree::<T, R>()),
        Kind::ChangeTree => with_relation!(way, R => change_tree::<T, R>(spec, &diary)),
        Kind::Cascade => with_relation!(way / 2, R => cascade::<T, R>(way, salt)),
        Kind::Launch => launch::<T>(spec, &diary),
        Kind::Overtake => overtake::<T>(spec, &diary),
        Kind::Sweep => sweep::<T>(way, salt),
        Kind::Divide => divide::<T>(spec, &diary),
        Kind::Order => order::<T>(way, salt, who),
        Kind::SendLater => (move |mut things: Query<(Handle<T>, Ref<T::N>)>,
                                  mut commands: Commands| {
            fuse::burn();
            commands.par_each(&mut things, |(handle, n), commands| {
                let drawn = mix(handle.to_bits() ^ u64::from(number::<T>(&n)) ^ salt);
                if drawn % 4 == 0 {
                    fuse::burn();
                    commands.send(Ping::new(drawn));
                }
            });
        })
        .into_system(),
        kind => unreachable!("{kind:?} is not about a pool"),
    }
}

fn lookup<T: Piece>(way: u16, salt: u64, who: [Handle<T>; 4]) -> System {
    if way % 2 == 0 {
        return (move |mut things: Query<(Handle<T>, Mut<T::N>)>, mut r: ResMut<R<2>>| {
            fuse::burn();
            for handle in who {
                let there = things.contains(handle);
                if let Some((found, mut n)) = things.get_mut(handle) {
                    assert!(there && found == handle, "{found} instead of {handle}");
                    change::<T>(&mut n, |n| n.wrapping_mul(5).wrapping_add(salt as u32));
                }
                r.0 = mix(r.0 ^ u64::from(there));
            }
        })
        .into_system();
    }
    (move |things: Query<(Handle<T>, Ref<T::N>)>, mut r: ResMut<R<2>>| {
        fuse::burn();
        let found = |(handle, n): (Handle<T>, Ref<T::N>)| (handle, number::<T>(&n));
        let many: Vec<_> = things.get_many(&who).map(|one| one.map(found)).collect();
        let one_by_one = who.map(|handle| things.get(handle).map(found));
        assert_eq!(many, one_by_one, "get_many beside get");
        for (handle, found) in who.into_iter().zip(one_by_one) {
            assert_eq!(things.contains(handle), found.is_some(), "{handle}");
            assert!(found.is_none_or(|(found, _)| found == handle), "another than {handle}");
            r.0 = mix(r.0 ^ found.map_or(salt, |(_, n)| u64::from(n)));
        }
    })
    .into_system()
}

fn each<T: Piece>(way: u16, salt: u64) -> System {
    let by = move |r: &R<0>| (r.0 ^ salt) as u32;
    match way % 4 {
        0 => (move |mut things: Query<Mut<T::N>>, r: Res<R<0>>| {
            let by = by(&r);
            things.each(|mut n| change::<T>(&mut n, |n| n.wrapping_add(by)));
        })
        .into_system(),
        1 => (move |mut things: Query<Mut<T::N>>, r: Res<R<0>>| {
            for mut n in &mut things {
                change::<T>(&mut n, |n| n.wrapping_add(by(&r)));
            }
        })
        .into_system(),
        2 => (move |mut things: Query<Mut<T::N>>, r: Res<R<0>>| {
            let by = by(&r);
            if <Mut<T::N> as Slices>::dense() {
                let all = |run: &mut [Value<T>]| {
                    run.iter_mut().for_each(|n| change::<T>(n, |n| n.wrapping_add(by)));
                };
                match by % 2 {
                    0 => things.slices(all),
                    _ => things.par_slices(all),
                }
            } else {
                things.each(|mut n| change::<T>(&mut n, |n| n.wrapping_add(by)));
            }
        })
        .into_system(),
        _ => (move |mut things: Query<Mut<T::N>>, r: Res<R<0>>| {
            let by = by(&r);
            things.par_each(|mut n| change::<T>(&mut n, |n| n.wrapping_add(by)));
        })
        .into_system(),
    }
}

fn look_at_tree<T: Piece, Of: Relation>() -> System {
    (move |tree: Tree<T, Of>, things: Query<Handle<T>>, mut r: ResMut<R<1>>| {
        fuse::burn();
        r.0 = things.iter().fold(r.0, |sum, handle| {
            let parent = tree.parent(handle).map_or(0, |parent| parent.to_bits());
            mix(sum ^ parent ^ tree.child_count(handle) as u64)
        });
    })
    .into_system()
}

fn change_tree<T: Piece, Of: Relation>(spec: &spec::System, diary: &Diary) -> System {
    let (ask, diary, owner) = (spec::tree_ask(spec), diary.clone(), Owner::System(spec.number));
    let [one, two, ..] = spec.who.map(handle::<T>);
    (move |mut tree: TreeMut<T, Of>| {
        fuse::burn();
        let answer = match ask.call {
            Call::Attach => pool::link_answer(match ask.v % 6 {
                0 => tree.attach_first(one, two),
                1 => tree.attach_before(one, two),
                2 => tree.attach_after(one, two),
                _ => tree.attach(one, two),
            }),
            Call::Detach => pool::detached(tree.detach(one)),
            Call::MoveChildren => pool::link_answer(tree.move_children(one, two)),
            _ => pool::link_answer(tree.swap(one, two)),
        };
        diary.note(owner, Note::Answered(answer));
    })
    .into_system()
}

fn cascade<T: Piece, Of: Relation>(way: u16, salt: u64) -> System {
    let v = u32::from(salt as u16);
    (move |mut tree: lath::Sweep<Ref<T::N>, Mut<T::N>, Of>| {
        let down = |parent: Option<Ref<T::N>>, mut n: Mut<T::N>| {
            let above = parent.map_or(v, |parent| number::<T>(&parent));
            change::<T>(&mut n, |_| above.wrapping_mul(3).wrapping_add(1));
        };
        fuse::burn();
        match (salt >> 16 & 1, way % 2) {
            (0, 0) => tree.down(down),
            (0, _) => tree.par_down(down),
            (_, 0) => tree.up(|children, mut n| {
                let sum = children.map(|child| number::<T>(&child)).fold(v, u32::wrapping_add);
                change::<T>(&mut n, |_| sum);
            }),
            (_, _) => tree.par_up(|children, mut n| {
                let sum = children.map(|child| number::<T>(&child)).fold(v, u32::wrapping_add);
                change::<T>(&mut n, |_| sum);
            }),
        }
    })
    .into_system()
}

fn launch<T: Piece>(spec: &spec::System, diary: &Diary) -> System {
    let (salt, way, owner, diary) =
        (spec.salt, spec.way, Owner::System(spec.number), diary.clone());
    let (who, link) = (handle::<T>(spec.who[0]), spec.who[1]);
    (move |things: Query<Handle<T>>, mut runs: Local<u64>, mut commands: Commands| {
        fuse::burn();
        *runs += 1;
        diary.note(owner, Note::Local(*runs));
        if things.count() > CROWD {
            return;
        }
        let mut last = who;
        for n in 0..1 + salt % 3 {
            let body = Body::new((salt >> 16) as u16 ^ (*runs + n) as u16, link);
            let answer = pool::spawned(&body, commands.try_spawn(make::<T>(&body)));
            if let Answer::New(new) = answer {
                let new = handle::<T>(new);
                match way % 4 {
                    0 => commands.attach(new, last),
                    1 => commands.attach_first(new, last),
                    2 => commands.attach_in::<Carried, _>(new, last),
                    _ => commands.attach_in::<Kin, _>(last, new),
                }
                last = new;
            }
            diary.note(owner, Note::Answered(answer));
        }
    })
    .into_system()
}

/// What the closure spawns comes first, and must not take the handles that were promised.
fn overtake<T: Piece>(spec: &spec::System, diary: &Diary) -> System {
    let (spec, diary) = (spec.clone(), diary.clone());
    (move |things: Query<Handle<T>>, mut commands: Commands| {
        fuse::burn();
        if things.count() > CROWD {
            return;
        }
        let (ask, notes, number, salt) = (spec.overtaking(), diary.clone(), spec.number, spec.salt);
        commands.run(move |world| {
            fuse::burn();
            let answer = world::call::<T>(world, &ask);
            notes.note(Owner::Closure(number), Note::Answered(answer));
            let r = world.resource_mut::<R<0>>();
            r.0 = mix(r.0 ^ salt);
        });
        for body in spec.overtaken() {
            let answer = pool::spawned(&body, commands.try_spawn(make::<T>(&body)));
            diary.note(Owner::System(number), Note::Answered(answer));
        }
    })
    .into_system()
}

fn sweep<T: Piece>(way: u16, salt: u64) -> System {
    let goes = move |handle: Handle<T>, n: &Value<T>| {
        fuse::burn();
        mix(handle.to_bits() ^ u64::from(number::<T>(n)) ^ salt) % 6 == 0
    };
    if way % 2 == 0 {
        return (move |things: Query<(Handle<T>, Ref<T::N>)>, mut commands: Commands| {
            for (handle, n) in &things {
                if goes(handle, &n) {
                    commands.despawn(handle);
                }
            }
        })
        .into_system();
    }
    (move |mut things: Query<(Handle<T>, Ref<T::N>)>, mut commands: Commands| {
        commands.par_each(&mut things, |(handle, n), commands| {
            if goes(handle, &n) {
                commands.despawn(handle);
            }
        });
    })
    .into_system()
}

fn divide<T: Piece>(spec: &spec::System, diary: &Diary) -> System {
    let (salt, owner, diary) = (spec.salt, Owner::System(spec.number), diary.clone());
    (move |mut things: Query<(Handle<T>, Ref<T::N>)>, mut commands: Commands| {
        fuse::burn();
        let crowded = things.count() > CROWD;
        // By slot: threads come to them in any order.
        let born = Mutex::new(Vec::new());
        commands.par_each(&mut things, |(me, n), commands| {
            let drawn = mix(me.to_bits() ^ salt);
            let tags = T::tags_of((drawn >> 8) as u8);
            match drawn % 16 {
                0 | 1 if !crowded => {
                    let body = Body::new((drawn >> 16) as u16, id(me));
                    let answer = pool::spawned(&body, commands.try_spawn(make::<T>(&body)));
                    if let Answer::New(new) = answer {
                        commands.attach(handle::<T>(new), me);
                    }
                    let mut born = born.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    born.push((me.index(), Note::Answered(answer)));
                }
                2 | 3 => commands.insert_tags(me, tags),
                4 => commands.remove_tags(me, tags),
                5 => commands.set_tags(me, tags),
                6 | 7 => {
                    let less = number::<T>(&n) / 2;
                    commands.set::<T::N>(me, with_number::<T>(less));
                }
                8 => commands.detach(me),
                9 => commands.detach_in::<Kin, _>(me),
                _ => {}
            }
        });
        let mut born = born.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        born.sort_by_key(|(slot, _)| *slot);
        born.into_iter().for_each(|(_, note)| diary.note(owner, note));
    })
    .into_system()
}

/// Commands about handles that may be anybody's.
fn order<T: Piece>(way: u16, salt: u64, [one, two, three, four]: [Handle<T>; 4]) -> System {
    (move |mut commands: Commands| {
        fuse::burn();
        let tags = T::tags_of((salt >> 8) as u8);
        match way % 6 {
            0 => commands.despawn(one),
            1 => commands.attach(one, two),
            2 => commands.attach_in::<Kin, _>(one, two),
            3 => commands.attach_in::<Carried, _>(one, two),
            4 => commands.detach_in::<Carried, _>(one),
            _ => commands.attach_first(one, two),
        }
        commands.insert_tags(three, tags);
        commands.set::<T::N>(four, with_number::<T>(salt as u32));
        assert_eq!(commands.len(), 3);
    })
    .into_system()
}
