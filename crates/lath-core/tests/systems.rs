#![expect(
    unsafe_code,
    reason = "plays the scheduler, who vouches that systems do not get in each other's way"
)]
//! What a scheduler relies on: lanes never deal one slot twice, whoever asks first; views of
//! different fields can be used at the same time.

use std::collections::BTreeSet;

use lath_core::bitflags::bitflags;
use lath_core::{Attached, Handle, HandleError, Lane, Mut, Pool, Ref, Relation, Thing, View};
use proptest::prelude::*;

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u8 { const A = 1; const B = 2; }
}

#[derive(Thing, Default, Debug, Clone)]
struct Plain {
    value: u32,
}

#[derive(Thing, Default, Debug, Clone)]
struct Tagged {
    #[thing(tags)]
    tags: Tags,
    value: u32,
}

fn tagged(value: u32) -> Tagged {
    Tagged { tags: Tags::from_bits_truncate(value as u8), value }
}

/// Deals `wants[k]` handles to lane `k`, in the order that `turn` says, and then some to the parts
/// of lane 0.
fn deal_all<T: Thing>(
    pool: &Pool<T>,
    wants: &[u32],
    make: fn(u32) -> T,
    backwards: bool,
) -> Vec<Vec<Handle<T>>> {
    let lanes = wants.len() as u32;
    let mut dealt: Vec<Vec<_>> = wants.iter().map(|_| Vec::new()).collect();
    let mut order: Vec<_> = (0..lanes).collect();
    if backwards {
        order.reverse();
    }
    for number in order {
        let mut lane = Lane::new(number, lanes);
        let into = &mut dealt[number as usize];
        into.extend(
            (0..wants[number as usize]).filter_map(|n| pool.deal(&mut lane, &make(n)).ok()),
        );
        // In three parts, and then on.
        let mut parts = [Lane::default(), Lane::default(), Lane::default()];
        for (part_number, part) in parts.iter_mut().enumerate() {
            lane.split(part_number as u32, 3, part);
            into.extend(
                (0..70 * part_number as u32).filter_map(|n| pool.deal(part, &make(n)).ok()),
            );
        }
        for (part_number, part) in parts.iter().enumerate() {
            lane.join(part_number as u32, part);
        }
        into.extend(
            (0..wants[number as usize]).filter_map(|n| pool.deal(&mut lane, &make(n)).ok()),
        );
    }
    dealt
}

fn check<T: Thing + Clone>(
    mut pool: Pool<T>,
    wants: &[u32],
    make: fn(u32) -> T,
    gone: &[u16],
) -> Result<(), TestCaseError> {
    let handles: Vec<_> = pool.handles().collect();
    for gone in gone {
        if let Some(&handle) = handles.get(usize::from(*gone) % handles.len().max(1)) {
            pool.despawn(handle);
        }
    }
    let dealt = deal_all(&pool, wants, make, false);
    prop_assert_eq!(&dealt, &deal_all(&pool, wants, make, true), "it matters who asked first");
    let all: Vec<_> = dealt.iter().flatten().copied().collect();
    prop_assert_eq!(
        all.iter().map(|handle| handle.index()).collect::<BTreeSet<_>>().len(),
        all.len(),
        "a slot came twice"
    );
    for handle in all {
        // The tags play no part in whether a handle is good, only in where it lies.
        prop_assert!(pool.spawn_at(handle, make(0)).is_ok(), "{:?} was not free", handle);
    }
    prop_assert_eq!(pool.check_invariants(), Ok(()));
    Ok(())
}

proptest! {
    #[test]
    fn no_slot_is_dealt_twice_whoever_asks_first(
        there in 0u32..1000,
        gone in proptest::collection::vec(any::<u16>(), 0..300),
        wants in proptest::collection::vec(0u32..200, 1..9),
    ) {
        let plain = |value| Plain { value };
        check((0..there).map(plain).collect(), &wants, plain, &gone)?;
        check((0..there).map(tagged).collect(), &wants, tagged, &gone)?;
        let mut fixed = Pool::fixed(1500).unwrap();
        fixed.extend((0..there).map(plain));
        check(fixed, &wants, plain, &gone)?;
        let mut fixed = Pool::fixed(1500).unwrap();
        fixed.extend((0..there).map(tagged));
        check(fixed, &wants, tagged, &gone)?;
    }
}

#[test]
fn every_lane_of_a_small_pool_gets_its_share() {
    let pool = Pool::<Plain>::fixed(100).unwrap();
    for number in 0..10 {
        let mut lane = Lane::new(number, 10);
        let dealt = (0..).map_while(|_| pool.deal(&mut lane, &Plain::default()).ok()).count();
        assert_eq!(dealt, 10);
    }
}

#[test]
fn a_pool_for_65535_things_is_dealt_by_groups_and_a_smaller_one_by_slots() {
    for (capacity, second) in [(65_535, 64), (65_534, 2)] {
        let pool = Pool::<Plain>::fixed(capacity).unwrap();
        assert_eq!(pool.deal(&mut Lane::new(1, 2), &Plain::default()).unwrap().index(), second);
    }
}

#[test]
fn a_slot_that_is_kept_for_a_handle_goes_to_that_handle_only() {
    let mut pool: Pool<Plain> = (0..10).map(|value| Plain { value }).collect();
    let dealt = pool.deal(&mut Lane::new(0, 1), &Plain::default()).unwrap();
    let later = Handle::from_bits(9 << 32 | 50); // a slot without a past, under its fifth handle
    for handle in [dealt, later, dealt, later] {
        pool.reserve_at(handle).unwrap();
        assert!(
            matches!(pool.check(handle), Err(HandleError::Pending { .. })),
            "{:?}",
            pool.check(handle)
        );
        assert!(
            pool.reserve_at(Handle::from_bits(handle.to_bits() + (2 << 32))).is_err(),
            "kept for another"
        );
    }
    assert_eq!((pool.stats().reserved, pool.check_invariants()), (2, Ok(())));
    assert!((0..60).all(|value| ![11, 50].contains(&pool.spawn(Plain { value }).index())));
    let taken = pool.handles().next().unwrap();
    assert!(pool.reserve_at(taken).is_err());
    for handle in [dealt, later] {
        pool.spawn_at(handle, Plain { value: 77 }).unwrap();
        assert_eq!(pool[handle].value, 77);
    }
    assert_eq!((pool.len(), pool.stats().reserved), (72, 0));
}

#[test]
fn things_that_are_dealt_lie_in_groups_of_their_tags() {
    let mut pool: Pool<Tagged> = (0..1000).map(tagged).collect();
    let mut lane = Lane::new(0, 1);
    for value in 0..500 {
        let handle = pool.deal(&mut lane, &tagged(value)).unwrap();
        pool.spawn_at(handle, tagged(value)).unwrap();
        lane.reset();
    }
    let mut owners = std::collections::BTreeMap::new();
    // The first 512 slots are everybody's.
    for (handle, thing) in pool.iter().filter(|(handle, _)| handle.index() >= 512) {
        assert_eq!(
            *owners.entry(handle.index() / 64).or_insert(thing.tags),
            thing.tags,
            "a group of two clusters"
        );
    }
}

#[test]
fn parts_of_lanes_never_meet_in_the_groups_of_a_cluster() {
    // A hundred groups of one cluster, beyond those that are everybody's, with two free slots each.
    let mut pool: Pool<Tagged> = (0..64 * 108).map(|_| tagged(1)).collect();
    pool.retain(|handle, _| handle.index() % 32 != 5);
    for lanes in 1..=3 {
        let mut seen = BTreeSet::new();
        for number in 0..lanes {
            let mut lane = Lane::new(number, lanes);
            let mut deal = |lane: &mut Lane| {
                let index = pool.deal(lane, &tagged(1)).unwrap().index();
                assert!(seen.insert(index), "slot {index} came twice, with {lanes} lanes");
                assert!((64 * 8..64 * 108).contains(&index), "slot {index} is none of the cluster");
            };
            for of in [3, 2] {
                let mut parts = vec![Lane::default(); of as usize];
                for (number, part) in (0..).zip(&mut parts) {
                    lane.split(number, of, part);
                    (0..2 * number + 3).for_each(|_| deal(part));
                }
                (0..).zip(&parts).for_each(|(number, part)| lane.join(number, part));
                (0..3).for_each(|_| deal(&mut lane));
            }
        }
    }
}

#[test]
fn a_lane_goes_on_after_the_last_group_that_its_parts_have_used() {
    fn next_groups<T: Thing>(pool: &Pool<T>, make: fn(u32) -> T) -> [u32; 4] {
        let mut lane = Lane::new(0, 1);
        let mut parts = [Lane::default(), Lane::default(), Lane::default()];
        let dealt = [0, 1, 2].map(|number| {
            lane.split(number, 3, &mut parts[number as usize]);
            pool.deal(&mut parts[number as usize], &make(1)).unwrap().index() / 64
        });
        (0..).zip(&parts).for_each(|(number, part)| lane.join(number, part));
        [dealt[0], dealt[1], dealt[2], pool.deal(&mut lane, &make(1)).unwrap().index() / 64]
    }
    assert_eq!(next_groups(&Pool::new(), |value| Plain { value }), [0, 1, 2, 3]);
    let mut pool: Pool<Tagged> = (0..64 * 20).map(|_| tagged(1)).collect();
    pool.retain(|handle, _| handle.index() % 64 != 5);
    assert_eq!(next_groups(&pool, tagged), [8, 9, 10, 11]);
}

#[test]
fn views_of_different_fields_are_used_at_the_same_time() {
    let pool: Pool<Tagged> = (0..10_000).map(tagged).collect();
    // SAFETY: the views read one field each and write none.
    let (values, tags) =
        unsafe { (pool.views::<Ref<tagged::value>>(), pool.views::<Ref<tagged::tags>>()) };
    std::thread::scope(|scope| {
        let sum = scope.spawn(move || values.iter().map(|value| u64::from(*value)).sum::<u64>());
        assert_eq!(tags.count(), 10_000);
        assert_eq!(sum.join().unwrap(), 9_999 * 5_000);
    });
}

#[test]
fn parts_have_every_thing_once_in_the_order_of_their_states() {
    let mut pool: Pool<Plain> = (0..10_000).map(|_| Plain { value: 0 }).collect();
    for parts in [1, 2, 3, 5, 100] {
        let mut states: Vec<(u32, Vec<u32>)> = (0..parts).map(|part| (part, vec![])).collect();
        let mut views = pool.view_mut::<(Handle<Plain>, Mut<plain::value>)>();
        views.par_each_with(&mut states, |(me, mut value), (part, seen)| {
            *value = *part;
            seen.push(me.index());
        });
        let seen: Vec<u32> = states.into_iter().flat_map(|(_, seen)| seen).collect();
        assert!(seen.into_iter().eq(1..=10_000), "in {parts} parts");
        assert!(pool.iter().is_sorted_by_key(|(_, thing)| thing.value));
    }
    let part_of = |(handle, thing): (Handle<Plain>, &Plain)| (handle.index() / 4096, thing.value);
    pool.view_mut::<Mut<plain::value>>().par_each_with(&mut [0, 1, 2], |mut value, n| *value = *n);
    assert!(pool.iter().map(part_of).all(|(chunk, part)| chunk == part));
}

#[test]
#[should_panic(expected = "needs a state")]
fn a_loop_in_parts_needs_a_state() {
    let mut pool: Pool<Plain> = (0..10).map(|value| Plain { value }).collect();
    pool.view_mut::<Mut<plain::value>>().par_each_with(&mut [], |_, ()| ());
}

#[test]
fn several_things_are_seen_at_once_each_with_an_answer() {
    let mut pool: Pool<Tagged> = (0..8).map(tagged).collect();
    let only_a = |thing: &Tagged| thing.tags == Tags::A;
    let (a, other): (Vec<_>, Vec<_>) = pool.iter().partition(|(_, thing)| only_a(thing));
    let ([a, b], other) = ([a[0].0, a[1].0], other[0].0);
    let gone = pool.spawn(tagged(0));
    pool.despawn(gone);
    pool.track_changes();
    let since = pool.next_tick() - 1;
    let mut views = pool.view_mut::<OnlyA>();
    let answers = views.get_disjoint([a, other, b, a, gone, Handle::NIL, Handle::NIL]);
    let [Ok(one), Err(unseen), Ok(two), Err(twice), Err(stale), Err(nil), Err(_)] = answers else {
        panic!("not the answers that were expected")
    };
    std::mem::swap(one.value, two.value);
    assert!(
        matches!(unseen, HandleError::Unseen { .. }) && unseen.to_string().contains("not seen")
    );
    assert!(matches!(twice, HandleError::Twice { .. }));
    assert!(matches!(stale, HandleError::Stale { .. }) && nil == HandleError::Nil);
    assert!(pool.changed_since::<tagged::value>(since).any(|thing| thing == a));
}

#[test]
fn a_thing_sees_all_others_but_not_itself_in_its_rest() {
    let mut pool: Pool<Plain> = (0..200).map(|value| Plain { value }).collect();
    let handles: Vec<_> = pool.handles().collect();
    pool.view_mut::<(Handle<Plain>, Mut<plain::value>)>().each_with_rest(
        |(me, mut value), rest| {
            let sees = |other| rest.get::<Handle<Plain>>(other).is_some();
            assert!(!sees(me));
            assert_eq!(handles.iter().filter(|&&other| sees(other)).count(), 199);
            *value += 1;
        },
    );
    // SAFETY: nobody else uses the pool.
    let mut views = unsafe { pool.views::<(Handle<Plain>, Mut<plain::value>)>() };
    views.each_with_rest(|(me, mut value), rest| {
        assert!(rest.get::<Ref<plain::value>>(me).is_none());
        let others: Vec<u32> = handles
            .iter()
            .filter_map(|&other| rest.get::<Ref<plain::value>>(other))
            .map(|value| *value)
            .collect();
        assert_eq!(others.len(), 199);
        *value = others.iter().sum::<u32>() % 1000;
    });
}

#[test]
fn every_thing_that_a_view_sees_comes_beside_its_rest_once() {
    let mut pool: Pool<Tagged> = (0..400).map(tagged).collect();
    let only_a = |thing: &Tagged| thing.tags == Tags::A;
    pool.view_mut::<OnlyA>().each_with_rest(|OnlyA { value }, _| *value += 1000);
    // SAFETY: nobody else uses the pool.
    let mut views = unsafe { pool.views::<OnlyA>() };
    views.each_with_rest(|OnlyA { value }, _| *value += 2000);
    let visited = |value: u32| if value >= 3000 { value - 3000 < 400 } else { value < 400 };
    assert!(
        pool.iter()
            .all(|(_, thing)| visited(thing.value) && only_a(thing) == (thing.value >= 3000))
    );
    assert_eq!(pool.iter().filter(|(_, thing)| only_a(thing)).count(), 100);
}

#[derive(View)]
#[view(Tagged, with = Tags::A, without = Tags::B)]
struct OnlyA<'a> {
    value: &'a mut u32,
}

#[test]
fn the_views_of_a_scheduler_see_those_whose_tags_say_so() {
    let mut pool: Pool<Tagged> = (0..400).map(tagged).collect();
    let handles: Vec<_> = pool.handles().collect();
    let (stale, handles) = handles.split_first().unwrap();
    assert!(pool.despawn(*stale));
    // SAFETY: nobody else uses the pool.
    let mut views = unsafe { pool.views::<OnlyA>() };
    assert!(!views.contains(*stale) && views.get_mut(*stale).is_none());
    let mut expected = Vec::new();
    for &who in handles {
        let sees = pool.tags(who) == Tags::A;
        assert_eq!(
            (views.contains(who), views.get_mut(who).is_some()),
            (sees, sees),
            "{:?}",
            pool.tags(who)
        );
        expected.extend(sees.then(|| pool.read(who).value));
    }
    assert_eq!(views.count(), expected.len());
    let mut seen = Vec::new();
    views.each(|OnlyA { value }| seen.push(*value));
    assert_eq!(seen, expected);
    // SAFETY: as above; the other views are used no more until this is gone.
    let looks = unsafe { pool.views::<(Handle<Tagged>, Ref<tagged::value>)>() };
    assert!(looks.get(*stale).is_none());
    assert!(handles.iter().all(|&who| {
        looks.get(who).is_some_and(|(me, value)| (me, *value) == (who, pool[who].value))
    }));
    assert!(views.iter_mut().map(|OnlyA { value }| *value).eq(expected));
}

#[derive(Thing, Default, Debug, Clone)]
struct Both {
    left: u32,
    right: u32,
}

#[test]
fn the_views_of_a_scheduler_mark_the_fields_that_they_write_of_things_that_are_there() {
    type Left<'a> = Mut<'a, both::left>;
    let mut pool: Pool<Both> = (0..300).map(|_| Both::default()).collect();
    let all: Vec<_> = pool.handles().collect();
    assert!(pool.despawn(all[150]));
    pool.track_changes();
    pool.prepare_marks(<Left<'_> as View>::WRITES);
    let since = pool.tick();
    pool.next_tick();
    let changed = |pool: &Pool<Both>| {
        (
            pool.changed_since::<both::left>(since).count(),
            pool.changed_since::<both::right>(since).count(),
        )
    };
    // SAFETY: nobody else uses the pool.
    assert!(unsafe { pool.views::<Left>() }.get_mut(all[150]).is_none());
    assert_eq!(changed(&pool), (0, 0));
    // SAFETY: as above.
    assert!(unsafe { pool.views::<Left>() }.get_mut(all[10]).is_some());
    assert_eq!(changed(&pool), (63, 0));
    // SAFETY: as above.
    unsafe { pool.views::<Left>() }.each(|mut left| *left += 1);
    assert_eq!(changed(&pool), (299, 0));
}

#[test]
fn slices_of_fields_that_do_not_lie_densely_are_refused() {
    let refused = |f: &dyn Fn(&mut Pool<Plain>)| {
        let mut pool: Pool<Plain> = (0..100).map(|value| Plain { value }).collect();
        let panic =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| f(&mut pool))).unwrap_err();
        assert!(
            panic
                .downcast_ref::<&str>()
                .is_some_and(|message| message.contains("does not lie densely"))
        );
    };
    refused(&|pool| pool.view_mut::<Mut<plain::value>>().slices(|_| ()));
    refused(&|pool| pool.view_mut::<Ref<plain::value>>().slices(|_| ()));
    refused(&|pool| pool.view_mut::<Mut<plain::value>>().par_slices(|_| ()));
    // SAFETY: nobody else uses the pool.
    refused(&|pool| unsafe { pool.views::<Mut<plain::value>>() }.slices(|_| ()));
}

#[test]
fn iterators_say_how_many_things_come() {
    let pool = Pool::<Plain>::new();
    assert_eq!(pool.view::<Ref<plain::value>>().iter().size_hint(), (0, Some(0)));
    let mut pool: Pool<Plain> = (0..200).map(|value| Plain { value }).collect();
    pool.retain(|handle, _| handle.index() % 7 != 0);
    let mut views = pool.view::<Ref<plain::value>>().iter();
    for left in (0..=pool.len()).rev() {
        assert_eq!(views.size_hint(), (left, Some(left)));
        assert_eq!(views.clone().count(), left);
        assert_eq!(views.next().is_some(), left > 0);
    }
    // Tags: exactly if one is asked for and none must be missing, else not less than there are.
    let pool: Pool<Tagged> = (0..400).map(tagged).collect();
    let with_a = pool.iter().filter(|(_, thing)| thing.tags.contains(Tags::A)).count();
    let only_a = pool.iter().filter(|(_, thing)| thing.tags == Tags::A).count();
    assert_eq!(pool.view::<WithA>().iter().size_hint(), (with_a, Some(with_a)));
    let mut views = pool.view::<OnlyALooked>().iter();
    for left in (0..=only_a).rev() {
        let (least, most) = views.size_hint();
        assert!(least <= left && most.is_some_and(|most| (left..=with_a).contains(&most)));
        views.next();
    }
    assert_eq!(
        (pool.view::<WithA>().count(), pool.view::<OnlyALooked>().count()),
        (with_a, only_a)
    );
}

#[derive(View)]
#[view(Tagged, with = Tags::A)]
#[expect(dead_code, reason = "it is counted")]
struct WithA<'a> {
    value: &'a u32,
}

#[derive(View)]
#[view(Tagged, with = Tags::A, without = Tags::B)]
#[expect(dead_code, reason = "it is counted")]
struct OnlyALooked<'a> {
    value: &'a u32,
}

#[test]
fn links_change_while_things_are_looked_at() {
    let mut pool: Pool<Plain> = (0..10).map(|value| Plain { value }).collect();
    let handles: Vec<_> = pool.handles().collect();
    // SAFETY: nobody else uses the pool.
    assert!(unsafe { pool.links_mut::<Attached>() }.is_none());
    pool.prepare_links::<Attached>().unwrap();
    // SAFETY: nobody else uses the links.
    let mut links = unsafe { pool.links_mut::<Attached>() }.unwrap();
    for (handle, thing) in pool.iter().skip(1) {
        assert!(thing.value > 0);
        links.attach(handle, handles[0]).unwrap();
    }
    links.sort_children(handles[0], |a, b| b.cmp(&a)).unwrap();
    assert!(pool.tree().children(handles[0]).eq(handles[1..].iter().rev().copied()));
    let mut leaving = Vec::new();
    pool.leaving_with(handles[0], &mut leaving);
    assert_eq!(leaving.len(), 10);
}

/// A second tree whose children go with their parent.
struct Carried;
impl Relation for Carried {}

#[test]
fn links_of_one_relation_change_while_those_of_another_are_looked_at() {
    let mut pool: Pool<Plain> = (0..10).map(|value| Plain { value }).collect();
    let handles: Vec<_> = pool.handles().collect();
    pool.tree_mut().attach(handles[1], handles[0]).unwrap();
    pool.prepare_links::<Carried>().unwrap();
    let attached = pool.tree();
    // SAFETY: nobody else uses the links of this relation.
    let mut carried = unsafe { pool.links_mut::<Carried>() }.unwrap();
    for &child in &handles[2..] {
        carried.attach(child, handles[0]).unwrap();
    }
    assert!(attached.children(handles[0]).eq([handles[1]]));
    assert!(pool.tree_of::<Carried>().children(handles[0]).eq(handles[2..].iter().copied()));
    // SAFETY: nobody else uses the links, or the fields that are swept over.
    let mut sweep = unsafe {
        pool.sweep::<Carried, Ref<'_, plain::value>, (Handle<Plain>, Ref<'_, plain::value>)>()
    }
    .unwrap();
    let mut children = Vec::new();
    sweep.down(|parent, (child, _)| children.extend(parent.map(|_| child)));
    assert_eq!(children, handles[2..]);
}

#[test]
fn whole_things_are_seen_beside_their_handles_wherever_they_lie() {
    // Several extents, and handles that do not come first.
    let mut pool: Pool<Plain> = (1..=5000).map(|value| Plain { value }).collect();
    pool.retain(|handle, _| handle.index() % 7 != 3);
    let mut things = pool.view_mut::<(&mut Plain, Handle<Plain>)>();
    things.each(|(thing, me)| {
        assert_eq!(thing.value, me.index());
        thing.value += 1;
    });
    assert_eq!(
        things.iter_mut().filter(|(thing, me)| thing.value == me.index() + 1).count(),
        pool.len()
    );
    assert!(
        pool.view::<(&Plain, Handle<Plain>)>()
            .iter()
            .all(|(thing, me)| thing.value == me.index() + 1)
    );
    assert!(pool.iter().all(|(me, thing)| thing.value == me.index() + 1));
}

#[test]
fn whoever_leaves_by_two_trees_is_named_once() {
    let mut pool: Pool<Plain> = (0..5).map(|value| Plain { value }).collect();
    let handles: Vec<_> = pool.handles().collect();
    for &child in &handles[1..3] {
        pool.tree_mut().attach(child, handles[0]).unwrap();
        pool.tree_of_mut::<Carried>().attach(child, handles[0]).unwrap();
    }
    pool.tree_of_mut::<Carried>().attach(handles[3], handles[2]).unwrap();
    let mut leaving = Vec::new();
    pool.leaving_with(handles[0], &mut leaving);
    assert_eq!(leaving, handles[..4]);
    assert!(pool.despawn(handles[0]));
    assert!(pool.handles().eq([handles[4]]));
}
