//! Bad input is refused with an error that names what was wrong, and nothing changes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use lath_core::{
    CapacityError, Excess, FixedPool, Handle, HandleError, HandleRange, Pool, SpawnFault, Stats,
    Thing,
};
use proptest::prelude::*;

#[derive(Thing, Clone, Default, Debug)]
struct Ship {
    number: u64,
}

#[derive(Thing, Clone, Default, Debug)]
#[thing(handle(bits = 16, index = 6, kind = 4))]
struct Item {
    number: u64,
    #[thing(kind)]
    kind: u32,
}

#[derive(Thing, Clone, Default, Debug)]
#[thing(handle(bits = 32, index = 20))]
struct Spark {
    number: u64,
}

fn ship(number: u64) -> Ship {
    Ship { number }
}

fn item(kind: u32) -> Item {
    Item { number: 1, kind }
}

fn handle<T: Thing>(index: u64, generation: u64) -> Handle<T> {
    Handle::from_bits(generation << T::INDEX_BITS | index)
}

/// What a caller sees of a pool.
fn looks<T: Thing<Storage = lath_core::Rows<T>> + std::fmt::Debug>(
    pool: &Pool<T>,
) -> (Stats, Vec<String>) {
    assert_eq!(pool.check_invariants(), Ok(()));
    (pool.stats(), pool.iter_with_staged().map(|thing| format!("{thing:?}")).collect())
}

/// Panics if `call` changes anything.
#[track_caller]
fn assert_changes_nothing<T, R>(pool: &mut Pool<T>, call: impl FnOnce(&mut Pool<T>) -> R) -> R
where
    T: Thing<Storage = lath_core::Rows<T>> + std::fmt::Debug,
{
    let before = looks(pool);
    let answer = call(pool);
    assert_eq!(looks(pool), before);
    answer
}

/// A pool with a thing of every fate: 1 live, 2 dead, 3 reborn, 4 staged, 5 reserved, 6 buried, 7
/// retired, 8 unused.
fn pool_of_all_fates() -> Pool<Ship> {
    let mut pool = Pool::fixed(10).unwrap();
    for number in 1..=7 {
        pool.spawn(ship(number));
    }
    for slot in 2..=7 {
        pool.despawn(handle(slot, 1));
    }
    for (slot, generation) in [(3, 5), (4, 3), (5, 3), (6, 3), (7, u64::from(u32::MAX))] {
        pool.spawn_at(handle(slot, generation), ship(slot)).unwrap();
    }
    for slot in [4, 5] {
        pool.despawn(handle(slot, 3));
    }
    pool.despawn(handle(7, u64::from(u32::MAX)));
    pool.despawn_after(handle(6, 3), 1);
    pool.spawn_at(handle(2, 3), ship(2)).unwrap();
    assert_eq!(pool.stage(ship(4)), handle(4, 5));
    assert_eq!(pool.reserve(), handle(5, 5));
    pool.despawn(handle(2, 3));
    pool
}

#[test]
fn every_stale_handle_says_why() {
    let pool = pool_of_all_fates();
    let says = |slot, generation| pool.check(handle(slot, generation)).unwrap_err().to_string();
    assert_eq!(
        pool.check(Handle::NIL).unwrap_err().to_string(),
        "the handle is nil: it names nothing"
    );
    assert_eq!(says(2, 1), "2v1 is stale: slot 2 is now at generation 4, free");
    assert_eq!(says(3, 3), "3v3 is stale: slot 3 is now at generation 5");
    assert_eq!(says(3, 7), "3v7 is stale: slot 3 is now at generation 5");
    assert_eq!(says(4, 3), "4v3 is stale: slot 4 is now at generation 5");
    assert_eq!(says(5, 5), "5v5 is reserved and has no value yet: give it one with `spawn_at`");
    assert_eq!(says(7, 1), "7v1 is stale: slot 7 is retired, its generations are spent");
    assert_eq!(says(8, 1), "8v1 is stale: slot 8 is now at generation 0, free");
    assert_eq!(says(11, 1), "11v1 is out of range: the pool has 10 slots");
    assert_eq!(says(u64::from(u32::MAX), 1), "4294967295v1 is out of range: the pool has 10 slots");
    assert_eq!(
        [(1, 1), (3, 5), (4, 5)].map(|(slot, generation)| pool.check(handle(slot, generation))),
        [Ok(()); 3]
    );
}

#[test]
fn a_handle_of_the_wrong_kind_says_so() {
    let mut pool = Pool::new();
    let sword = pool.spawn(item(3));
    assert_eq!(format!("{sword}"), "1v1k3");
    let forged = Handle::from_bits(sword.to_bits() ^ 1 << 15);
    assert_eq!(format!("{forged}"), "1v1k11");
    assert_eq!(
        pool.check(forged).unwrap_err().to_string(),
        "1v1 has kind 11, but the thing there is of kind 3"
    );
    assert!(pool.get(forged).is_none() && !pool.despawn(forged) && pool.contains(sword));
}

#[test]
fn spawn_at_refuses_what_is_taken_over_or_beyond() {
    let mut pool = pool_of_all_fates();
    let mut says = |slot, generation| {
        assert_changes_nothing(&mut pool, |pool| {
            let error = pool.spawn_at(handle(slot, generation), ship(77)).unwrap_err();
            assert_eq!(error.value.number, 77, "the value comes back");
            error.to_string()
        })
    };
    assert_eq!(says(0, 0), "the handle cannot be spawned: the handle is nil: it names nothing");
    assert_eq!(says(1, 1), "1v1 cannot be spawned: slot 1 is taken, at generation 1");
    assert_eq!(says(1, 3), "1v3 cannot be spawned: slot 1 is taken, at generation 1");
    assert_eq!(
        says(2, 3),
        "the handle cannot be spawned: 2v3 is stale: slot 2 is now at generation 4, free"
    );
    assert_eq!(says(3, 3), "3v3 cannot be spawned: slot 3 is taken, at generation 5");
    assert_eq!(says(4, 5), "4v5 cannot be spawned: slot 4 is taken, at generation 5");
    assert_eq!(says(5, 7), "5v7 cannot be spawned: slot 5 is taken, at generation 4");
    assert_eq!(says(6, 5), "6v5 cannot be spawned: slot 6 is taken, at generation 4");
    assert_eq!(
        says(7, 1),
        "the handle cannot be spawned: 7v1 is stale: slot 7 is retired, its generations are spent"
    );
    assert_eq!(
        says(11, 1),
        "the handle cannot be spawned: 11v1 is out of range: the pool has 10 slots"
    );
    // The same pool takes what is right.
    for (slot, generation) in [(2, 5), (5, 5), (8, 1), (9, 99)] {
        pool.spawn_at(handle(slot, generation), ship(slot)).unwrap();
    }
    assert_eq!(pool.check_invariants(), Ok(()));
}

#[test]
fn stale_handles_change_nothing() {
    let mut pool = pool_of_all_fates();
    let stale =
        [(0, 0), (2, 1), (2, 3), (3, 3), (6, 3), (7, 1), (7, u64::from(u32::MAX)), (8, 1), (11, 1)];
    for stale in stale.map(|(slot, generation)| handle::<Ship>(slot, generation)) {
        assert_changes_nothing(&mut pool, |pool| {
            assert!(
                !pool.contains(stale) && pool.get(stale).is_none() && pool.get_mut(stale).is_none(),
                "{stale}"
            );
            assert_eq!((pool.read(stale).number, pool[stale].number), (0, 0), "{stale}");
            assert!(
                !pool.edit(stale, |_| unreachable!()) && pool.split(stale).is_none(),
                "{stale}"
            );
            assert!(
                !pool.despawn(stale) && pool.take(stale).is_none() && !pool.despawn_after(stale, 0),
                "{stale}"
            );
            assert!(pool.get_disjoint_mut([stale, handle(1, 1)])[0].is_err(), "{stale}");
        });
    }
}

#[test]
fn a_thing_that_is_asked_for_twice_is_given_once() {
    let mut pool = Pool::new();
    let [a, b] = [1, 2].map(|number| pool.spawn(ship(number)));
    let answers = pool
        .get_disjoint_mut([a, b, a, Handle::NIL, Handle::NIL])
        .map(|answer| answer.map(|ship| ship.number));
    let [one, two, three, four, five] = answers;
    assert_eq!((one, two), (Ok(1), Ok(2)));
    assert_eq!(
        three.unwrap_err().to_string(),
        "1v1 was given twice: only the first gets the thing"
    );
    assert_eq!((four, five), (Err(HandleError::Nil), Err(HandleError::Nil)));
}

#[test]
fn a_handle_of_another_pool_names_what_it_says_or_nothing() {
    let (mut ours, mut theirs) = (Pool::new(), Pool::new());
    let our: Vec<_> = ours.spawn_many((1..=50).map(ship)).collect();
    let mut their: Vec<_> = theirs.spawn_many((1001..=1200).map(ship)).collect();
    for handle in their.drain(..100).collect::<Vec<_>>() {
        theirs.despawn(handle);
    }
    their.extend(theirs.spawn_many((2001..=2050).map(ship)));
    for &foreign in &their {
        let found = ours.get(foreign).map(|ship| ship.number);
        // No pool is written into a handle: where slot and generation agree, it is our own thing,
        // never anything else.
        let own = our.iter().position(|&handle| handle == foreign).map(|i| i as u64 + 1);
        assert_eq!(found, own, "{foreign}");
    }
    assert_changes_nothing(&mut ours, |ours| {
        their.iter().filter(|&&h| !our.contains(&h)).for_each(|&h| assert!(!ours.despawn(h)))
    });
}

#[test]
fn a_range_longer_than_the_space_is_refused() {
    let mut pool = Pool::<Item>::new();
    for n in [64, 65, 1000, u32::MAX] {
        let fault = assert_changes_nothing(&mut pool, |pool| {
            pool.spawn_range(n, |_| unreachable!()).unwrap_err()
        });
        assert_eq!(fault, SpawnFault::Full { capacity: 63, retired: 0 });
        assert_eq!(fault.to_string(), "the pool is full: 63 of 63 slots are taken");
    }
    assert_eq!(pool.spawn_range(63, |_| item(1)).unwrap().len(), 63);

    // Enough slots, but nowhere enough in a row.
    pool.retain(|handle, _| handle.index() % 8 == 0);
    assert_changes_nothing(&mut pool, |pool| {
        assert!(pool.spawn_range(8, |_| unreachable!()).is_err())
    });
    assert_eq!(pool.spawn_range(7, |_| item(1)).unwrap().first().index(), 1);
}

#[test]
fn a_range_of_several_kinds_is_refused() {
    let mut pool = Pool::<Item>::new();
    pool.spawn(item(0));
    let fault =
        assert_changes_nothing(&mut pool, |pool| pool.spawn_range(5, |i| item(i / 3)).unwrap_err());
    assert_eq!(
        fault.to_string(),
        "the handle cannot be spawned: 5v1 has kind 0, but the thing there is of kind 1"
    );
}

#[test]
fn a_range_from_outside_that_passes_the_last_slot_is_refused() {
    let first = handle::<Item>(60, 1);
    assert_eq!(
        HandleRange::new(first, 4).unwrap().iter().map(|handle| handle.index()).max(),
        Some(63)
    );
    for len in [5, 1000, u32::MAX] {
        let error = HandleRange::new(first, len).unwrap_err();
        assert_eq!(error.to_string(), "60v1 is out of range: the pool has 63 slots");
    }
    assert_eq!(HandleRange::<Item>::new(Handle::NIL, 1), Err(HandleError::Nil));
    assert_eq!(HandleRange::<Item>::new(Handle::NIL, 0), Ok(HandleRange::EMPTY));
    assert_eq!(HandleRange::new(first, 0), Ok(HandleRange::EMPTY));
    assert!(HandleRange::new(handle::<Ship>(u64::from(u32::MAX), 1), 1).is_ok());
    assert!(HandleRange::new(handle::<Ship>(u64::from(u32::MAX), 1), 2).is_err());
}

#[test]
fn a_capacity_of_zero_or_beyond_the_index_bits_is_refused() {
    let says = |error: Result<Pool<Spark>, CapacityError>| error.unwrap_err().to_string();
    assert_eq!(says(Pool::fixed(0)), "a pool of capacity 0 could hold nothing: ask for at least 1");
    let beyond = "a capacity of 1048576 is beyond the index bits of the handle, which name at most 1048575 slots: raise \
                  `index` in `#[thing(handle(…))]`";
    assert_eq!(says(Pool::fixed(1 << 20)), beyond);
    assert_eq!(says(Pool::with_capacity(1 << 20)), beyond);
    // With 32 bits no number is beyond the index bits of these.
    if let Ok(beyond) = usize::try_from(1u64 << 32) {
        assert!(matches!(
            Pool::<Ship>::fixed(beyond),
            Err(CapacityError::TooLarge { largest: u32::MAX, .. })
        ));
        assert!(matches!(
            Pool::<Ship>::with_capacity(usize::MAX),
            Err(CapacityError::TooLarge { .. })
        ));
    }
    assert_eq!(Pool::<Spark>::with_capacity(0).unwrap().stats().limit, (1 << 20) - 1);
    assert_eq!(Pool::<Item>::fixed(63).unwrap().capacity(), 63);
}

#[test]
fn a_kind_that_does_not_fit_is_refused() {
    let message = "kind 16 does not fit in 4 bits: raise `kind` in `#[thing(handle(…))]`";
    let mut pool = Pool::<Item>::new();
    let reserved = pool.reserve_kind(15);
    assert_changes_nothing(&mut pool, |pool| {
        let error = pool.try_spawn(Item { number: 5, kind: 16 }).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.value.number), (message, 5));
        let error = pool.try_stage(Item { number: 5, kind: 16 }).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.value.number), (message, 5));
        let error = pool.spawn_at(reserved, Item { number: 5, kind: 16 }).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.value.number), (message, 5));
        assert_eq!(pool.try_reserve_kind(16).unwrap_err().to_string(), message);
        assert_eq!(pool.spawn_range(3, |_| item(16)).unwrap_err().to_string(), message);
        assert_eq!(
            pool.try_reserve_kind(u32::MAX),
            Err(SpawnFault::KindTooLarge { kind: u32::MAX, bits: 4 })
        );
        let error = pool.spawn_at(reserved, item(2)).unwrap_err();
        let expected =
            "the handle cannot be spawned: 1v1 has kind 15, but the thing there is of kind 2";
        assert_eq!(error.to_string(), expected);
    });
    let mut fixed = FixedPool::<Item, 4>::new();
    let error = fixed.try_spawn(Item { number: 5, kind: 16 }).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.value.number, fixed.len()), (message, 5, 0));
}

#[test]
fn calls_that_cannot_fail_panic_with_the_same_words() {
    let mut pool = Pool::fixed(1).unwrap();
    pool.spawn(ship(1));
    let calls: [fn(&mut Pool<Ship>); 4] = [
        |pool| assert!(pool.spawn(ship(2)).is_nil()),
        |pool| assert!(pool.stage(ship(2)).is_nil()),
        |pool| assert!(pool.reserve().is_nil()),
        |pool| pool.extend([ship(2)]),
    ];
    for call in calls {
        let panic = assert_changes_nothing(&mut pool, |pool| {
            catch_unwind(AssertUnwindSafe(|| call(pool))).unwrap_err()
        });
        let message = panic.downcast_ref::<String>().unwrap();
        assert_eq!(
            message,
            "cannot spawn a bad_input::Ship: the pool is full: 1 of 1 slots are taken"
        );
    }
}

#[test]
fn a_far_slot_takes_memory_for_its_own_block_only() {
    let mut pool = Pool::new();
    let far = handle::<Spark>((1 << 20) - 1, 1);
    pool.spawn_at(far, Spark { number: 3 }).unwrap();
    assert!(pool.capacity() < 1024, "the slots between have no memory");
    assert_eq!(
        (pool[far].number, pool.iter().count(), pool.spawn(Spark::default()).index()),
        (3, 1, 1)
    );
    assert!(matches!(pool.check(handle(500_000, 1)), Err(HandleError::OutOfRange { .. })));
    assert!(pool.despawn(far));
    assert_eq!(
        pool.check(far).unwrap_err().to_string(),
        "1048575v1 is stale: slot 1048575 is now at generation 2, free"
    );
    assert_eq!(pool.check_invariants(), Ok(()));
}

/// Any bits at all, and bits that are close to something.
fn any_bits() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        any::<u64>().prop_map(|bits| bits & 0x0000_000f_0000_000f),
        any::<u16>().prop_map(u64::from)
    ]
}

/// Makes every call with a handle of these bits: none panics, and the handle resolves to nothing or
/// to a live thing of its exact slot, generation and kind.
fn assert_harmless<T>(mut pool: Pool<T>, bits: u64, value: T)
where
    T: Thing<Storage = lath_core::Rows<T>> + Clone + std::fmt::Debug,
{
    let forged = Handle::<T>::from_bits(bits);
    assert!(
        forged.to_bits() == bits || forged.is_nil(),
        "{bits:#x} became {:#x}",
        forged.to_bits()
    );
    assert_eq!(forged.is_nil(), forged.index() == 0 || forged.generation() % 2 == 0);
    assert_eq!(forged.erase().downcast::<T>(), Some(forged));
    let known = pool.iter_with_staged().any(|(handle, _)| handle == forged);
    assert_eq!(
        (pool.contains(forged), pool.check(forged).is_ok(), pool.get(forged).is_some()),
        (known, known, known)
    );
    if !known {
        assert_eq!(format!("{:?}", pool.read(forged)), format!("{:?}", T::default()));
    }
    type Call<'a, T> = (&'static str, Box<dyn FnMut(&mut Pool<T>) + 'a>);
    let mut calls: [Call<'_, T>; 8] = [
        ("despawn", Box::new(|pool| assert!(pool.despawn(forged) || !known))),
        ("take", Box::new(|pool| assert_eq!(pool.take(forged).is_some(), known))),
        ("despawn_after", Box::new(|pool| assert_eq!(pool.despawn_after(forged, 3), known))),
        ("edit", Box::new(|pool| assert_eq!(pool.edit(forged, |_| {}), known))),
        ("get_mut", Box::new(|pool| assert_eq!(pool.get_mut(forged).is_some(), known))),
        (
            "get_disjoint_mut",
            Box::new(|pool| assert_eq!(pool.get_disjoint_mut([forged, forged])[0].is_ok(), known)),
        ),
        ("split", Box::new(|pool| assert_eq!(pool.split(forged).is_some(), known))),
        (
            "spawn_at",
            Box::new(|pool| assert!(!(known && pool.spawn_at(forged, value.clone()).is_ok()))),
        ),
    ];
    for (name, call) in &mut calls {
        let mut copy = pool.clone();
        call(&mut copy);
        assert_eq!(copy.check_invariants(), Ok(()), "{name}({forged})");
        copy.reap(9);
        copy.commit();
        copy.clear();
        assert_eq!((copy.len(), copy.check_invariants()), (0, Ok(())), "{name}({forged})");
        assert!(!copy.contains(forged), "{name}({forged})");
    }
    pool.clear();
    assert!(!pool.contains(forged));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn forged_bits_of_64_resolve_to_nothing_or_to_exactly_what_they_say(bits in any_bits()) {
        assert_harmless(pool_of_all_fates(), bits, ship(9));
    }

    #[test]
    fn forged_bits_of_16_resolve_to_nothing_or_to_exactly_what_they_say(bits in any_bits(), kind in 0u32..16) {
        let mut pool = Pool::fixed(40).unwrap();
        for number in 0..30 {
            let handle = pool.spawn(item(number % 16));
            if number % 3 == 0 {
                pool.despawn(handle);
            }
        }
        pool.stage(item(3));
        pool.reserve_kind(4);
        assert_harmless(pool, bits, item(kind));
    }

    #[test]
    fn forged_ranges_never_name_more_than_there_can_be(bits in any_bits(), len in any::<u32>()) {
        if let Ok(range) = HandleRange::<Item>::new(Handle::from_bits(bits), len) {
            prop_assert_eq!(range.iter().count(), len as usize);
            prop_assert!(range.iter().all(|handle| handle.index() < 64 && !handle.is_nil()));
            prop_assert_eq!(range.get(len), None);
        }
        if let Ok(range) = HandleRange::<Ship>::new(Handle::from_bits(bits), len) {
            prop_assert_eq!(range.len(), len);
            let last = len.checked_sub(1).and_then(|last| range.get(last));
            prop_assert_eq!(last.is_some(), len > 0);
        }
    }

    #[test]
    fn forged_bits_do_no_harm_to_a_fixed_pool(bits in any_bits()) {
        let mut pool = FixedPool::<Item, 10>::new();
        let live: Vec<_> = (0..6).map(|kind| pool.spawn(item(kind))).collect();
        pool.despawn(live[2]);
        let forged = Handle::from_bits(bits);
        let known = pool.handles().any(|handle| handle == forged);
        prop_assert_eq!((pool.contains(forged), pool.check(forged).is_ok()), (known, known));
        prop_assert_eq!(pool.edit(forged, |_| {}), known);
        let spawned = pool.spawn_at(forged, item(forged.kind())).is_ok();
        prop_assert!(!(known && spawned));
        prop_assert_eq!(pool.take(forged).is_some(), known || spawned);
        prop_assert!(!pool.despawn(forged));
    }
}

#[cfg(feature = "serde")]
mod serde {
    use super::*;

    #[test]
    fn handles_survive_json() {
        let mut pool = Pool::new();
        let sword = pool.spawn(item(5));
        let text = serde_json::to_string(&[sword, Handle::NIL]).unwrap();
        assert_eq!(text, format!("[{},0]", sword.to_bits()));
        assert_eq!(serde_json::from_str::<[Handle<Item>; 2]>(&text).unwrap(), [sword, Handle::NIL]);
        let largest = handle::<Ship>(u64::from(u32::MAX), u64::from(u32::MAX));
        assert_eq!(serde_json::from_str::<Handle<Ship>>(&u64::MAX.to_string()).unwrap(), largest);

        let range = pool.spawn_range(4, |_| item(2)).unwrap();
        let text = serde_json::to_string(&range).unwrap();
        assert_eq!(serde_json::from_str::<HandleRange<Item>>(&text).unwrap(), range);
        let empty = serde_json::to_string(&HandleRange::<Item>::EMPTY).unwrap();
        assert_eq!(serde_json::from_str::<HandleRange<Item>>(&empty).unwrap(), HandleRange::EMPTY);
    }

    #[test]
    fn hostile_json_gives_nil_or_an_error() {
        for bits in ["0", "1", "64", "128", "65536", "4294967296", "18446744073709551615"] {
            // No such slot, no such generation, or more bits than there are.
            assert_eq!(serde_json::from_str::<Handle<Item>>(bits).unwrap(), Handle::NIL, "{bits}");
        }
        for bits in
            ["-1", "1.5", "1e3", "18446744073709551616", "\"1v1\"", "null", "[1]", "{}", "true", ""]
        {
            assert!(serde_json::from_str::<Handle<Item>>(bits).is_err(), "{bits}");
        }
        for range in [
            "[65,64]",
            "[65,4294967295]",
            "[0,1]",
            "[64,1]",
            "[65,-1]",
            "[65,4294967296]",
            "[65]",
            "65",
        ] {
            assert!(serde_json::from_str::<HandleRange<Item>>(range).is_err(), "{range}");
        }
        let error = serde_json::from_str::<HandleRange<Item>>("[65,64]").unwrap_err();
        assert!(
            error.to_string().starts_with("1v1 is out of range: the pool has 63 slots"),
            "{error}"
        );
        assert_eq!(serde_json::from_str::<HandleRange<Item>>("[65,63]").unwrap().len(), 63);
    }

    proptest! {
        #[test]
        fn any_number_comes_in_as_from_bits(bits in any_bits()) {
            prop_assert_eq!(serde_json::from_str::<Handle<Item>>(&bits.to_string()).unwrap(), Handle::from_bits(bits));
            prop_assert_eq!(serde_json::from_str::<Handle<Ship>>(&bits.to_string()).unwrap(), Handle::from_bits(bits));
        }
    }
}

#[cfg(feature = "bytemuck")]
mod bytemuck {
    use super::*;
    use ::bytemuck::{Zeroable, bytes_of};

    #[test]
    fn zeroed_handles_are_nil_and_handles_are_plain_bytes() {
        assert_eq!(Handle::<Ship>::zeroed(), Handle::NIL);
        assert_eq!(<[Handle<Item>; 9]>::zeroed(), [Handle::NIL; 9]);
        let sword = Pool::new().spawn(item(5));
        assert_eq!(bytes_of(&sword), (sword.to_bits() as u16).to_ne_bytes());
        let prey = Pool::new().spawn(ship(1));
        assert_eq!(bytes_of(&prey), prey.to_bits().to_ne_bytes());
    }
}

#[derive(Thing, Default)]
struct Leaky {}

#[test]
fn a_warning_comes_once_and_not_before_there_are_more_than_expected() {
    static WARNED: AtomicU32 = AtomicU32::new(0);
    let warn = |excess: &Excess| {
        assert_eq!(excess.expected, 10);
        WARNED.fetch_add(1, Relaxed);
    };
    let mut pool = Pool::<Leaky>::new();
    pool.expect_at_most_or(10, warn);
    (0..10).for_each(|_| _ = pool.spawn(Leaky {}));
    assert_eq!((WARNED.load(Relaxed), pool.stats().beyond_expected), (0, false));
    pool.expect_at_most_or(10, warn); // as many as that are there
    assert_eq!((WARNED.load(Relaxed), pool.stats().beyond_expected), (0, false));
    (1..=5).for_each(|_| _ = pool.spawn(Leaky {}));
    assert_eq!((WARNED.load(Relaxed), pool.stats().beyond_expected), (1, true));
    pool.expect_at_most_or(10, warn); // more than that are there
    assert_eq!((WARNED.load(Relaxed), pool.stats().beyond_expected), (2, true));
}

#[test]
fn a_bound_is_watched_from_the_first_thing_to_the_one_too_many() {
    let mut pool = Pool::<Leaky>::new();
    pool.expect_at_most(2);
    let beyond = [(); 4].map(|()| (pool.spawn(Leaky {}), pool.stats().beyond_expected).1);
    assert_eq!(beyond, [false, false, true, true]);
    let excess = Excess { thing: "Leaky", expected: 2 };
    assert_eq!(
        excess.to_string(),
        "more than the expected 2 things of Leaky: a leak, or `expect_at_most` is too low"
    );
}

#[test]
fn a_link_that_cannot_be_says_why() {
    let mut pool = Pool::new();
    let [a, b, c, lone] = [1, 2, 3, 4].map(|number| pool.spawn(ship(number)));
    let mut tree = pool.tree_mut();
    tree.attach(b, a).unwrap();
    tree.attach(c, b).unwrap();
    let mut says = |child, parent| tree.attach(child, parent).unwrap_err().to_string();
    assert_eq!(says(a, a), "1v1 cannot be put below itself");
    assert_eq!(says(a, b), "1v1 cannot be put below 2v1, which is below it:\n1v1\n└─ 2v1");
    assert_eq!(
        says(a, c),
        "1v1 cannot be put below 3v1, which is below it:\n1v1\n└─ … 1 in between\n   └─ 3v1"
    );
    assert_eq!(says(Handle::NIL, a), "there is no such child: the handle is nil: it names nothing");
    assert_eq!(
        says(a, handle(9, 1)),
        "there is no such parent: 9v1 is stale: slot 9 is now at generation 0, free"
    );
    let mut says = |child, sibling| tree.attach_before(child, sibling).unwrap_err().to_string();
    assert_eq!(
        says(c, lone),
        "nothing can be put beside 4v1, which has no parent: attach that first"
    );
    assert_eq!(
        says(c, Handle::NIL),
        "there is no such sibling: the handle is nil: it names nothing"
    );
}

#[test]
fn pools_and_what_they_refuse_can_be_printed() {
    let mut pool = FixedPool::<Spark, 1>::new();
    pool.spawn(Spark { number: 3 });
    assert_eq!(format!("{pool:?}"), "{1v1: Spark { number: 3 }}");
    let refused = pool.try_spawn(Spark { number: 4 }).unwrap_err();
    assert_eq!(
        format!("{refused:?}"),
        "SpawnError { fault: Full { capacity: 1, retired: 0 }, .. }"
    );
    let pool = Pool::<Leaky>::new();
    assert_eq!(
        format!("{pool:?}"),
        format!("Pool {{ thing: \"bad_input::Leaky\", stats: {:?} }}", pool.stats())
    );
}
