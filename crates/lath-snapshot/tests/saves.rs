//! A world that was saved and loaded is the same world: the same things under the same handles, and
//! the same answers to all that is asked of it later.

mod common;

use common::dice::Dice;
use common::play::look;
use common::things::{MixedColumns, MixedRow, PlainRow, Subject};
use common::world::{Score, empty, empty_like, happen, lively, save, seen, small};
use lath_core::{Pool, Thing};
use lath_schedule::World;
use lath_snapshot::{History, Load, Save, SaveError, SaveInfo, SaveWorld, Snapshot, Write};

#[test]
fn any_world_is_the_same_after_saving_and_loading() {
    for seed in 0..12 {
        let mut random = Dice::with_seed(seed);
        let calls = random.usize(..50);
        let mut world = lively(&mut random, calls);
        let bytes = save(&world);
        let mut other = empty_like(&world);
        Load::new().from_bytes(&mut other, &bytes).unwrap();
        assert_eq!(seen(&other), seen(&world), "seed {seed}");
        let checksum = Snapshot::take(&world).unwrap().checksum();
        assert_eq!(Snapshot::take(&other).unwrap().checksum(), checksum, "seed {seed}");
        let (mut mine, mut its) = (Dice::with_seed(seed), Dice::with_seed(seed));
        assert_eq!(
            happen(&mut world, &mut mine, 30),
            happen(&mut other, &mut its, 30),
            "later, seed {seed}"
        );
        assert_eq!(seen(&other), seen(&world), "later, seed {seed}");
    }
}

#[test]
fn a_world_of_every_kind_is_put_back_and_compared() {
    let mut random = Dice::with_seed(5);
    let mut world = lively(&mut random, 60);
    let mut before = Snapshot::new();
    before.take_mut(&mut world).unwrap();
    let was = seen(&world);
    let checksum = before.checksum();
    happen(&mut world, &mut random, 40);
    world.resource_mut::<Score>().points += 1;
    assert_ne!(Snapshot::take(&world).unwrap().checksum(), checksum);
    before.restore(&mut world).unwrap();
    assert_eq!(seen(&world), was);
    assert_eq!(Snapshot::take(&world).unwrap().checksum(), checksum);
}

#[test]
fn whatever_is_saved_counts_for_the_checksum_and_nothing_else_does() {
    let mut world = empty();
    let one = world.spawn(MixedRow::new(7));
    let two = world.spawn(MixedRow::new(8));
    let checksum = |world: &World| Snapshot::take(world).unwrap().checksum();
    let first = checksum(&world);
    let changes: [fn(&mut World, _, _); 6] = [
        |world, one, _| _ = world.pool_mut::<MixedRow>().edit(one, |row| row.value += 1),
        |world, one, _| _ = world.pool_mut::<MixedRow>().edit(one, |row| row.name.push('x')),
        |world, one, _| _ = world.pool_mut::<MixedRow>().insert_tags(one, common::things::Tags::C),
        |world, one, two| world.pool_mut::<MixedRow>().tree_mut().attach(one, two).unwrap(),
        |world, _, two| _ = world.despawn(two),
        |world, _, _| drop(world.insert(Score::default())),
    ];
    let before = Snapshot::take(&world).unwrap();
    for (n, change) in changes.into_iter().enumerate() {
        change(&mut world, one, two);
        assert_ne!(checksum(&world), first, "change {n}");
        before.restore(&mut world).unwrap();
        assert_eq!(checksum(&world), first, "change {n}, undone");
    }
    // Not saved: a field that is skipped, capacity, and ticks.
    world.pool_mut::<MixedRow>().edit(one, |row| row.cache = Some(Box::new(5)));
    world.pool_mut::<MixedRow>().track_changes();
    world.pool_mut::<MixedRow>().next_tick();
    assert_eq!(checksum(&world), first);
    let mut larger = empty();
    larger.add_pool(Pool::<MixedRow>::with_capacity(900).unwrap());
    before.restore(&mut larger).unwrap();
    assert_eq!(checksum(&larger), first);
}

#[test]
fn the_way_in_which_things_were_spawned_does_not_count_for_the_checksum() {
    let ways: [fn(&mut Pool<MixedRow>); 3] = [
        |pool| (1..=200).for_each(|n| _ = pool.spawn(MixedRow::new(n))),
        |pool| pool.extend((1..=200).map(MixedRow::new)),
        |pool| {
            (1..=200).for_each(|n| _ = pool.stage(MixedRow::new(n)));
            pool.commit();
        },
    ];
    let checksums = ways.map(|spawn| {
        let mut world = empty();
        spawn(world.pool_mut());
        Snapshot::take(&world).unwrap().checksum()
    });
    assert!(checksums.iter().all(|checksum| *checksum == checksums[0]), "{checksums:?}");
}

#[test]
fn a_skipped_field_is_in_snapshots_and_loads_as_its_default() {
    let mut world = empty();
    let one = world.spawn(MixedRow { cache: Some(Box::new(5)), ..MixedRow::new(1) });
    let snapshot = Snapshot::take(&world).unwrap();
    world.pool_mut::<MixedRow>().edit(one, |row| row.cache = None);
    snapshot.restore(&mut world).unwrap();
    assert_eq!(world.read(one).cache.as_deref(), Some(&5));
    let bytes = save(&world);
    Load::new().from_bytes(&mut world, &bytes).unwrap();
    assert_eq!(world.read(one).cache, None);
}

#[test]
fn a_save_into_a_pool_that_is_too_small_is_refused_and_changes_nothing() {
    let mut random = Dice::with_seed(3);
    let mut world = empty();
    let many: Vec<_> = (0..200).map(|n| world.spawn(PlainRow::new(n))).collect();
    let bytes = save(&world);
    let snapshot = Snapshot::take(&world).unwrap();
    let mut small = empty();
    small.add_pool(Pool::<PlainRow>::fixed(100).unwrap());
    let kept = small.spawn(PlainRow::new(9));
    small.spawn(MixedColumns::new(random.u32(..50)));
    let was = look(small.pool::<PlainRow>()) + &look(small.pool::<MixedColumns>());
    let error = Load::new().from_bytes(&mut small, &bytes).unwrap_err();
    assert!(error.to_string().contains("PlainRow"), "{error}");
    let error = snapshot.restore(&mut small).unwrap_err();
    assert!(error.to_string().contains("slot 200"), "{error}");
    assert_eq!(look(small.pool::<PlainRow>()) + &look(small.pool::<MixedColumns>()), was);
    assert!(small.get(kept).is_some() && small.get(many[150]).is_none());
}

#[test]
fn what_is_not_registered_is_named() {
    assert!(matches!(Snapshot::take(&World::new()), Err(SaveError::Nothing)));

    let mut world = World::new();
    world.saves::<PlainRow>(); // without the tree
    let [a, b] = [1, 2].map(|n| world.spawn(PlainRow::new(n)));
    world.pool_mut::<PlainRow>().tree_of_mut::<common::play::Carried>().attach(a, b).unwrap();
    let snapshot = Snapshot::take(&world).unwrap();
    let error = Write::new().to_bytes(&snapshot).unwrap_err();
    assert!(error.to_string().contains("Carried of PlainRow"), "{error}");
    world.pool_mut::<PlainRow>().tree_of_mut::<common::play::Carried>().detach(a).unwrap();
    snapshot.restore(&mut world).unwrap(); // in memory, all trees count
    assert_eq!(world.pool::<PlainRow>().tree_of::<common::play::Carried>().parent(a), Some(b));

    let bytes = save(&empty());
    let error = Load::new().from_bytes(&mut world, &bytes).unwrap_err();
    assert!(
        error.to_string().contains("tree `Carried` of `PlainRow`")
            || error.to_string().contains("MixedRow"),
        "{error}"
    );
    world.saves::<PlainRow>().tree::<common::play::Carried>();
    let error = Load::new().from_bytes(&mut world, &bytes).unwrap_err();
    assert!(error.to_string().contains("`MixedRow`"), "{error}");
    Load::new().ignore_unknown().from_bytes(&mut world, &bytes).unwrap();
    assert!(world.pool::<PlainRow>().is_empty());
}

#[test]
#[should_panic(expected = "two things that this world saves are called `PlainRow`")]
fn two_things_of_one_name_are_refused() {
    mod other {
        #[derive(lath_core::Thing, lath_snapshot::Save, Default)]
        pub(crate) struct PlainRow {}
    }
    let mut world = World::new();
    world.saves::<PlainRow>();
    world.saves::<other::PlainRow>();
}

#[test]
fn a_save_says_what_is_in_it() {
    let mut world = empty();
    for n in 0..3 {
        world.spawn(PlainRow::new(n));
    }
    world.insert(Score::default());
    let text = SaveInfo::from_bytes(&save(&world)).unwrap().to_string();
    for part in [
        "pool PlainRow: 3 live",
        "wide: [f64; 2], 48 bytes, plain",
        "resource Score: Score",
        "maybe: Option<u16>",
    ] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn things_without_fields_and_generic_things_are_saved() {
    #[derive(Thing, Save, Default)]
    struct Bare {}
    #[derive(Thing, Save, Default, Clone)]
    struct Crate<V> {
        inside: V,
    }
    let mut world = World::new();
    world.saves::<Bare>();
    world.saves::<Crate<String>>();
    let (bare, full) = (world.spawn(Bare {}), world.spawn(Crate { inside: "tea".to_string() }));
    let bytes = save(&world);
    world.despawn(bare);
    world.despawn(full);
    Load::new().from_bytes(&mut world, &bytes).unwrap();
    assert!(world.get(bare).is_some());
    assert_eq!(world.read(full).inside, "tea");
}

#[cfg(feature = "lz4")]
#[test]
fn a_compressed_save_is_smaller_and_the_same() {
    let mut world = lively(&mut Dice::with_seed(1), 60);
    let snapshot = Snapshot::take(&world).unwrap();
    let small = Write::new().compressed().to_bytes(&snapshot).unwrap();
    assert!(small.len() < save(&world).len());
    Load::new().from_bytes(&mut world, &small).unwrap();
    assert_eq!(Snapshot::take(&world).unwrap().checksum(), snapshot.checksum());
}

#[test]
fn the_last_tick_that_there_can_be_is_a_tick_like_any_other() {
    let mut world = small();
    let (was, mut history) = (seen(&world), History::new(3));
    history.push(&mut world, u64::MAX - 1).unwrap();
    history.push(&mut world, u64::MAX).unwrap();
    happen(&mut world, &mut Dice::with_seed(3), 10);
    assert!(history.restore(&mut world, u64::MAX).unwrap());
    assert_eq!((seen(&world), history.latest()), (was, Some(u64::MAX)));
    assert!(history.restore(&mut world, u64::MAX - 1).unwrap());
    assert!(history.ticks().eq([u64::MAX - 1]));
}
