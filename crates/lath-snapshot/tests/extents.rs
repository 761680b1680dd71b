//! How large images and differences say they are, how far they reach, and what they name.

use lath_core::{Handle, Mut, Orphans, Pool, Relation, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{ImageBuilder, PoolDelta, PoolImage};

/// 40 bytes that are copied, and a name that is cloned.
#[derive(Thing, Save, Clone, Default, Debug, PartialEq)]
#[thing(columns)]
struct Crew {
    wide: [u64; 5],
    name: String,
}

#[derive(Thing, Save, Clone, Copy, Default, Debug, PartialEq)]
struct Plain {
    wide: [u64; 5],
}

struct Below;

impl Relation for Below {
    const ORPHANS: Orphans = Orphans::Detach;
}

fn crew(n: u64) -> Crew {
    Crew { wide: [n; 5], name: n.to_string() }
}

fn image_of<T: lath_core::strips::Snap>(pool: &mut Pool<T>) -> PoolImage<T> {
    let mut image = PoolImage::new();
    image.capture_mut(pool);
    image
}

#[test]
fn an_image_says_how_many_bytes_it_takes_for_values_states_links_and_graves() {
    let mut plain: Pool<Plain> = (0..10_000).map(|n| Plain { wide: [n; 5] }).collect();
    let bytes = image_of(&mut plain).bytes();
    assert!((10_000 * 44..10_000 * 52).contains(&bytes), "{bytes}");

    let mut pool: Pool<Crew> = (0..10_000).map(crew).collect();
    let things: Vec<Handle<Crew>> = pool.handles().collect();
    let bytes = image_of(&mut pool).bytes();
    // Beside the values there are a stamp for each, and a few words for 64 of them.
    let values = 40 + size_of::<String>();
    assert!((10_000 * (values + 4)..10_000 * (values + 8)).contains(&bytes), "{bytes}");

    pool.tree_of_mut::<Below>().attach(things[5_000], things[0]).unwrap();
    let linked = image_of(&mut pool).bytes();
    assert!((5_000 * 24..17_000 * 24).contains(&(linked - bytes)), "{}", linked - bytes);

    (0..100).for_each(|n| assert!(pool.despawn_after(things[n + 6_000], 10)));
    let buried = image_of(&mut pool).bytes();
    assert!((100 * 16..100 * 16 + 20_000).contains(&(buried - linked)), "{}", buried - linked);
}

#[test]
fn a_difference_says_how_many_groups_and_bytes_it_has() {
    let mut pool: Pool<Crew> = (0..10_000).map(crew).collect();
    let things: Vec<Handle<Crew>> = pool.handles().collect();
    pool.track_changes();
    pool.tree_of_mut::<Below>().attach(things[9_000], things[0]).unwrap();
    let before = image_of(&mut pool);
    let (mut delta, mut sizes) = (PoolDelta::new(), Vec::new());
    for changed in [&[][..], &[100], &[100, 5_000], &[100, 5_000, 9_900]] {
        for &n in changed {
            pool.get_mut(things[n]).unwrap().wide[0] = 7;
        }
        delta.since(&before, &pool);
        assert_eq!(delta.groups(), changed.len());
        sizes.push(delta.bytes());
    }
    // 64 things each, of which the names may be left out; and next to nothing beside them, since
    // links have not changed.
    assert!(sizes[0] < 200, "{sizes:?}");
    let (least, most) = (64 * 40, 64 * (40 + size_of::<String>() + 8) + 200);
    assert!(sizes.windows(2).all(|two| (least..most).contains(&(two[1] - two[0]))), "{sizes:?}");

    pool.tree_of_mut::<Below>().attach(things[9_001], things[0]).unwrap();
    delta.since(&before, &pool);
    // The links of 128, and whoever got others.
    let links = delta.bytes() - sizes[3];
    assert!((2 * 64 * 24..2 * 64 * 24 + 3 * most).contains(&links), "{links}");

    (0..100).for_each(|n| assert!(pool.despawn_after(things[n + 128], 10)));
    let without = image_of(&mut pool);
    (0..100).for_each(|n| assert!(pool.despawn_after(things[n + 256], 10)));
    delta.since(&without, &pool);
    assert!(
        delta.bytes() > 200 * 16 && delta.groups() <= 3,
        "{} in {}",
        delta.bytes(),
        delta.groups()
    );

    // More groups than before: the difference says which there are.
    let fewer = image_of(&mut pool);
    pool.extend((0..1_000).map(crew));
    delta.since(&fewer, &pool);
    assert!(delta.bytes() > 1_000 * (40 + size_of::<String>()), "{}", delta.bytes());
}

#[test]
fn what_changes_far_away_is_in_the_difference_wherever_a_run_of_groups_begins() {
    // From the middle of 64 groups on, and for more than 64 of them: group 1010 to 1200, after a
    // gap.
    let far = |n: u32| Handle::<Plain>::from_bits(1 << 32 | u64::from(1_010 * 64 + n));
    let mut pool: Pool<Plain> = (0..100).map(|n| Plain { wide: [n; 5] }).collect();
    for n in 0..190 * 64 {
        pool.spawn_at(far(n), Plain { wide: [n.into(); 5] }).unwrap();
    }
    pool.track_changes();
    let (mut image, mut delta) = (image_of(&mut pool), PoolDelta::new());
    for round in 0..190 {
        let before = image.clone();
        let who = far(round * 64 + 5);
        match round % 3 {
            0 => assert!(pool.despawn(who)),
            1 => pool.get_mut(who).unwrap().wide[0] = 1 << 40,
            _ => pool.view_mut::<Mut<plain::wide>>().get_mut(who).unwrap()[0] = 1 << 40,
        }
        delta.since(&image, &pool);
        assert_eq!(delta.groups(), 1, "group {}", 1_010 + round);
        assert!(delta.apply(&mut image));
        // The same by two images.
        let after = image_of(&mut pool);
        delta.between(&before, &after);
        assert_eq!(delta.groups(), 1, "group {}", 1_010 + round);
        image = after;
    }
    let mut copy = Pool::new();
    image.restore(&mut copy).unwrap();
    assert!(copy.iter().eq(pool.iter()));
}

#[test]
fn relations_that_nobody_is_linked_by_are_not_named_and_go_with_a_difference() {
    let names =
        |image: &PoolImage<Plain>| image.relations().map(|(_, name)| name).collect::<Vec<_>>();
    let mut pool: Pool<Plain> = (0..10).map(|n| Plain { wide: [n; 5] }).collect();
    let things: Vec<Handle<Plain>> = pool.handles().collect();
    let alone = image_of(&mut pool);
    assert!(names(&alone).is_empty());
    pool.tree_of_mut::<Below>().attach(things[1], things[0]).unwrap();
    let linked = image_of(&mut pool);
    assert_eq!(names(&linked).len(), 1);

    alone.restore(&mut pool).unwrap();
    let parted = image_of(&mut pool);
    assert!(names(&parted).is_empty());
    let (mut delta, mut followed) = (PoolDelta::new(), linked.clone());
    delta.between(&linked, &parted);
    assert!(delta.apply(&mut followed));
    assert!(names(&followed).is_empty());
    delta.between(&linked, &alone); // where nobody has heard of the relation
    let mut followed = linked.clone();
    assert!(delta.apply(&mut followed));
    assert!(names(&followed).is_empty());
}

#[test]
fn a_pool_that_is_put_back_goes_on_from_the_later_tick() {
    let mut ahead: Pool<Plain> = (0..10).map(|n| Plain { wide: [n; 5] }).collect();
    ahead.track_changes();
    (0..7).for_each(|_| _ = ahead.next_tick());
    let image = image_of(&mut ahead);
    let mut behind = Pool::<Plain>::new();
    behind.track_changes();
    image.restore(&mut behind).unwrap();
    assert!(behind.tick() >= ahead.tick() - 1, "{} after {}", behind.tick(), ahead.tick());
    // And never back.
    let early = image_of(&mut Pool::<Plain>::new());
    let tick = behind.tick();
    early.restore(&mut behind).unwrap();
    assert!(behind.tick() >= tick);
}

#[test]
fn a_state_says_which_slots_are_live() {
    let mut pool: Pool<Plain> = (0..200).map(|n| Plain { wide: [n; 5] }).collect();
    let things: Vec<Handle<Plain>> = pool.handles().collect();
    for &who in things.iter().filter(|who| who.index() % 3 == 0) {
        assert!(pool.despawn(who.to_owned()));
    }
    let state = image_of(&mut pool).state();
    for index in 0..1_000 {
        assert_eq!(
            state.is_live(index),
            pool.handles().any(|who| who.index() == index),
            "slot {index}"
        );
    }
    let builder = ImageBuilder::new(&pool, &state).unwrap();
    assert_eq!((builder.len(), builder.is_empty()), (pool.len(), false));
    let nobody = image_of(&mut Pool::<Plain>::new()).state();
    let builder = ImageBuilder::new(&pool, &nobody).unwrap();
    assert_eq!((builder.len(), builder.is_empty()), (0, true));
}
