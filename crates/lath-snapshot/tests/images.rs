//! The image of a pool, put back, is the pool, and so is a world: see `games/images.rs` and
//! `games/worlds.rs`.

mod common;
#[path = "games/images.rs"]
mod images;
#[path = "games/worlds.rs"]
mod worlds;

use std::collections::VecDeque;

use common::dice::Dice;
use common::play::look;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject, Tags, plain_row};
use images::{Judged, changed, restored};
use lath_core::{Handle, Mut, Pool, Ref, Reuse, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{ImageBuilder, PoolDelta, PoolImage, RestoreError};

/// `LATH_IMAGE_SEEDS=1000` plays more games.
fn seeds() -> std::ops::Range<u64> {
    let seeds =
        std::env::var("LATH_IMAGE_SEEDS").map(|text| text.parse().expect("a number of seeds"));
    0..seeds.unwrap_or(16)
}

#[test]
fn worlds_are_taken_put_back_saved_and_compared_in_any_order() {
    seeds().for_each(|seed| worlds::play(Dice::with_seed(seed), 40));
}

/// A pool that got the image of a pool, by way of its own image.
fn put_back_twice<T: Judged>(pool: &Pool<T>) -> Pool<T> {
    let mut image = PoolImage::new();
    image.capture(pool);
    let [mut once, mut twice] = [(); 2].map(|()| Pool::new());
    image.restore(&mut once).unwrap();
    image.capture(&once);
    image.restore(&mut twice).unwrap();
    twice
}

fn generations_survive<T: Judged>() {
    let mut pool = Pool::<T>::new();
    let things: Vec<_> = (0..10_000).map(|_| pool.spawn(T::default())).collect();
    things.iter().skip(10).for_each(|&thing| assert!(pool.despawn(thing)));
    let mut copies = [put_back_twice(&pool), put_back_twice(&pool.clone())];
    for _ in 10..10_000 {
        let thing = pool.spawn(T::default());
        copies.iter_mut().for_each(|copy| assert_eq!(copy.spawn(T::default()), thing));
    }
}

#[test]
fn generations_of_slots_that_are_long_free_survive_being_put_back_twice() {
    generations_survive::<PlainRow>();
    generations_survive::<PlainColumns>();
}

/// The image of a pool, put into pools whose blocks were made in other ways, says the same of each.
fn goes_anywhere<T: Judged>() {
    const THINGS: u32 = 5000;
    let pools: [fn() -> Pool<T>; 3] = [
        Pool::new,
        || Pool::with_capacity(THINGS as usize).unwrap(),
        || {
            let mut pool = Pool::new();
            assert!(pool.spawn_range(THINGS, |_| T::default()).is_ok());
            pool
        },
    ];
    for make in pools {
        let mut pool = make();
        pool.clear();
        (1..=THINGS).for_each(|value| _ = pool.spawn(T::new(value)));
        let mut image = PoolImage::new();
        image.capture(&pool);
        for make in pools {
            let mut other = make();
            image.restore(&mut other).unwrap();
            assert_eq!(other.check_invariants(), Ok(()));
            assert_eq!(look(&other), look(&pool));
        }
    }
}

#[test]
fn an_image_fits_blocks_that_were_made_together_and_blocks_that_were_not() {
    goes_anywhere::<PlainRow>();
    goes_anywhere::<PlainColumns>();
    goes_anywhere::<MixedColumns>();
}

/// A pool asks once whether anybody has to hear of a thing that goes: an image may bring somebody
/// along.
#[test]
fn links_and_an_order_of_reuse_that_an_image_brings_hear_of_things_that_go() {
    for with_links in [true, false] {
        let mut pool = Pool::<PlainRow>::new();
        let things: Vec<_> = (0..200).map(|_| pool.spawn(PlainRow::default())).collect();
        let mut other = pool.clone();
        match with_links {
            true => other.tree_mut().attach(things[101], things[100]).unwrap(),
            false => other.set_reuse(Reuse::Lifo),
        }
        let mut image = PoolImage::new();
        image.capture(&other);
        // The first goes with care, the second the common way.
        assert!(pool.despawn(things[190]) && pool.despawn(things[191]));
        image.restore(&mut pool).unwrap();
        assert_eq!(pool.check_invariants(), Ok(()));
        assert!(pool.despawn(things[100]));
        assert_eq!(pool.contains(things[101]), !with_links);
        assert!(pool.despawn(things[150]));
        assert_eq!(pool.check_invariants(), Ok(()));
        let next = pool.spawn(PlainRow::default());
        assert_eq!(next.index(), things[if with_links { 100 } else { 150 }].index());
    }
}

#[test]
fn a_pool_of_plain_rows_is_put_back() {
    seeds().for_each(|seed| restored::<PlainRow>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_mixed_rows_is_put_back() {
    seeds().for_each(|seed| restored::<MixedRow>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_plain_columns_is_put_back() {
    seeds().for_each(|seed| restored::<PlainColumns>(Dice::with_seed(seed), 4));
}

#[test]
fn a_pool_of_mixed_columns_is_put_back() {
    seeds().for_each(|seed| restored::<MixedColumns>(Dice::with_seed(seed), 4));
}

#[test]
fn differences_lead_from_one_image_to_the_next() {
    seeds().for_each(|seed| changed::<PlainRow>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<MixedRow>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<PlainColumns>(Dice::with_seed(seed), 6));
    seeds().for_each(|seed| changed::<MixedColumns>(Dice::with_seed(seed), 6));
}

/// Behind a shared reference nothing is marked as changed.
fn staged<T: Judged>() {
    let mut pool: Pool<T> = (0..100).map(T::new).collect();
    pool.track_changes();
    let (mut image, mut delta) = (PoolImage::new(), PoolDelta::new());
    image.capture_mut(&mut pool);
    let was = look(&pool);
    let (staged, reserved) = (pool.stage(T::new(7)), pool.reserve());
    let now = look(&pool);
    delta.since(&image, &pool);
    image.restore(&mut pool).unwrap();
    assert_eq!((look(&pool), pool.check_invariants()), (was, Ok(())));
    assert!(!pool.contains(staged) && delta.apply(&mut image));
    image.restore(&mut pool).unwrap();
    assert_eq!((look(&pool), pool.check_invariants()), (now, Ok(())));
    assert!(pool.contains(staged) && pool.spawn_at(reserved, T::new(0)).is_ok());
}

#[test]
fn what_is_staged_or_reserved_goes_and_comes_although_it_is_not_marked() {
    staged::<PlainRow>();
    staged::<MixedRow>();
    staged::<PlainColumns>();
    staged::<MixedColumns>();
}

/// A slot that was reserved and given up has nothing in it before or after. Reserving, early or
/// late, is not marked.
fn given_up<T: Judged>(early: bool) {
    let mut pool: Pool<T> = (0..100).map(T::new).collect();
    pool.track_changes();
    let reserved = early.then(|| pool.reserve());
    let (mut image, mut delta, mut other) = (PoolImage::new(), PoolDelta::new(), Pool::new());
    image.capture_mut(&mut pool);
    let was = look(&pool);
    let reserved = reserved.unwrap_or_else(|| pool.reserve());
    assert!(pool.despawn(reserved));
    let now = look(&pool);
    delta.since(&image, &pool);
    let mut later = image.clone();
    assert!(delta.apply(&mut later));
    for (image, expected) in [(&later, &now), (&image, &was), (&later, &now)] {
        for pool in [&mut pool, &mut other] {
            image.restore(pool).unwrap();
            assert_eq!((&look(pool), pool.check_invariants()), (expected, Ok(())));
        }
    }
    assert!(
        pool.spawn_at(reserved, T::new(0)).is_err() && other.spawn_at(reserved, T::new(0)).is_err()
    );
    assert_eq!(pool.spawn(T::new(0)), other.spawn(T::new(0)));
    image.restore(&mut pool).unwrap();
    image.restore(&mut other).unwrap();
    assert_eq!(pool.spawn(T::new(0)), other.spawn(T::new(0)));
}

#[test]
fn what_was_reserved_and_given_up_stays_so_although_it_is_not_marked() {
    for early in [true, false] {
        given_up::<PlainRow>(early);
        given_up::<MixedRow>(early);
        given_up::<PlainColumns>(early);
        given_up::<MixedColumns>(early);
    }
}

#[test]
fn reclaimed_slots_take_their_turn_in_a_pool_that_was_put_back() {
    for reuse in [Reuse::Lowest, Reuse::Lifo, Reuse::Fifo] {
        let mut pool = Pool::fixed(20).unwrap();
        pool.set_reuse(reuse);
        let handles: Vec<Handle<MixedRow>> =
            (0..20).map(|n| pool.spawn(MixedRow::new(n))).collect();
        for (n, &worn) in handles[..3].iter().enumerate() {
            pool.despawn(worn);
            let last = Handle::from_bits(worn.to_bits() | 15 << 10);
            pool.spawn_at(last, MixedRow::new(n as u32)).unwrap();
            pool.despawn(last);
        }
        handles[5..8].iter().for_each(|&freed| assert!(pool.despawn(freed)));
        assert_eq!(pool.reclaim_retired(), 3);
        handles[10..13].iter().for_each(|&freed| assert!(pool.despawn(freed)));

        let mut image = PoolImage::new();
        image.capture_mut(&mut pool);
        let spawn_all =
            |pool: &mut Pool<MixedRow>| [0; 9].map(|n| pool.spawn(MixedRow::new(n)).index());
        let expected = spawn_all(&mut pool);
        image.restore(&mut pool).unwrap();
        assert_eq!(spawn_all(&mut pool), expected, "{reuse:?}");
    }
}

#[test]
fn a_slot_that_alone_of_its_group_was_ever_used_keeps_its_generation() {
    for index in [0, 1, 31, 32, 63].map(|bit| 64 * 5 + bit) {
        let mut pool = Pool::<MixedRow>::new();
        pool.spawn(MixedRow::new(0));
        let gone = Handle::from_bits(1 << 10 | index);
        pool.spawn_at(gone, MixedRow::new(0)).unwrap();
        pool.despawn(gone);
        let mut image = PoolImage::new();
        image.capture(&pool);
        let mut copy = Pool::new();
        image.restore(&mut copy).unwrap();
        assert_eq!(copy.check(gone), pool.check(gone), "slot {index}");
        let again = copy.spawn_at(gone, MixedRow::new(0));
        assert!(again.is_err(), "slot {index} gives a handle out for the second time");
    }
}

/// A pool that has more memory than the one of the image goes on as that one does, block after
/// block.
fn goes_on_in_turn<T: Judged>() {
    let [mut small, mut large] = [(); 2].map(|()| Pool::<T>::new());
    small.set_reuse(Reuse::Fifo);
    let mut living: VecDeque<_> = (0..100).map(|_| small.spawn(T::default())).collect();
    (0..5000).for_each(|_| _ = large.spawn(T::default()));
    let mut image = PoolImage::new();
    image.capture(&small);
    image.restore(&mut large).unwrap();
    for n in 0..7000 {
        let thing = small.spawn(T::default());
        assert_eq!(large.spawn(T::default()), thing, "number {n} after the image");
        living.push_back(thing);
        if n % 7 == 0 {
            let gone = living.pop_front().unwrap();
            assert!(small.despawn(gone) && large.despawn(gone));
        }
    }
}

#[test]
fn slots_that_were_never_used_take_their_turn_before_freed_ones_in_a_pool_that_was_put_back() {
    goes_on_in_turn::<PlainRow>();
    goes_on_in_turn::<PlainColumns>();
}

/// Rows of plain fields that have tags: these are kept beside the value, in the bytes that are
/// copied.
#[derive(Thing, Save, Clone, Copy, Default, Debug, PartialEq)]
struct Lamp {
    light: u16,
    #[thing(tags)]
    tags: Tags,
}

#[test]
fn plain_rows_with_tags_come_back_out_of_their_state() {
    let mut pool = Pool::new();
    let lamp = |n: u32| Lamp { light: n as u16, tags: Tags::from_bits_truncate(n as u8) };
    let lamps: Vec<Handle<Lamp>> = pool.spawn_many((0..2000).map(lamp)).collect();
    lamps.iter().step_by(7).for_each(|&who| assert!(pool.despawn(who)));
    lamps.iter().skip(3).step_by(7).for_each(|&who| assert!(pool.despawn_after(who, 1)));
    (0..9).for_each(|n| assert!(!pool.stage(lamp(n)).is_nil()));
    let mut image = PoolImage::new();
    image.capture_mut(&mut pool);
    let state = image.state();
    let mut other = Pool::<Lamp>::new();
    let mut builder = ImageBuilder::new(&other, &state).unwrap();
    assert_eq!((builder.len(), builder.is_empty()), (state.held(), false));
    let mut lights = Vec::new();
    image.each_value::<lamp::light>(|light| lights.extend(light.copied()));
    let mut lights = lights.into_iter();
    builder.fill::<lamp::light, ()>(|| Ok(lights.next())).unwrap();
    builder.finish().restore(&mut other).unwrap();
    assert_eq!(other.check_invariants(), Ok(()));
    let all = |pool: &Pool<Lamp>| {
        pool.iter_with_staged().map(|(who, lamp)| (who, *lamp)).collect::<Vec<_>>()
    };
    assert_eq!(all(&other), all(&pool));
    for tags in (0..8).map(Tags::from_bits_truncate) {
        assert_eq!(other.count_tagged(tags), pool.count_tagged(tags));
    }
    other.commit();
    assert_eq!(other.check_invariants(), Ok(()));
}

#[test]
fn an_image_says_how_much_there_is_in_it() {
    let mut image = PoolImage::<PlainRow>::new();
    assert!(image.is_empty());
    assert_eq!(image.bytes(), 0);
    let bytes = [1, 2, 5].map(|groups: u32| {
        let mut pool: Pool<PlainRow> = (0..groups * 64 - 1).map(PlainRow::new).collect();
        image.capture_mut(&mut pool);
        assert_eq!((image.len(), image.is_empty()), (groups as usize * 64 - 1, false));
        image.bytes()
    });
    // Every group has 64 rows, and little else.
    let rows = 64 * size_of::<PlainRow>();
    assert!((rows..rows + 64 * 16 + 64).contains(&bytes[0]), "{bytes:?}");
    assert_eq!(bytes, [1, 2, 5].map(|groups| groups * bytes[0]));
    let empty = Pool::<PlainRow>::new();
    image.capture(&empty);
    assert!(image.is_empty());
}

/// Things near the start and things far from them: groups between them are in no image.
fn with_gaps<T: Judged>() {
    let mut pool = Pool::<T>::new();
    pool.track_changes();
    (0..10).for_each(|n| assert!(!pool.spawn(T::new(n)).is_nil()));
    let far = [2000, 2001, 5000, 9000].map(|index| Handle::from_bits(1 << 32 | index));
    far.iter().for_each(|&far| pool.spawn_at(far, T::new(7)).unwrap());
    let (mut image, mut delta, mut other) = (PoolImage::new(), PoolDelta::new(), Pool::new());
    image.capture_mut(&mut pool);
    let was = look(&pool);
    image.restore(&mut other).unwrap();
    assert_eq!((look(&other), other.check_invariants()), (was.clone(), Ok(())));
    (0..300).for_each(|n| assert!(!pool.spawn(T::new(n)).is_nil()));
    assert!(
        pool.despawn(far[2])
            && pool.get_mut(far[3]).is_some_and(|thing| (T::set(thing, 8), true).1)
    );
    let now = look(&pool);
    delta.since(&image, &pool);
    let (mut later, mut again) = (image.clone(), image.clone());
    assert!(delta.apply(&mut later));
    delta.between(&image, &later);
    assert!(delta.apply(&mut again));
    for (image, expected) in
        [(&later, &now), (&image, &was), (&again, &now), (&image, &was), (&later, &now)]
    {
        for pool in [&mut pool, &mut other] {
            image.restore(pool).unwrap();
            assert_eq!((&look(pool), pool.check_invariants()), (expected, Ok(())));
        }
    }
}

#[test]
fn what_lies_far_apart_is_put_back_where_it_was() {
    with_gaps::<PlainRow>();
    with_gaps::<PlainColumns>();
    with_gaps::<MixedColumns>();
}

#[test]
fn memory_that_has_a_gap_is_filled_where_the_image_needs_it() {
    let mut pool = Pool::<PlainRow>::new();
    let (last_of_a_block, in_the_next) =
        (Handle::from_bits(1 << 32 | 2047), Handle::from_bits(1 << 32 | 2112));
    pool.spawn_at(last_of_a_block, PlainRow::new(1)).unwrap();
    let mut image = PoolImage::new();
    image.capture_mut(&mut pool);
    let mut other = Pool::new();
    other.spawn_at(in_the_next, PlainRow::new(2)).unwrap();
    image.restore(&mut other).unwrap();
    assert_eq!((look(&other), other.check_invariants()), (look(&pool), Ok(())));
}

#[test]
fn an_image_that_uses_more_slots_than_the_pool_has_is_refused_and_says_which() {
    let mut image = PoolImage::new();
    image.capture(&(0..100).map(PlainRow::new).collect());
    for slots in [1, 63, 64, 99] {
        let mut small = Pool::fixed(slots).unwrap();
        small.spawn(PlainRow::new(7));
        let (was, limit) = (look(&small), slots as u32);
        assert_eq!(image.restore(&mut small), Err(RestoreError::TooSmall { slot: 100, limit }));
        assert_eq!((look(&small), small.check_invariants()), (was, Ok(())));
    }
    assert_eq!(image.restore(&mut Pool::fixed(100).unwrap()), Ok(()));
    assert_eq!(PoolImage::<PlainRow>::new().restore(&mut Pool::new()), Err(RestoreError::Empty));
}

#[test]
fn slots_that_were_used_in_a_larger_pool_are_not_known_to_a_smaller_one() {
    let mut pool: Pool<PlainRow> = (0..500).map(PlainRow::new).collect();
    pool.clear();
    let mut image = PoolImage::new();
    image.capture_mut(&mut pool);
    for slots in [80, 127, 128, 300] {
        let mut small = Pool::<PlainRow>::fixed(slots).unwrap();
        image.restore(&mut small).unwrap();
        let mut its = PoolImage::new();
        its.capture_mut(&mut small);
        let old: Vec<u32> = its.state().old.iter().map(|&(index, _)| index).collect();
        assert_eq!(old, (64..=slots as u32).collect::<Vec<_>>());
        assert!(ImageBuilder::new(&small, &its.state()).is_ok());
        assert_eq!(small.spawn(PlainRow::new(1)).generation(), 3);
    }
}

#[test]
fn what_was_as_in_the_image_is_not_marked_when_that_is_put_back() {
    let mut pool: Pool<PlainRow> = (0..300).map(PlainRow::new).collect();
    let things: Vec<Handle<PlainRow>> = pool.handles().collect();
    pool.track_changes();
    let mut image = PoolImage::new();
    image.capture_mut(&mut pool);
    pool.get_mut(things[200]).unwrap().small += 1;
    let tick = pool.tick();
    pool.next_tick();
    image.restore(&mut pool).unwrap();
    let changed: Vec<Handle<PlainRow>> = pool.changed_since::<plain_row::small>(tick).collect();
    let group = things[200].index() / 64;
    assert_eq!(
        changed,
        things.iter().copied().filter(|who| who.index() / 64 == group).collect::<Vec<_>>()
    );
}

/// Two pools of the same shape with nothing in common: what is known about the changes of one says
/// nothing about the other.
fn of_another_pool<T: Judged>() {
    let [mut one, mut two] = [0, 1000].map(|first| {
        let mut pool: Pool<T> = (first..first + 300).map(T::new).collect();
        pool.track_changes();
        pool
    });
    let [mut image, mut its] = [PoolImage::new(), PoolImage::new()];
    image.capture_mut(&mut one);
    its.capture_mut(&mut two);
    let mut delta = PoolDelta::new();
    delta.since(&image, &two);
    let mut copy = image.clone();
    assert!(!delta.apply(&mut its) && delta.apply(&mut copy) && !delta.apply(&mut copy));
    for image in [&copy, &its] {
        image.restore(&mut one).unwrap();
        assert_eq!((look(&one), one.check_invariants()), (look(&two), Ok(())));
    }
    image.restore(&mut two).unwrap();
    assert_ne!(look(&one), look(&two));
}

#[test]
fn the_image_of_another_pool_is_put_back_whole() {
    of_another_pool::<PlainRow>();
    of_another_pool::<MixedRow>();
    of_another_pool::<PlainColumns>();
    of_another_pool::<MixedColumns>();
}

#[test]
fn what_is_marked_for_a_sweep_is_marked_again_when_an_image_is_put_back() {
    let mut pool: Pool<PlainRow> = (0..100).map(PlainRow::new).collect();
    let things: Vec<Handle<PlainRow>> = pool.handles().collect();
    for pair in things[..50].windows(2) {
        pool.tree_mut().attach(pair[1], pair[0]).unwrap();
    }
    let sweep = |pool: &mut Pool<PlainRow>| {
        pool.tree_mut()
            .sweep::<Ref<plain_row::value>, Mut<plain_row::value>>()
            .down_dirty(|_, mut value| *value += 1)
    };
    sweep(&mut pool);
    assert!(pool.tree_mut().mark(things[20]) && pool.tree_mut().mark(things[70]));
    let (mut image, mut other) = (PoolImage::new(), Pool::new());
    image.capture_mut(&mut pool);
    assert_eq!((sweep(&mut pool), sweep(&mut pool)), (31, 0));
    for pool in [&mut pool, &mut other] {
        image.restore(pool).unwrap();
        assert_eq!((sweep(pool), sweep(pool)), (31, 0));
    }
}
