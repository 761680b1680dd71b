//! Calls on one pool.

use std::collections::BTreeSet;

use lath::pool::{Tree, TreeMut};
use lath::{
    AnyHandle, Attached, Branch, Cursor, Field, Handle, HandleError, HandleRange, LinkError, Mut,
    Orphans, Pool, Ref, Reuse, SideFault, Slices, SpawnError, SpawnFault, TagSet, Thing,
};

use super::things::{Carried, Kin, Number, Piece, Tags, Text};
use crate::answer::{Answer, Ask, Hidden, PoolLook, Refusal, Slot};
use crate::body::{Body, Id};
use crate::fuse;
use crate::memory;
use crate::program::Call;

/// A handle without its type.
pub fn id<T: Thing>(handle: Handle<T>) -> Id {
    assert_eq!(Handle::<T>::from_bits(handle.to_bits()), handle, "bits and back");
    let erased: AnyHandle = handle.erase();
    assert_eq!(erased.downcast::<T>(), Some(handle), "erased and back");
    assert_eq!(erased.thing(), std::any::TypeId::of::<T>());
    assert_eq!(handle.is_nil(), handle == Handle::NIL);
    assert!(handle.is_nil() || handle.generation() % 2 == 1, "{handle} is of an even generation");
    Id { slot: handle.index(), bits: handle.to_bits() }
}

/// A handle with its type.
pub fn handle<T: Thing>(id: Id) -> Handle<T> {
    Handle::from_bits(id.bits)
}

fn ids<T: Thing>(handles: impl IntoIterator<Item = Handle<T>>) -> Vec<Id> {
    handles.into_iter().map(id).collect()
}

/// What a field holds, as a number.
pub fn number<T: Piece>(n: &<T::N as Field>::Value) -> u32 {
    n.number()
}

/// A number, as a field holds it.
pub fn with_number<T: Piece>(n: u32) -> <T::N as Field>::Value {
    Number::from_number(n)
}

/// Why a spawn was refused.
pub fn why(fault: &SpawnFault) -> Refusal {
    match fault {
        SpawnFault::Full { .. } => Refusal::Full,
        SpawnFault::Occupied { .. } => Refusal::Occupied,
        SpawnFault::KindTooLarge { .. } => Refusal::Kind,
        SpawnFault::Handle(_) => Refusal::Handle,
        SpawnFault::Link(error) => why_not_linked(error),
        SpawnFault::OutOfMemory(_) => Refusal::Memory,
        _ => Refusal::Other,
    }
}

fn why_not_linked(error: &LinkError) -> Refusal {
    match error {
        LinkError::Stale { .. } => Refusal::Stale,
        LinkError::Cycle { .. } => Refusal::Cycle,
        LinkError::NoParent { .. } => Refusal::NoParent,
        LinkError::OutOfMemory(_) => Refusal::Memory,
        _ => Refusal::Other,
    }
}

/// A handle that was handed out, or why not; the thing that is given back must be the one that was
/// meant.
pub fn spawned<T: Piece>(body: &Body, result: Result<Handle<T>, SpawnError<T>>) -> Answer {
    match result {
        Ok(handle) => Answer::New(id(handle)),
        Err(error) => {
            let again = T::make(body);
            assert_eq!(
                format!("{:?}", error.value),
                format!("{again:?}"),
                "another thing came back"
            );
            Answer::Refused(why(&error.fault))
        }
    }
}

/// A thing that is made by code that can panic.
pub fn make<T: Piece>(body: &Body) -> T {
    fuse::burn();
    T::make(body)
}

/// One of the three relations.
fn tree_of<T: Piece>(pool: &Pool<T>, relation: u16) -> Tree<'_, T> {
    match relation % 3 {
        0 => pool.tree(),
        1 => pool.tree_of::<Carried>(),
        _ => pool.tree_of::<Kin>(),
    }
}

fn tree_of_mut<T: Piece>(pool: &mut Pool<T>, relation: u16) -> TreeMut<'_, T> {
    match relation % 3 {
        0 => pool.tree_mut(),
        1 => pool.tree_of_mut::<Carried>(),
        _ => pool.tree_of_mut::<Kin>(),
    }
}

/// Puts a thing below or beside another. Where there is no memory, that is the answer.
fn attach<T: Piece>(
    pool: &mut Pool<T>,
    [one, two]: [Handle<T>; 2],
    relation: u16,
    way: u16,
) -> Result<(), LinkError> {
    let made = match relation % 3 {
        0 => pool.prepare_links::<Attached>(),
        1 => pool.prepare_links::<Carried>(),
        _ => pool.prepare_links::<Kin>(),
    };
    made.map_err(LinkError::OutOfMemory)?;
    let mut tree = tree_of_mut(pool, relation);
    match way % 6 {
        0 => tree.attach_first(one, two),
        1 => tree.attach_before(one, two),
        2 => tree.attach_after(one, two),
        _ => tree.attach(one, two),
    }
}

/// Gives a thing a value beside it: whether it had one.
fn put_beside<T: Piece>(pool: &mut Pool<T>, one: Handle<T>, text: Text) -> Answer {
    match pool.side_mut().insert(one, text) {
        Ok(before) => Answer::Is(before.is_some()),
        Err(error) => match error.fault {
            SideFault::Handle(_) => Answer::Refused(Refusal::Stale),
            SideFault::OutOfMemory(_) => Answer::Refused(Refusal::Memory),
            _ => Answer::Refused(Refusal::Other),
        },
    }
}

/// What becomes of children.
fn orphans(number: u16) -> Orphans {
    [Orphans::Despawn, Orphans::Detach, Orphans::Adopt][usize::from(number) % 3]
}

fn tags<T: Piece>(value: u16) -> T::Tags {
    T::tags_of((value % 8) as u8)
}

/// What became of a link.
pub fn link_answer(result: Result<(), LinkError>) -> Answer {
    match result {
        Ok(()) => Answer::Done,
        Err(error) => Answer::Refused(why_not_linked(&error)),
    }
}

/// Makes a call.
pub fn call<T: Piece>(pool: &mut Pool<T>, ask: &Ask) -> Answer {
    let who: [Handle<T>; 4] = ask.who.map(handle);
    let [one, two, ..] = who;
    let Ask { b, v, .. } = *ask;
    let body = Body::new(v, ask.who[1]);
    let stats = pool.stats();
    let room =
        stats.limit - stats.live - stats.staged - stats.reserved - stats.buried - stats.retired;
    match ask.call {
        // Who knows that there is room need not ask.
        Call::Spawn if room > 0 && fits::<T>(&body) && b % 2 == 1 => {
            Answer::New(id(pool.spawn(make(&body))))
        }
        Call::Spawn => spawned(&body, pool.try_spawn(make(&body))),
        Call::SpawnMany => {
            let bodies = (0..b % 24).map(|i| Body::new(v.wrapping_add(i), ask.who[1]));
            let bodies = bodies.filter(|body| body.kind < 4).take(room as usize);
            let spawned = pool.spawn_many(bodies.map(|body| make::<T>(&body)));
            Answer::NewOnes(ids(spawned.take(usize::from(b / 24))))
        }
        Call::SpawnRange => {
            let range = pool.spawn_range(u32::from(b % 80), |i| {
                make(&Body { kind: 1, ..Body::new(v.wrapping_add(i as u16), ask.who[1]) })
            });
            match range {
                Ok(range) => {
                    let again = HandleRange::new(range.first(), range.len());
                    assert_eq!(again.unwrap_or(HandleRange::EMPTY), range, "the same range");
                    Answer::NewOnes(ids(range.iter()))
                }
                Err(fault) => Answer::Refused(why(&fault)),
            }
        }
        Call::SpawnAt => {
            // Of the kind that the handle says, most of the time.
            let kind = if b % 8 == 0 { body.kind } else { one.kind() };
            let body = Body { kind, ..body };
            spawned(&body, pool.spawn_at(one, make(&body)).map(|()| one))
        }
        Call::Stage if room > 0 && fits::<T>(&body) && b % 2 == 1 => {
            Answer::New(id(pool.stage(make(&body))))
        }
        Call::Stage => spawned(&body, pool.try_stage(make(&body))),
        Call::Reserve if room > 0 && b % 4 == 2 => Answer::New(id(pool.reserve())),
        Call::Reserve
            if room > 0 && b % 8 == 4 && (u32::from(v) % 4) >> T::TRAITS.kind_bits == 0 =>
        {
            Answer::New(id(pool.reserve_kind(u32::from(v) % 4)))
        }
        Call::Reserve => match pool.try_reserve_kind(if b % 4 == 0 { u32::from(v) % 4 } else { 0 })
        {
            Ok(handle) => Answer::New(id(handle)),
            Err(fault) => Answer::Refused(why(&fault)),
        },
        Call::Commit => Answer::Count(u64::from(pool.commit())),
        Call::StageFromThreads => stage_from_threads(pool, &body, b % 12),
        Call::Despawn => Answer::Is(pool.despawn(one)),
        Call::DespawnMany => {
            Answer::Count(u64::from(pool.despawn_many(who.into_iter().inspect(|_| fuse::burn()))))
        }
        Call::DespawnWith => Answer::Is(pool.despawn_with(one, orphans(b))),
        Call::DespawnAfter => Answer::Is(pool.despawn_after(one, u64::from(v % 8))),
        Call::Reap => Answer::Count(u64::from(pool.reap(u64::from(v % 8)))),
        Call::Take => Answer::Saw(
            pool.take(one).map(|thing| (ask.who[0], Some(whole(&thing)))).into_iter().collect(),
        ),
        Call::Graft if (room as usize) <= pool.tree().descendants(one).count() => {
            Answer::NewOnes(Vec::new())
        }
        Call::Graft => match pool.take_tree(one) {
            None => Answer::NewOnes(Vec::new()),
            Some(taken) if b % 4 == 3 => {
                let (count, things) = (taken.len(), taken.into_things());
                let saw: Vec<_> = things.map(|thing| (Id::NIL, Some(whole(&thing)))).collect();
                assert_eq!(saw.len(), count, "things of a subtree that was taken");
                Answer::Saw(saw)
            }
            Some(taken) => {
                let top = pool.graft(taken, |_, _| fuse::burn());
                let tree = pool.tree();
                Answer::NewOnes(ids([top].into_iter().chain(tree.descendants(top))))
            }
        },
        Call::Retain => {
            let mut asked = Vec::new();
            pool.retain(|handle, thing| {
                fuse::burn();
                asked.push((id(handle), Some(T::held(&thing))));
                handle.index() % 7 != u32::from(v % 7)
            });
            Answer::Saw(asked)
        }
        Call::ExtractIf => {
            let drained = pool.extract_if(|handle, _| {
                fuse::burn();
                handle.index() % 5 == u32::from(v % 5)
            });
            Answer::Saw(
                drained
                    .take(usize::from(b % 6))
                    .map(|(handle, thing)| (id(handle), Some(whole(&thing))))
                    .collect(),
            )
        }
        Call::Clear => {
            pool.clear();
            Answer::Done
        }
        Call::Reclaim => Answer::Count(u64::from(pool.reclaim_retired())),
        Call::Ask => ask_about(pool, &who),
        Call::Edit => Answer::Is(pool.edit(one, |mut thing| {
            fuse::burn();
            T::change(&mut thing, v);
        })),
        Call::GetMut => {
            Answer::Is(pool.get_mut(one).map(|mut thing| T::change(&mut thing, v)).is_some())
        }
        Call::SetField => Answer::Is(pool.set::<T::N>(one, with_number::<T>(u32::from(v))).is_ok()),
        Call::SetRare => match T::set_rare(pool, one, &body.rare) {
            Some(found) => Answer::Is(found),
            None => Answer::Is(pool.contains(one)),
        },
        Call::ViewMut => Answer::Is(match pool.view_mut::<(Handle<T>, Mut<T::N>)>().get_mut(one) {
            Some((handle, mut n)) => {
                assert_eq!(handle, one, "a view of another thing");
                *n = with_number::<T>(u32::from(v) * 2);
                true
            }
            None => false,
        }),
        Call::Disjoint => {
            let mut things = pool.get_disjoint_mut(who);
            for thing in things.iter_mut().flatten() {
                T::change(thing, v);
            }
            let saw = things.into_iter().zip(ask.who);
            Answer::Saw(
                saw.map(|(thing, id)| (id, thing.ok().map(|thing| T::held(&thing)))).collect(),
            )
        }
        Call::Split => match pool.split(one) {
            None => Answer::All(vec![Answer::Is(false)]),
            Some((mut thing, rest)) => {
                let saw = Answer::Saw(vec![(ask.who[1], rest.get(two).map(T::seen))]);
                assert!(rest.get(one).is_none(), "given out twice");
                let new = spawned(&body, rest.try_stage(make(&body)));
                T::change(&mut thing, v);
                Answer::All(vec![Answer::Is(true), saw, new])
            }
        },
        Call::Tags => Answer::Is(match b % 3 {
            0 => pool.set_tags(one, tags::<T>(v)),
            1 => pool.insert_tags(one, tags::<T>(v)),
            _ => pool.remove_tags(one, tags::<T>(v)),
        }),
        Call::Beside => call_beside(pool, ask),
        Call::IterMut => {
            for (handle, mut thing) in pool.iter_mut() {
                if handle.index() % 3 == u32::from(v % 3) {
                    T::change(&mut thing, v);
                }
            }
            Answer::Done
        }
        Call::Each => {
            let change = |n: &mut <T::N as Field>::Value| {
                fuse::burn();
                *n = with_number::<T>(number::<T>(n).wrapping_add(u32::from(v)));
            };
            match b % 3 {
                0 => pool.view_mut::<Mut<T::N>>().each(|mut n| change(&mut n)),
                1 => pool.view_mut::<Mut<T::N>>().par_each(|mut n| change(&mut n)),
                _ => pool.view_mut::<Mut<T::N>>().iter_mut().for_each(|mut n| change(&mut n)),
            }
            Answer::Done
        }
        Call::Runs => {
            let change = |run: &mut [<T::N as Field>::Value]| {
                fuse::burn();
                for n in run {
                    *n = with_number::<T>(number::<T>(n) ^ u32::from(v));
                }
            };
            match b % 2 {
                // Fields of rows do not lie densely, and are no slices.
                _ if !<Mut<T::N> as Slices>::dense() => {
                    pool.view_mut::<Mut<T::N>>()
                        .each(|mut n| change(std::slice::from_mut(&mut *n)));
                }
                0 => pool.view_mut::<Mut<T::N>>().slices(change),
                _ => pool.view_mut::<Mut<T::N>>().par_slices(change),
            }
            Answer::Done
        }
        Call::EachWithRest => each_with_rest(pool, &body, ask),
        Call::LookAtMany => look_at_many(pool, &who, b),
        Call::CloneOver => {
            *pool = pool.clone();
            Answer::Done
        }
        Call::SetReuse => {
            pool.set_reuse([Reuse::Lowest, Reuse::Lifo, Reuse::Fifo][usize::from(v) % 3]);
            Answer::Words(format!("{:?}", pool.reuse()))
        }
        Call::Shrink => {
            pool.shrink_to_fit();
            Answer::Done
        }
        Call::TrackChanges => {
            pool.track_changes();
            Answer::Words(pool.tick().to_string())
        }
        Call::NextTick => Answer::Words(pool.next_tick().to_string()),
        Call::ChangedSince => {
            let since = pool.tick().saturating_sub(u64::from(v % 3));
            Answer::Found(ids(pool.changed_since::<T::N>(since)))
        }
        Call::WithoutMemory => call_without_memory(pool, ask),
        _ => call_tree(pool, ask, &body),
    }
}

/// Whether the kind of a thing fits into its handle.
fn fits<T: Piece>(body: &Body) -> bool {
    T::TRAITS.keep(body).kind >> T::TRAITS.kind_bits == 0
}

/// Makes a call that answers with an error where memory is refused.
pub fn call_without_memory<T: Piece>(pool: &mut Pool<T>, ask: &Ask) -> Answer {
    let one = handle::<T>(ask.who[0]);
    let (ask, n) = (ask.with_memory(), ask.v % 4);
    // Nothing cold: see `src/known.rs`.
    let body = Body::new(ask.v, ask.who[1]);
    // Made outside: memory is refused to everybody.
    let thing = T::make(&body);
    match ask.call {
        Call::Spawn => spawned(&body, memory::refused(n, || pool.try_spawn(thing))),
        Call::Stage => spawned(&body, memory::refused(n, || pool.try_stage(thing))),
        Call::SpawnAt => {
            let kind = if ask.b % 8 == 0 { body.kind } else { one.kind() };
            let body = Body { kind, ..body };
            let thing = T::make(&body);
            spawned(&body, memory::refused(n, || pool.spawn_at(one, thing)).map(|()| one))
        }
        Call::Reserve => match memory::refused(n, || pool.try_reserve_kind(0)) {
            Ok(handle) => Answer::New(id(handle)),
            Err(fault) => Answer::Refused(why(&fault)),
        },
        Call::Attach => {
            let both = [one, handle(ask.who[1])];
            link_answer(memory::refused(n, || attach(pool, both, ask.b, ask.v)))
        }
        Call::SpawnChild => spawned(&body, memory::refused(n, || pool.spawn_child(one, thing))),
        Call::Beside if ask.b % 4 > 1 => {
            let text = Text::of(&ask.v.to_string());
            memory::refused(n, || put_beside(pool, one, text))
        }
        _ => call_beside(pool, &ask),
    }
}

/// Calls on the table beside a pool.
fn call_beside<T: Piece>(pool: &mut Pool<T>, ask: &Ask) -> Answer {
    let one = handle(ask.who[0]);
    match ask.b % 4 {
        0 => Answer::Is(pool.side_mut::<Text>().remove(one).is_some()),
        1 => Answer::Is(match pool.side_mut::<Text>().get_mut(one) {
            Some(text) => {
                *text = Text::of(&format!("changed {}", ask.v));
                true
            }
            None => false,
        }),
        _ => put_beside(pool, one, Text::of(&ask.v.to_string())),
    }
}

/// All values beside a pool.
pub fn beside<T: Piece>(pool: &Pool<T>) -> Vec<(Handle<T>, String)> {
    let side = pool.side::<Text>();
    let all: Vec<_> = side.iter().map(|(handle, text)| (handle, text.get())).collect();
    assert_eq!((side.len(), side.is_empty()), (all.len(), all.is_empty()));
    for (handle, text) in &all {
        assert_eq!(side.get(*handle).map(Text::get).as_ref(), Some(text), "{handle}");
        assert!(pool.contains(*handle), "{handle} has gone, and its value has not");
    }
    all
}

/// Gives things values beside them again.
pub fn put_all_beside<T: Piece>(pool: &mut Pool<T>, all: Vec<(Handle<T>, String)>) {
    for (handle, text) in all {
        put_beside(pool, handle, Text::of(&text));
    }
}

/// All that there is to see of a thing that is nobody's.
pub fn whole<T: Piece>(thing: &T) -> Body {
    let mut pool = Pool::new();
    let handle = pool.spawn(thing.clone());
    T::seen(pool.read(handle))
}

/// Stages things of which none can be told from another, from three threads. Which gets which slot
/// is up to timing; which slots are taken is not, and so the handles are answered in their order.
fn stage_from_threads<T: Piece>(pool: &mut Pool<T>, body: &Body, count: u16) -> Answer {
    let shared = &*pool;
    let mut staged: Vec<Id> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(move || {
                    (0..count)
                        .filter_map(|_| shared.try_stage(T::make(body)).ok())
                        .map(id)
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let staged = threads.into_iter().map(|thread| thread.join());
        staged
            .flat_map(|staged| staged.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    staged.sort();
    Answer::NewOnes(staged)
}

/// Every way to ask about a handle says the same.
fn ask_about<T: Piece>(pool: &Pool<T>, who: &[Handle<T>; 4]) -> Answer {
    let saw = who.map(|handle| {
        let body = pool.get(handle).map(T::seen);
        let there = body.is_some();
        assert_eq!(pool.contains(handle), there, "{handle}");
        assert_eq!(pool.check(handle).is_ok(), there, "{handle}");
        let read = T::seen(pool.read(handle));
        assert_eq!(
            body.clone().unwrap_or_else(|| T::seen(pool.read(Handle::NIL))),
            read,
            "{handle}"
        );
        let n = pool.view::<Ref<T::N>>().get(handle).map(|n| number::<T>(&n));
        assert_eq!(n, body.as_ref().map(|body| body.n), "{handle}");
        let tags = body.as_ref().map_or(0, |body| body.tags);
        assert_eq!(pool.tags(handle).widen(), u64::from(tags), "{handle}");
        for bit in [1u8, 2, 4] {
            assert_eq!(
                pool.has(handle, T::tags_of(bit)),
                there && (!T::TRAITS.tags || tags & bit != 0),
                "{handle}"
            );
        }
        (id(handle), body)
    });
    let look = pool.view::<(Handle<T>, Ref<T::N>)>();
    for handle in who {
        let seen = look.get(*handle).map(|(found, n)| (found, number::<T>(&n)));
        assert_eq!(seen, pool.get(*handle).map(|thing| (*handle, T::seen(thing).n)), "{handle}");
    }
    Answer::Saw(saw.to_vec())
}

/// Every way to look at many things shows the same.
fn look_at_many<T: Piece>(pool: &Pool<T>, who: &[Handle<T>; 4], b: u16) -> Answer {
    let all: Vec<(Handle<T>, u32)> =
        pool.iter().map(|(handle, thing)| (handle, T::seen(thing).n)).collect();
    let query: Vec<_> =
        pool.view::<(Handle<T>, Ref<T::N>)>().iter().map(|(h, n)| (h, number::<T>(&n))).collect();
    assert_eq!(query, all, "query beside iter");
    assert_eq!(
        pool.view::<Ref<T::N>>().iter().size_hint(),
        (all.len(), Some(all.len())),
        "how many come"
    );
    assert_eq!(pool.handles().collect::<Vec<_>>(), all.iter().map(|(h, _)| *h).collect::<Vec<_>>());
    assert_eq!(
        (pool.len(), pool.view::<Ref<T::N>>().count(), pool.is_empty()),
        (all.len(), all.len(), all.is_empty())
    );
    let look = pool.view::<(Handle<T>, Ref<T::N>)>();
    assert_eq!(
        look.iter().map(|(h, n)| (h, number::<T>(&n))).collect::<Vec<_>>(),
        all,
        "iter of views beside iter"
    );
    assert_eq!(look.count(), all.len());
    let from = pool.next_from(u32::from(b % 70)).map(id);
    let expected = all.iter().map(|(h, _)| id(*h)).find(|id| id.slot >= u32::from(b % 70));
    assert_eq!(from, expected, "next_from({})", b % 70);
    let one_by_one: Vec<_> =
        who.iter().map(|h| pool.view::<Ref<T::N>>().get(*h).map(|n| number::<T>(&n))).collect();
    let many: Vec<_> =
        pool.view::<Ref<T::N>>().get_many(who).map(|n| n.map(|n| number::<T>(&n))).collect();
    assert_eq!(many, one_by_one, "get_many beside get");
    let many: Vec<_> = look.get_many(who).map(|n| n.map(|(_, n)| number::<T>(&n))).collect();
    assert_eq!(many, one_by_one, "get_many beside get");
    Answer::Found(all.into_iter().map(|(handle, _)| id(handle)).collect())
}

/// Each thing takes over the number of another, if there is one, and some stage a new one.
fn each_with_rest<T: Piece>(pool: &mut Pool<T>, body: &Body, ask: &Ask) -> Answer {
    let other = handle::<T>(ask.who[2]);
    let mut new = Vec::new();
    if ask.b % 2 == 0 {
        pool.each_with_rest(|me, mut thing, rest| {
            fuse::burn();
            if let Some(n) = rest.get(other).map(|other| T::seen(other).n) {
                assert_ne!(me, other, "given out twice");
                T::change(&mut thing, n as u16);
            }
            if me.index() % 16 == 1 {
                new.push(spawned(body, rest.try_stage(make(body))));
            }
        });
    } else {
        pool.view_mut::<(Handle<T>, Mut<T::N>)>().each_with_rest(|(me, mut n), rest| {
            fuse::burn();
            if let Some(its) = rest.get::<Ref<T::N>>(other).map(|other| number::<T>(&other)) {
                assert_ne!(me, other, "given out twice");
                *n = with_number::<T>(number::<T>(&n).wrapping_add(its));
            }
        });
        // The fields of all others are seen, and nothing else of the pool.
        pool.each_with_rest(|me, _, rest| {
            if me.index() % 16 == 1 {
                new.push(spawned(body, rest.try_stage(make(body))));
            }
        });
    }
    Answer::All(new)
}

/// Calls on the trees of a pool.
fn call_tree<T: Piece>(pool: &mut Pool<T>, ask: &Ask, body: &Body) -> Answer {
    let [one, two, ..] = ask.who.map(handle::<T>);
    let Ask { b, v, .. } = *ask;
    match ask.call {
        Call::Attach => link_answer(attach(pool, [one, two], b, v)),
        Call::Detach => detached(tree_of_mut(pool, b).detach(one)),
        Call::MoveChildren => link_answer(tree_of_mut(pool, b).move_children(one, two)),
        Call::SwapPlaces => link_answer(tree_of_mut(pool, b).swap(one, two)),
        Call::SortChildren => {
            let mut tree = tree_of_mut(pool, b);
            link_answer(match v % 2 {
                0 => tree.sort_children(one, |a, b| {
                    fuse::burn();
                    (a.index() % 5).cmp(&(b.index() % 5))
                }),
                _ => tree.sort_children_by(one, |a, b| {
                    fuse::burn();
                    (T::seen(a).n % 5).cmp(&(T::seen(b).n % 5))
                }),
            })
        }
        Call::SpawnChild => spawned(body, pool.spawn_child(one, make(body))),
        Call::SpawnTree => {
            let stats = pool.stats();
            if stats.limit
                - stats.live
                - stats.staged
                - stats.reserved
                - stats.buried
                - stats.retired
                < 4
            {
                return Answer::NewOnes(Vec::new());
            }
            let part = |n: u16| {
                Branch::new(make::<T>(&Body { kind: 0, ..Body::new(v.wrapping_add(n), Id::NIL) }))
            };
            let branch = part(0).with(part(1).with(part(2))).with(part(3));
            let top = pool.spawn_tree(branch);
            Answer::NewOnes(ids([top].into_iter().chain(pool.tree().descendants(top))))
        }
        Call::Mark => {
            let mut tree = tree_of_mut(pool, b);
            if v % 4 == 0 {
                return Answer::Is(tree.reserve().is_ok());
            }
            Answer::Is(tree.mark(one))
        }
        Call::Cascade => {
            let step = |parent: Option<Ref<T::N>>, mut n: Mut<T::N>| {
                fuse::burn();
                let above = parent.map_or(u32::from(v), |parent| number::<T>(&parent));
                *n = with_number::<T>(above.wrapping_mul(3).wrapping_add(1));
            };
            let mut tree = tree_of_mut(pool, b / 2);
            match b % 2 {
                0 => tree.sweep::<Ref<T::N>, Mut<T::N>>().down(step),
                _ => tree.sweep::<Ref<T::N>, Mut<T::N>>().par_down(step),
            }
            Answer::Done
        }
        Call::CascadeDirty => {
            let step = |parent: Option<Ref<T::N>>, mut n: Mut<T::N>| {
                fuse::burn();
                let above = parent.map_or(u32::from(v), |parent| number::<T>(&parent));
                *n = with_number::<T>(above.wrapping_add(7));
            };
            let mut tree = tree_of_mut(pool, b / 2);
            Answer::Words(match b % 2 {
                0 => tree.sweep::<Ref<T::N>, Mut<T::N>>().down_dirty(step).to_string(),
                _ => tree.sweep::<Ref<T::N>, Mut<T::N>>().par_down_dirty(step).to_string(),
            })
        }
        Call::Gather => {
            let mut tree = tree_of_mut(pool, b / 2);
            match b % 2 {
                0 => tree.sweep::<Ref<T::N>, Mut<T::N>>().up(|children, mut n| {
                    fuse::burn();
                    let sum = children
                        .map(|child| number::<T>(&child))
                        .fold(u32::from(v), u32::wrapping_add);
                    *n = with_number::<T>(sum);
                }),
                _ => tree.sweep::<Ref<T::N>, Mut<T::N>>().par_up(|children, mut n| {
                    fuse::burn();
                    let sum = children
                        .map(|child| number::<T>(&child))
                        .fold(u32::from(v), u32::wrapping_add);
                    *n = with_number::<T>(sum);
                }),
            }
            Answer::Done
        }
        Call::WalkTree => {
            let tree = tree_of(pool, b);
            let mut cursor = Cursor::below(one);
            let mut walked = Vec::new();
            while let Some(at) = cursor.next(tree) {
                walked.push(at);
            }
            assert_eq!(
                walked,
                tree.descendants(one).collect::<Vec<_>>(),
                "a cursor beside `descendants`"
            );
            let (mut cursor, mut skipped) = (Cursor::below(one), Vec::new());
            while let Some(at) = cursor.skip(tree) {
                assert_eq!(cursor.at(), at);
                skipped.push(at);
            }
            assert_eq!(
                skipped,
                tree.children(one).collect::<Vec<_>>(),
                "a cursor that skips beside `children`"
            );
            ask_tree(tree, one, two);
            if v % 2 == 0 {
                let (tree, mut things) = pool.tree_and_things();
                for child in tree.children(one) {
                    assert!(things.contains(child), "{child}");
                    things.edit(child, |mut thing| T::change(&mut thing, v));
                }
            }
            Answer::Found(ids(walked))
        }
        call => unreachable!("{call:?} is not a call on a pool"),
    }
}

/// The parent that a thing was taken from, or why it was not.
pub fn detached<T: Thing>(result: Result<Option<Handle<T>>, LinkError>) -> Answer {
    match result {
        Ok(parent) => Answer::Found(ids(parent)),
        Err(error) => Answer::Refused(why_not_linked(&error)),
    }
}

/// Every way to ask a tree says the same.
fn ask_tree<T: Piece>(tree: Tree<'_, T>, one: Handle<T>, two: Handle<T>) {
    let children: Vec<_> = tree.children(one).collect();
    let mut backwards: Vec<_> = tree.children(one).rev().collect();
    backwards.reverse();
    assert_eq!(children, backwards, "children from both ends");
    assert_eq!(tree.child_count(one), children.len());
    assert_eq!(
        (tree.first_child(one), tree.last_child(one)),
        (children.first().copied(), children.last().copied())
    );
    for pair in children.windows(2) {
        assert_eq!(
            (tree.next_sibling(pair[0]), tree.prev_sibling(pair[1])),
            (Some(pair[1]), Some(pair[0]))
        );
    }
    let ancestors: Vec<_> = tree.ancestors(one).collect();
    assert_eq!(tree.depth(one), ancestors.len());
    assert_eq!(tree.parent(one), ancestors.first().copied());
    assert_eq!(tree.is_ancestor(two, one), ancestors.contains(&two));
    if let Some(top) = ancestors.last() {
        assert_eq!(tree.root_of(one), *top);
        assert!(tree.roots().any(|root| root == *top), "a root that is not among the roots");
    }
    let (below, after): (Vec<_>, Vec<_>) =
        (tree.descendants(one).collect(), tree.post_order(one).collect());
    if tree.is_linked(one) {
        assert_eq!(after.len(), below.len() + 1, "post order has the thing itself");
        assert_eq!(after.last(), Some(&one));
    }
    let leaves: Vec<_> =
        below.iter().copied().filter(|at| tree.first_child(*at).is_none()).collect();
    if !below.is_empty() {
        assert_eq!(tree.leaves(one).collect::<Vec<_>>(), leaves);
    }
    if let Some(common) = tree.common_ancestor(one, two) {
        let at_or_above = |mut all: Vec<_>, of| {
            all.push(of);
            all
        };
        assert!(at_or_above(ancestors, one).contains(&common));
        assert!(at_or_above(tree.ancestors(two).collect(), two).contains(&common));
    }
    let drawn = tree.draw(one, |at| at.to_bits().to_string());
    assert!(below.is_empty() || drawn.lines().count() > below.len(), "{drawn}");
    assert_eq!(tree.check(), Ok(()));
}

/// All that can be seen of a pool.
pub fn look<T: Piece>(pool: &Pool<T>) -> PoolLook {
    assert_eq!(pool.check_invariants(), Ok(()), "the invariants of the pool of {}", T::TRAITS.name);
    let see = |(handle, thing)| (id::<T>(handle), T::seen(thing));
    let live: Vec<_> = pool.iter().map(see).collect();
    let is_live = |id: &Id| live.binary_search_by_key(id, |(id, _)| *id).is_ok();
    let staged = pool.iter_with_staged().map(see).filter(|(id, _)| !is_live(id)).collect();
    let stats = pool.stats();
    assert!(pool.capacity() >= live.len() && pool.capacity() <= stats.limit as usize, "{stats:?}");
    let counts = [stats.live, stats.staged, stats.reserved, stats.buried, stats.retired];
    let tagged = [Tags::A, Tags::B, Tags::C].map(|tag| {
        if T::TRAITS.tags { pool.count_tagged(T::tags_of(tag.bits())) as u32 } else { 0 }
    });
    let links = [0, 1, 2].map(|relation| {
        let tree = tree_of(pool, relation);
        assert_eq!(tree.check(), Ok(()));
        let all = pool.iter_with_staged().map(|(handle, _)| handle);
        all.filter(|at| tree.first_child(*at).is_some())
            .map(|at| (id(at), ids(tree.children(at))))
            .collect()
    });
    let beside = beside(pool).into_iter().map(|(handle, text)| (id(handle), text)).collect();
    PoolLook { live, staged, counts, tagged, beside, links }
}

/// What a slot is at.
pub fn slot<T: Piece>(pool: &Pool<T>, slot: u32) -> Slot {
    let first = Handle::<T>::from_bits(u64::from(slot) | 1 << T::INDEX_BITS);
    match pool.check(first) {
        Err(HandleError::Stale { current, .. }) => Slot::At(current),
        Err(HandleError::OutOfRange { .. }) => Slot::At(0),
        Err(HandleError::Retired { .. }) => Slot::Retired,
        _ => Slot::First,
    }
}

/// What occupies one of these slots although no lookup finds it.
pub fn hidden<T: Piece>(pool: &Pool<T>, slots: &[u32]) -> Vec<(Id, Hidden)> {
    let traits = T::TRAITS;
    let at = |slot: u32, generation: u32, kind: u32| {
        let kind = match traits.kind_bits {
            0 => 0,
            _ => u64::from(kind) << (traits.index_bits + traits.generation_bits),
        };
        let bits = u64::from(slot) | u64::from(generation) << traits.index_bits | kind;
        Handle::<T>::from_bits(bits)
    };
    let mut hidden = Vec::new();
    for kind in 0..1 << traits.kind_bits {
        for &slot in slots {
            // The stamp of a slot that is reserved is still that of the life before.
            let generation = match pool.check(at(slot, 1, kind)) {
                Err(HandleError::Stale { current, .. }) => current | 1,
                Err(HandleError::Pending { .. }) => 1,
                _ => continue,
            };
            let handle = at(slot, generation, kind);
            if matches!(pool.check(handle), Err(HandleError::Pending { .. })) {
                hidden.push((id(handle), Hidden::Reserved));
            }
        }
    }
    // What is buried counts as used until the reaper has come.
    let generation_of = |number: u32| match slot(pool, number) {
        Slot::At(current @ 2..) => Some((current - 1, current + 1)),
        Slot::Retired => Some((traits.last_generation(), traits.last_generation())),
        Slot::At(_) | Slot::First => None,
    };
    let is_occupied = |pool: &mut Pool<T>, number: u32| {
        generation_of(number).is_some_and(|(_, next)| {
            let refused = pool.reserve_at(at(number, next, 0));
            matches!(refused, Err(SpawnFault::Occupied { .. }))
        })
    };
    let is_seen: BTreeSet<u32> = (hidden.iter().map(|(id, _)| id.slot))
        .chain(pool.iter_with_staged().map(|(handle, _)| handle.index()))
        .collect();
    let mut now = pool.clone();
    let mut buried: Vec<u32> = (slots.iter().copied())
        .filter(|slot| !is_seen.contains(slot) && is_occupied(&mut now, *slot))
        .collect();
    for epoch in 0..8 {
        let mut later = pool.clone();
        later.reap(epoch);
        buried.retain(|&number| {
            let stays = is_occupied(&mut later, number);
            if let Some((generation, _)) = generation_of(number).filter(|_| !stays) {
                hidden.push((id(at(number, generation, 0)), Hidden::Buried(epoch)));
            }
            stays
        });
    }
    hidden
}

/// What twins must agree about, and no model can know.
pub fn twin_look<T: Piece>(pool: &Pool<T>) -> String {
    let stats = pool.stats();
    format!("{} {} {:?}", stats.high_water, stats.largest_generation, pool.reuse())
}
