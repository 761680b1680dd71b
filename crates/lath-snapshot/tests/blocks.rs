//! Full blocks of a pool are copied whole, with all that lies between their columns; others strip
//! by strip. Whatever the fields are and however many slots are in use, the image, put back, is the
//! pool.

mod common;
#[path = "games/images.rs"]
mod images;

use common::dice::Dice;
use common::play::look;
use common::things::Subject;
use images::{Judged, changed, restored};
use lath_core::{Handle, NoTags, Pool, Thing};
use lath_snapshot::Save;
use lath_snapshot::image::{ImageBuilder, PoolDelta, PoolImage, PoolState};
use serde::{Deserialize, Serialize};

/// Larger than a cache line, and aligned to more than one.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
#[repr(align(128))]
struct Wide(u32);

/// No bytes, and where it is matters.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
#[repr(align(256))]
struct Nowhere;

/// A thing in columns, made of and shown by the same fields.
macro_rules! subject {
    ($(#[$meta:meta])* $name:ident, $seen:ident, $changed:ident, {
        $($(#[$attribute:meta])* $field:ident: $type:ty = |$n:ident| $value:expr,)*
    }) => {
        $(#[$meta])*
        #[derive(Thing, Save, Clone, Default, Debug)]
        #[thing(columns)]
        struct $name { $($(#[$attribute])* $field: $type,)* }

        impl Subject for $name {
            fn new(value: u32) -> Self {
                Self { $($field: { let $n = value; $value },)* }
            }
            fn seen($seen { $($field,)* }: $seen<'_>) -> String {
                format!("{:?}", ($($field,)*))
            }
            fn set(thing: $changed<'_>, value: u32) {
                *thing.number = value.into();
            }
            fn some_tags(_: u32) -> NoTags {
                NoTags
            }
        }
    };
}

subject! {
    /// Plain throughout: one span. The head is neither its first column nor its last.
    Plain, PlainRef, PlainMut, {
        small: u8 = |n| n as u8,
        number: u64 = |n| n.into(),
        wide: Wide = |n| Wide(n),
        nowhere: Nowhere = |_n| Nowhere,
        nothing: () = |_n| (),
        #[thing(hot)]
        hot: u16 = |n| n as u16,
        pair: [u16; 3] = |n| [n as u16; 3],
    }
}

subject! {
    /// Of every kind: spans end at what is cloned, and what is cold is elsewhere.
    Mixed, MixedRef, MixedMut, {
        wide: Wide = |n| Wide(n),
        number: u64 = |n| n.into(),
        name: String = |n| format!("name {n}"),
        after: [u64; 2] = |n| [n.into(); 2],
        #[thing(hot)]
        hot: u16 = |n| n as u16,
        nowhere: Nowhere = |_n| Nowhere,
        #[thing(cold)]
        cold: String = |n| if n % 5 == 0 { format!("cold {n}") } else { String::new() },
        #[thing(cold)]
        colder: u64 = |n| if n % 7 == 0 { n.into() } else { 0 },
        small: u8 = |n| n as u8,
        word: Option<Box<u8>> = |n| Some(Box::new(n as u8)),
        last: u8 = |n| !n as u8,
    }
}

subject! {
    /// What is cloned is in the head: stamps are copied by themselves.
    Headless, HeadlessRef, HeadlessMut, {
        wide: [u64; 2] = |n| [n.into(); 2],
        #[thing(hot)]
        label: String = |n| format!("label {n}"),
        number: u32 = |n| n,
        small: u8 = |n| n as u8,
        nothing: () = |_n| (),
    }
}

/// Pools that end in the first group, at the end of a block, one slot after and in the midst of
/// one: slot 0 is nobody's.
const SIZES: [u32; 8] = [0, 40, 1022, 1023, 1024, 1500, 4095, 6200];

fn pool<T: Judged>(size: u32) -> Pool<T> {
    (0..size).map(T::new).collect()
}

/// Every size into pools that have fewer blocks, as many and more, all of them with other things in
/// them; with holes in some blocks or none, taken alone or in company.
fn put_back<T: Judged>() {
    for size in SIZES {
        for holes in [0, 97, 2] {
            let mut one = pool::<T>(size);
            one.retain(|who, _| holes == 0 || who.index() % holes != 0 || who.index() > 3000);
            let mut image = PoolImage::new();
            match size % 2 {
                0 => image.capture(&one),
                _ => image.capture_mut(&mut one),
            }
            let was = look(&one);
            one.retain(|who, _| who.index() % 3 == 0);
            let all: Vec<_> = one.handles().collect();
            all.iter().for_each(|&who| assert!(one.edit(who, |thing| T::set(thing, 1_000_000))));
            for mut pool in [one, Pool::new(), pool(30), pool(1023), pool(9000)] {
                let nil = T::seen(pool.read(Handle::NIL));
                image.restore(&mut pool).unwrap();
                assert!(look(&pool) == was, "{size} things, holes at {holes}");
                assert_eq!(pool.check_invariants(), Ok(()), "{size} things, holes at {holes}");
                assert_eq!(
                    T::seen(pool.read(Handle::NIL)),
                    nil,
                    "the nil thing is nobody's to overwrite"
                );
            }
        }
    }
}

#[test]
fn a_pool_of_any_size_is_put_back_into_one_of_any_other() {
    put_back::<Plain>();
    put_back::<Mixed>();
    put_back::<Headless>();
}

/// Between images of any two sizes, and of one that was put back and changed here and there.
fn differ<T: Judged>() {
    let (mut delta, mut other) = (PoolDelta::new(), Pool::new());
    for (before, after) in
        SIZES.into_iter().flat_map(|before| [40, 1023, 6200].map(|after| (before, after)))
    {
        let [mut old, mut new] = [(); 2].map(|()| PoolImage::new());
        let mut pool = pool::<T>(before);
        pool.track_changes();
        old.capture_mut(&mut pool);
        pool.retain(|who, _| who.index() <= after);
        (before..after).for_each(|n| assert!(!pool.spawn(T::new(n)).is_nil()));
        let all: Vec<_> = pool.handles().collect();
        all.iter()
            .step_by(300)
            .for_each(|&who| assert!(pool.edit(who, |thing| T::set(thing, 1_000_000))));
        let now = look(&pool);
        delta.since(&old, &pool);
        new.capture_mut(&mut pool);
        let mut followed = old.clone();
        assert!(delta.apply(&mut followed));
        delta.between(&old, &new);
        assert!(delta.apply(&mut old));
        for image in [followed, old] {
            image.restore(&mut other).unwrap();
            assert!(look(&other) == now, "from {before} things to {after}");
            assert_eq!(other.check_invariants(), Ok(()), "from {before} things to {after}");
        }
    }
}

#[test]
fn differences_lead_from_an_image_of_any_size_to_one_of_any_other() {
    differ::<Plain>();
    differ::<Mixed>();
    differ::<Headless>();
}

#[test]
fn games_with_fields_of_every_kind_are_put_back_and_followed() {
    for seed in 0..6 {
        restored::<Plain>(Dice::with_seed(seed), 4);
        restored::<Mixed>(Dice::with_seed(seed), 4);
        restored::<Headless>(Dice::with_seed(seed), 4);
        changed::<Plain>(Dice::with_seed(seed), 4);
        changed::<Mixed>(Dice::with_seed(seed), 4);
        changed::<Headless>(Dice::with_seed(seed), 4);
    }
}

/// An image that was taken begins with the first group of every block; one that was made from a
/// state need not. Here groups end where a block does, begin where one does, and are all of a
/// third.
#[test]
fn groups_that_are_not_all_of_a_block_are_put_back_where_they_were() {
    let slots = (1600..2048).chain(2048..2600).chain(3072..4096);
    let handles: Vec<Handle<Plain>> = slots.map(|slot| Handle::from_bits(1 << 32 | slot)).collect();
    let state = PoolState::of_live(&handles, Vec::new()).unwrap();
    let mut pool = pool::<Plain>(3000);
    let mut builder = ImageBuilder::new(&pool, &state).unwrap();
    let mut numbers = handles.iter().map(|who| who.index());
    builder.fill::<plain::number, ()>(|| Ok(numbers.next().map(u64::from))).unwrap();
    let mut numbers = handles.iter().map(|who| who.index());
    builder.fill::<plain::wide, ()>(|| Ok(numbers.next().map(Wide))).unwrap();
    let mut numbers = handles.iter().map(|who| who.index());
    builder.fill::<plain::small, ()>(|| Ok(numbers.next().map(|n| n as u8))).unwrap();
    let image = builder.finish();
    image.restore(&mut pool).unwrap();
    assert_eq!(pool.check_invariants(), Ok(()));
    assert!(pool.handles().eq(handles));
    for (who, thing) in pool.iter() {
        let n = who.index();
        assert_eq!((*thing.number, thing.wide.0, *thing.small), (n.into(), n, n as u8), "{who:?}");
        assert_eq!((*thing.hot, *thing.pair), (0, [0; 3]), "{who:?}");
    }
}

/// Full blocks are copied whole while others stage into the one after them.
#[test]
fn full_blocks_are_copied_while_others_stage() {
    let pool = pool::<Plain>(4090);
    let mut images = Vec::new();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let pool = &pool;
            scope.spawn(move || {
                (0..500).for_each(|n| assert!(!pool.stage(Plain::new(thread * 1000 + n)).is_nil()))
            });
        }
        for _ in 0..8 {
            let mut image = PoolImage::new();
            image.capture(&pool);
            images.push(image);
        }
    });
    for image in images {
        let mut other = Pool::<Plain>::new();
        image.restore(&mut other).unwrap();
        assert_eq!((other.len(), other.check_invariants()), (4090, Ok(())));
        assert!(other.iter().all(|(who, thing)| *thing.number + 1 == u64::from(who.index())));
    }
}
