//! Differences between images: what has changed is in them, and leads from one image to the next.

mod common;
#[allow(dead_code, reason = "its games are played in `images.rs`")]
#[path = "games/images.rs"]
mod images;

use common::play::look;
use common::things::{MixedColumns, PlainColumns, PlainRow, Subject, Tags};
use images::Judged;
use lath_core::{Handle, Pool, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{PoolDelta, PoolImage};

/// Two fields of every home: columns that are copied and columns that are cloned, the record of hot
/// fields, and cold ones.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
struct Homes {
    small: u8,
    wide: [u64; 4],
    name: String,
    surname: String,
    #[thing(hot)]
    hot: u32,
    #[thing(hot)]
    hotter: u16,
    #[thing(cold)]
    cold: String,
    #[thing(cold)]
    colder: u64,
    #[thing(cold)]
    coldest: String,
}

fn homes(n: u32) -> Homes {
    let text = |word: &str| format!("{word} {n}");
    Homes {
        small: n as u8,
        wide: [n.into(); 4],
        name: text("name"),
        surname: text("surname"),
        hot: n,
        hotter: n as u16,
        cold: text("cold"),
        colder: n.into(),
        coldest: text("coldest"),
    }
}

/// Changes one of many things, and looks whether images and what is between them follow. Answers
/// how large the difference is.
fn follow(change: impl FnOnce(&mut Pool<Homes>, Handle<Homes>)) -> usize {
    let see =
        |HomesRef { small, wide, name, surname, hot, hotter, cold, colder, coldest }: HomesRef<
            '_,
        >| {
            format!("{small} {wide:?} {name} {surname} {hot} {hotter} {cold} {colder} {coldest}")
        };
    let all =
        |pool: &Pool<Homes>| pool.iter().map(|(who, thing)| (who, see(thing))).collect::<Vec<_>>();
    let mut pool = Pool::new();
    let things: Vec<Handle<Homes>> = pool.spawn_many((0..300).map(homes)).collect();
    pool.track_changes();
    let (mut before, mut after, mut delta) = (PoolImage::new(), PoolImage::new(), PoolDelta::new());
    before.capture_mut(&mut pool);
    let was = all(&pool);
    change(&mut pool, things[200]);
    let now = all(&pool);
    assert_eq!(was.iter().zip(&now).filter(|(was, now)| was != now).count(), 1);
    delta.since(&before, &pool);
    assert_eq!(delta.groups(), 1);
    let bytes = delta.bytes();
    after.capture_mut(&mut pool);
    for _ in 0..2 {
        let (mut image, mut other) = (before.clone(), Pool::new());
        assert!(delta.apply(&mut image));
        image.restore(&mut other).unwrap();
        assert_eq!((all(&other), other.check_invariants()), (now.clone(), Ok(())));
        // What was led to knows as well what has changed as what was taken.
        for after in [&image, &after] {
            delta.between(&before, after);
            assert_eq!((delta.groups(), delta.bytes()), (1, bytes));
        }
    }
    for (image, expected) in [(&before, &was), (&after, &now)] {
        image.restore(&mut pool).unwrap();
        assert_eq!((&all(&pool), pool.check_invariants()), (expected, Ok(())));
    }
    bytes
}

#[test]
fn a_field_that_is_changed_by_itself_is_in_the_difference_and_the_others_are_not() {
    let whole = follow(|pool, who| *pool.get_mut(who).unwrap().small += 1);
    let others = [
        follow(|pool, who| pool.set::<homes::small>(who, 1).unwrap()),
        follow(|pool, who| pool.set::<homes::wide>(who, [1; 4]).unwrap()),
        follow(|pool, who| pool.set::<homes::name>(who, "Ada".into()).unwrap()),
        follow(|pool, who| pool.set::<homes::surname>(who, "Ada".into()).unwrap()),
        follow(|pool, who| pool.set::<homes::hot>(who, 1).unwrap()),
        follow(|pool, who| pool.set::<homes::hotter>(who, 1).unwrap()),
        follow(|pool, who| pool.set::<homes::cold>(who, "Ada".into()).unwrap()),
        follow(|pool, who| pool.set::<homes::colder>(who, 1).unwrap()),
        follow(|pool, who| pool.set::<homes::coldest>(who, "Ada".into()).unwrap()),
    ];
    assert!(others.iter().all(|&bytes| bytes < whole), "{others:?} of {whole}");
}

/// What has changed is known of an image that came about by a difference, also if that has brought
/// new groups.
fn over_several_steps<T: Judged>() {
    let mut pool: Pool<T> = (0..300).map(T::new).collect();
    let things: Vec<Handle<T>> = pool.handles().collect();
    pool.track_changes();
    let [mut first, mut second] = [PoolImage::new(), PoolImage::new()];
    first.capture_mut(&mut pool);
    T::set(pool.get_mut(things[250]).unwrap(), 7);
    second.capture_mut(&mut pool);
    pool.spawn_at(Handle::from_bits(1 << 32 | 5000), T::new(8)).unwrap();
    let (mut delta, mut other) = (PoolDelta::new(), Pool::new());
    delta.since(&second, &pool);
    assert!(delta.apply(&mut second));
    delta.between(&first, &second);
    assert!(delta.apply(&mut first));
    first.restore(&mut other).unwrap();
    assert_eq!((look(&other), other.check_invariants()), (look(&pool), Ok(())));
}

#[test]
fn differences_over_several_steps_have_what_changed_in_each() {
    over_several_steps::<PlainRow>();
    over_several_steps::<PlainColumns>();
    over_several_steps::<MixedColumns>();
}

/// Over hundreds of groups in several blocks, of which some are looked at many at a time: what
/// changes here and there, what comes and goes, and slots that are neither free nor live for a
/// while.
fn far_and_wide<T: Judged>(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pool: Pool<T> = (0..9000).map(T::new).collect();
    pool.track_changes();
    let [mut followed, mut taken] = [PoolImage::new(), PoolImage::new()];
    followed.capture_mut(&mut pool);
    taken.capture_mut(&mut pool);
    let (mut delta, mut other) = (PoolDelta::new(), Pool::new());
    for round in 0..10 {
        let things: Vec<Handle<T>> = pool.handles().collect();
        for _ in 0..random.usize(..60) {
            T::set(pool.get_mut(things[random.usize(..things.len())]).unwrap(), round);
        }
        for _ in 0..random.usize(..3) * 20 {
            pool.despawn(things[random.usize(..things.len())]);
        }
        for n in 0..random.u32(..3) * 20 {
            pool.spawn(T::new(n));
        }
        match round {
            3 => assert!((0..40).all(|n| pool.contains(pool.stage(T::new(n))))),
            4 => assert_eq!(pool.commit(), 40),
            6 => assert!(pool.despawn_after(things[5000], 1) || !pool.contains(things[5000])),
            7 => assert!(pool.reap(1) < 2),
            _ => {}
        }
        let now = look(&pool);
        if random.bool() {
            delta.since(&followed, &pool);
            pool.next_tick();
        } else {
            let mut new = PoolImage::new();
            new.capture_mut(&mut pool);
            delta.between(&followed, &new);
        }
        assert!(delta.apply(&mut followed));
        followed.restore(&mut other).unwrap();
        assert_eq!(
            (look(&other), other.check_invariants()),
            (now.clone(), Ok(())),
            "round {round} of {seed}"
        );
        // Back to what was taken before, and forth again.
        taken.restore(&mut pool).unwrap();
        assert_eq!(pool.check_invariants(), Ok(()));
        followed.restore(&mut pool).unwrap();
        assert_eq!(
            (look(&pool), pool.check_invariants()),
            (now, Ok(())),
            "round {round} of {seed}"
        );
        taken.capture_mut(&mut pool);
        followed.capture_mut(&mut pool);
    }
}

#[test]
fn differences_and_images_of_many_groups_have_all_that_changed() {
    for seed in 0..3 {
        far_and_wide::<PlainRow>(seed);
        far_and_wide::<PlainColumns>(seed);
        far_and_wide::<MixedColumns>(seed);
    }
}

#[test]
fn a_tag_that_comes_up_later_leaves_those_of_others_alone_in_a_difference() {
    let with = |tags: Tags| move |n: u32| PlainColumns { tags, ..PlainColumns::new(n) };
    let mut pool: Pool<PlainColumns> =
        (0..300).map(with(Tags::C)).chain((0..300).map(with(Tags::B))).collect();
    let things: Vec<Handle<PlainColumns>> = pool.handles().collect();
    pool.track_changes();
    let (mut image, mut delta, mut other) = (PoolImage::new(), PoolDelta::new(), Pool::new());
    image.capture_mut(&mut pool);
    assert!(pool.insert_tags(things[0], Tags::A));
    delta.since(&image, &pool);
    assert!(delta.groups() == 1 && delta.apply(&mut image));
    image.restore(&mut other).unwrap();
    assert_eq!((look(&other), other.check_invariants()), (look(&pool), Ok(())));
}
