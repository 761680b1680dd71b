//! Things of no size, of 4 KiB, over-aligned, generic, owning, tied to their thread: a pool keeps
//! all of them, and is as `Send` and `Sync` as they are.

mod common;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::rc::Rc;

use common::counted::{self, Token};
use lath_core::{AnyHandle, FixedPool, Handle, HandleRange, Pool, Thing};

/// Spawns, finds, changes, stages, buries, copies and drops 1000 things, told apart by `mark`, at
/// addresses that are aligned and do not overlap.
fn exercise<T: Thing<Storage = lath_core::Rows<T>> + Clone>(
    make: fn(u64) -> T,
    mark: fn(&T) -> u64,
) {
    let mut pool = Pool::new();
    let mut handles: Vec<_> = pool.spawn_many((0..900).map(make)).collect();
    handles.extend((900..1000).map(|i| pool.stage(make(i))));
    pool.commit();
    let aligned = |thing: &T| std::ptr::from_ref(thing).addr() % align_of::<T>() == 0;
    assert!(aligned(pool.read(Handle::NIL)), "the nil thing");
    let mut spans = BTreeSet::new();
    for (&handle, i) in handles.iter().zip(0..) {
        let thing = pool.get(handle).unwrap();
        assert!(aligned(thing), "{handle}");
        assert_eq!(mark(thing), mark(&make(i)));
        spans.insert(std::ptr::from_ref(thing).addr());
    }
    let apart = |(a, b): (&usize, &usize)| b - a >= size_of::<T>();
    assert!(spans.iter().zip(spans.iter().skip(1)).all(apart), "things overlap");
    assert!(size_of::<T>() == 0 || spans.len() == 1000, "two things at one address");

    for (i, &handle) in handles.iter().enumerate() {
        match i % 4 {
            0 => assert!(pool.despawn(handle)),
            1 => {
                assert_eq!(pool.take(handle).map(|thing| mark(&thing)), Some(mark(&make(i as u64))))
            }
            2 => assert!(pool.despawn_after(handle, 1)),
            _ => assert!(pool.edit(handle, |thing| *thing = make(7))),
        }
    }
    let copy = pool.clone();
    assert_eq!(pool.reap(1), 250);
    for pool in [pool, copy] {
        assert_eq!((pool.len(), pool.check_invariants()), (250, Ok(())));
        assert!(pool.iter().all(|(_, thing)| mark(thing) == mark(&make(7))));
    }

    let mut fixed = Box::new(FixedPool::<T, 20>::new());
    let handles: Vec<_> = (0..20).map(|i| fixed.spawn(make(i))).collect();
    assert!(fixed.try_spawn(make(0)).is_err());
    assert!(
        fixed
            .iter()
            .zip(0..)
            .all(|((_, thing), i)| mark(thing) == mark(&make(i)) && aligned(thing))
    );
    assert!(handles.iter().all(|&handle| fixed.despawn(handle)));
}

#[test]
fn things_of_no_size_are_told_apart_by_their_handles() {
    #[derive(Thing, Clone, Copy, Default)]
    struct Unit;

    exercise(|_| Unit, |_| 0);
    let mut pool = Pool::new();
    let [a, b] = [Unit; 2].map(|unit| pool.spawn(unit));
    pool.despawn(a);
    assert!(a != b && pool.contains(b) && !pool.contains(a));
}

#[test]
fn things_of_no_size_are_dropped_once_each() {
    thread_local!(static DROPS: Cell<u32> = const { Cell::new(0) });

    #[derive(Thing, Default)]
    struct Bell;

    impl Drop for Bell {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
        }
    }

    let mut pool = Pool::new();
    let handles: Vec<_> = pool.spawn_many((0..100).map(|_| Bell)).collect();
    assert_eq!(DROPS.get(), 0);
    handles.iter().take(10).for_each(|&handle| assert!(pool.despawn(handle)));
    assert_eq!(DROPS.get(), 10);
    drop(pool);
    assert_eq!(DROPS.get(), 101, "the nil thing too");
}

#[test]
fn things_of_4_kib_are_kept_whole() {
    #[derive(Thing, Clone)]
    struct Page {
        bytes: [u8; 4096],
    }

    impl Default for Page {
        fn default() -> Self {
            Self { bytes: [0; 4096] }
        }
    }

    let mark = |page: &Page| {
        assert!(page.bytes.iter().all(|&byte| byte == page.bytes[0]), "two pages overlap");
        u64::from(page.bytes[0])
    };
    exercise(|i| Page { bytes: [i as u8; 4096] }, mark);
}

#[test]
fn over_aligned_things_are_aligned() {
    #[derive(Thing, Clone, Default)]
    #[repr(align(64))]
    struct Line(u8);

    #[derive(Thing, Clone, Default)]
    #[repr(align(4096))]
    struct Frame(u8);

    exercise(|i| Line(i as u8), |line| line.0.into());
    exercise(|i| Frame(i as u8), |frame| frame.0.into());
}

#[test]
fn things_of_one_byte_lie_apart_from_their_stamps() {
    #[derive(Thing, Clone, Default)]
    #[thing(handle(bits = 16, index = 12))]
    struct Byte(u8);

    exercise(|i| Byte(i as u8), |byte| byte.0.into());
}

#[test]
fn things_that_own_memory_are_freed() {
    #[derive(Thing, Clone, Default)]
    struct Crew {
        name: String,
        bag: Box<[u64]>,
        _token: Token,
    }

    counted::start_anew();
    exercise(
        |i| Crew { name: i.to_string(), bag: (0..i % 5).collect(), _token: Token::new() },
        |crew| crew.name.parse().unwrap_or(u64::MAX) * 8 + crew.bag.len() as u64,
    );
    counted::assert_all_dropped_once("strings and boxes");
}

#[test]
fn generic_things_have_a_pool_per_type() {
    #[derive(Thing, Clone, Default)]
    struct Pair<A: Clone + Default + 'static, const N: usize> {
        left: A,
        others: Vec<Handle<Pair<A, N>>>,
    }

    exercise(
        |i| Pair::<_, 3> { left: i.to_string(), others: vec![] },
        |pair| pair.left.len() as u64,
    );
    let mut pool = Pool::<Pair<u8, 1>>::new();
    let first = pool.spawn(Pair { left: 1, others: vec![] });
    let second = pool.spawn(Pair { left: 2, others: vec![first] });
    assert_eq!(pool[pool[second].others[0]].left, 1);
    assert_eq!(first.erase().downcast::<Pair<u8, 2>>(), None);
}

/// May not leave its thread.
#[derive(Thing, Clone, Default)]
struct Local {
    shared: Rc<Cell<u64>>,
}

/// May leave its thread, but not be looked at from two.
#[derive(Thing, Clone, Default)]
struct Movable {
    count: Cell<u64>,
}

/// May be looked at from two threads, but not leave its own.
#[derive(Thing, Clone, Default)]
struct Pinned {
    guard: PhantomData<std::sync::MutexGuard<'static, u64>>,
}

#[derive(Thing, Clone, Default)]
struct Free {
    value: u64,
}

#[test]
fn things_that_may_not_leave_their_thread_work_within_it() {
    exercise(|i| Local { shared: Rc::new(Cell::new(i)) }, |local| local.shared.get());

    let shared = Rc::new(Cell::new(0));
    let pool = Pool::new();
    let handle = pool.stage(Local { shared: Rc::clone(&shared) }); // behind a shared reference, but of one thread
    pool.read(handle).shared.set(5);
    drop(pool);
    assert_eq!((shared.get(), Rc::strong_count(&shared)), (5, 1));
}

/// Whether a type implements a trait. The inherent constant is found first, where its bound holds.
macro_rules! is {
    ($type:ty: $trait:ident) => {{
        #[allow(dead_code, reason = "for a type that implements the trait")]
        trait Otherwise {
            const IS: bool = false;
        }
        impl<T> Otherwise for T {}
        #[allow(dead_code, reason = "for a type that does not implement the trait")]
        struct Probe<T>(PhantomData<T>);
        #[allow(dead_code, reason = "as above")]
        impl<T: $trait> Probe<T> {
            const IS: bool = true;
        }
        Probe::<$type>::IS
    }};
}

#[test]
fn a_pool_is_send_if_its_things_are() {
    const { assert!(is!(Pool<Free>: Send) && is!(Pool<Movable>: Send)) }
    const { assert!(!is!(Pool<Local>: Send) && !is!(Pool<Pinned>: Send)) }
    const { assert!(is!(FixedPool<Free, 4>: Send) && !is!(FixedPool<Local, 4>: Send)) }
}

#[test]
fn a_pool_is_sync_if_its_things_are_send_and_sync() {
    // `stage(&self, value)` moves a value into a pool that another thread drops: `Sync` alone is
    // not enough.
    const { assert!(is!(Pool<Free>: Sync)) }
    const { assert!(!is!(Pool<Movable>: Sync) && !is!(Pool<Pinned>: Sync) && !is!(Pool<Local>: Sync)) }
    const { assert!(is!(Pinned: Sync) && !is!(Pinned: Send)) }
    const { assert!(is!(FixedPool<Free, 4>: Sync) && !is!(FixedPool<Movable, 4>: Sync)) }
}

#[test]
fn handles_are_send_and_sync_whatever_they_name() {
    const { assert!(is!(Handle<Local>: Send) && is!(Handle<Local>: Sync)) }
    const { assert!(is!(HandleRange<Pinned>: Send) && is!(HandleRange<Movable>: Sync)) }
    const { assert!(is!(AnyHandle: Send) && is!(AnyHandle: Sync)) }
    const { assert!(is!(Handle<Local>: Copy) && is!(Handle<Local>: Unpin)) }
}
