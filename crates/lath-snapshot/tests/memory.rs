//! Snapshots and memory: with kept buffers nothing is allocated, and nothing is leaked or dropped
//! twice, whoever panics.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use lath_core::{Handle, Pool, Thing};
use lath_schedule::World;
use lath_snapshot::image::PoolImage;
use lath_snapshot::{History, Save, SaveWorld, Snapshot};
use serde::{Deserialize, Serialize};

/// Counts the allocations of this thread, and the bytes that it has not given back.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator is unsafe to implement")]
// SAFETY: passes everything on.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get().wrapping_add(layout.size()));
        // SAFETY: passed on from the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        BYTES.set(BYTES.get().wrapping_sub(layout.size()));
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(f: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

fn bytes(f: impl FnOnce()) -> usize {
    let before = BYTES.get();
    f();
    BYTES.get().wrapping_sub(before)
}

lath_core::bitflags::bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const A = 1; const B = 2; }
}

#[derive(Thing, Save, Clone, Default)]
#[thing(columns)]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    pos: [f32; 3],
    #[thing(hot)]
    hp: f32,
    target: Handle<Actor>,
}

#[derive(Thing, Save, Clone, Default)]
struct Named {
    name: String,
    id: u32,
}

fn world() -> World {
    let mut world = World::new();
    world.saves::<Actor>();
    world.saves::<Named>();
    world.saves_resource::<u64>();
    world.insert(3u64);
    for n in 0..3000u32 {
        let tags = Tags::from_bits_truncate(n as u8);
        let one = world.spawn(Actor { tags, hp: n as f32, ..Actor::default() });
        world.spawn(Named { name: format!("number {n}"), id: n });
        if n % 3 == 0 {
            world.despawn(one);
        }
    }
    let all: Vec<_> = world.pool::<Actor>().handles().collect();
    for pair in all.windows(2).step_by(2) {
        world.pool_mut::<Actor>().tree_mut().attach(pair[1], pair[0]).unwrap();
    }
    world
}

fn disturb(world: &mut World, round: u32) {
    let actors: Vec<_> = world.pool::<Actor>().handles().collect();
    for (n, who) in actors.into_iter().enumerate() {
        if n % 7 == round as usize % 7 {
            world.despawn(who);
        }
    }
    for n in 0..200 {
        world.spawn(Actor { tags: Tags::B, hp: (n + round) as f32, ..Actor::default() });
    }
    world.pool_mut::<Named>().retain(|_, named| {
        named.name.replace_range(..1, "N");
        true
    });
    *world.resource_mut::<u64>() += 1;
}

#[test]
fn with_kept_buffers_nothing_is_allocated() {
    for tracked in [false, true] {
        let mut world = world();
        if tracked {
            world.pool_mut::<Actor>().track_changes();
        }
        let (mut snapshot, mut history) = (Snapshot::new(), History::new(3));
        let start = Snapshot::take(&world).unwrap();
        // The same things happen several times: first to make room in buffers and pools, then to
        // count.
        for time in 0..3 {
            start.restore(&mut world).unwrap();
            for round in 0..6 {
                disturb(&mut world, round);
                let taking = allocations(|| snapshot.take_into(&world).unwrap());
                let pushing =
                    allocations(|| assert!(history.push(&mut world, u64::from(round)).is_ok()));
                disturb(&mut world, round + 1);
                let restoring = allocations(|| snapshot.restore(&mut world).unwrap());
                let none = [taking, pushing, restoring] == [0; 3];
                assert!(
                    none || time < 2,
                    "taking {taking}, pushing {pushing}, restoring {restoring}, tracked: {tracked}"
                );
            }
        }
    }
}

thread_local! {
    static ALIVE: Cell<isize> = const { Cell::new(0) };
    static FUSE: Cell<isize> = const { Cell::new(-1) };
}

/// Counts itself, and panics when its time has come: while being cloned, or while being dropped.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Grumpy {
    id: u32,
}

fn gap_is_left_out<T: lath_core::strips::Snap>() {
    let [mut pool, mut other] = [(); 2].map(|()| Pool::<T>::new());
    let far = Handle::from_bits(1 << 32 | 1_000_000);
    let made = bytes(|| {
        assert_eq!(pool.spawn_range(3000, |_| T::default()).unwrap().len(), 3000);
        assert!(pool.spawn_at(far, T::default()).is_ok());
    });
    let mut image = PoolImage::new();
    image.capture(&pool);
    let taken = bytes(|| image.restore(&mut other).unwrap());
    assert!(other.contains(far));
    assert!(taken <= made + made / 8, "{taken} bytes where the original took {made}");
}

#[test]
fn slots_that_nobody_ever_used_get_no_memory_when_an_image_is_put_back() {
    gap_is_left_out::<Actor>();
    gap_is_left_out::<Named>();
}

fn burn() {
    let left = FUSE.get();
    FUSE.set(left - 1);
    if left == 0 && !std::thread::panicking() {
        panic!("out of patience");
    }
}

impl Grumpy {
    fn new(id: u32) -> Self {
        ALIVE.set(ALIVE.get() + 1);
        Self { id }
    }
}

impl Default for Grumpy {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Clone for Grumpy {
    fn clone(&self) -> Self {
        burn();
        Self::new(self.id)
    }
}

impl Drop for Grumpy {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
        burn();
    }
}

#[derive(Thing, Save, Default)]
struct GrumpyRow {
    one: Grumpy,
    number: u32,
    two: Grumpy,
}

#[derive(Thing, Save, Default)]
#[thing(columns)]
struct GrumpyColumns {
    number: u32,
    #[thing(hot)]
    one: Grumpy,
    two: Grumpy,
    #[thing(cold)]
    rare: Option<Grumpy>,
}

/// With few new things, slots of the image are free when it is put back, and are filled; with many,
/// all of them are assigned to.
fn panics<T: lath_core::strips::Snap>(new: u32, make: impl Fn(u32) -> T) {
    FUSE.set(-1);
    ALIVE.set(0);
    let mut refused = 0;
    for fuse in 0.. {
        let mut pool: Pool<T> = (1..80).map(&make).collect();
        let buried = pool.handles().nth(3).unwrap();
        pool.despawn_after(buried, 1);
        let mut image = PoolImage::new();
        image.capture(&pool);
        let gone: Vec<_> = pool.handles().step_by(3).collect();
        gone.into_iter().for_each(|handle| assert!(pool.despawn(handle)));
        pool.spawn_many((100..100 + new).map(&make));
        pool.reap(9);

        FUSE.set(fuse);
        let taken = catch_unwind(AssertUnwindSafe(|| PoolImage::new().capture(&pool)));
        let restored = catch_unwind(AssertUnwindSafe(|| image.restore(&mut pool).unwrap()));
        let over = FUSE.replace(-1) >= 0; // nobody was left to panic
        refused += usize::from(taken.is_err()) + usize::from(restored.is_err());
        assert_eq!(pool.check_invariants(), Ok(()), "fuse {fuse}");
        image.restore(&mut pool).unwrap();
        assert_eq!((pool.len(), pool.check_invariants()), (78, Ok(())));
        // An image that a panic has interrupted is refused, or whole.
        FUSE.set(fuse % 50);
        let interrupted = catch_unwind(AssertUnwindSafe(|| image.capture(&pool))).is_err();
        FUSE.set(-1);
        assert_eq!(image.restore(&mut pool).is_err(), interrupted);
        drop((pool, image));
        assert_eq!(ALIVE.get(), 0, "leaked or dropped twice, fuse {fuse}");
        if over {
            break;
        }
    }
    assert!(refused > 50, "somebody was grumpy {refused} times");
}

#[test]
fn a_panic_in_clone_or_drop_leaves_the_pool_consistent_and_leaks_nothing() {
    for new in [5, 50] {
        panics(new, |n| GrumpyRow { one: Grumpy::new(n), number: n, two: Grumpy::new(n) });
        panics(new, |n| {
            let rare = (n % 4 == 0).then(|| Grumpy::new(n));
            GrumpyColumns { number: n, one: Grumpy::new(n), two: Grumpy::new(n), rare }
        });
    }
}

#[test]
fn whoever_is_not_in_an_image_goes_when_it_is_put_back_also_if_one_of_them_panics() {
    FUSE.set(-1);
    for fuse in [0, 1, 7, 100, 158, 159] {
        let mut pool = Pool::<GrumpyRow>::new();
        let mut nobody = PoolImage::new();
        nobody.capture(&pool);
        pool.spawn_many((0..80).map(|number| GrumpyRow {
            one: Grumpy::new(1),
            number,
            two: Grumpy::new(2),
        }));
        let alive = ALIVE.get();
        FUSE.set(fuse);
        assert!(catch_unwind(AssertUnwindSafe(|| nobody.restore(&mut pool))).is_err());
        FUSE.set(-1);
        assert_eq!(
            (pool.len(), alive - ALIVE.get(), pool.check_invariants()),
            (0, 160, Ok(())),
            "fuse {fuse}"
        );
    }
}

#[derive(Thing, Save, Debug, PartialEq)]
struct Marked {
    mark: u32,
}

impl Default for Marked {
    fn default() -> Self {
        Self { mark: 0xA11 }
    }
}

#[test]
fn the_nil_thing_is_nobodys_to_overwrite() {
    let mut pool: Pool<Marked> = (1..40).map(|mark| Marked { mark }).collect();
    let mut image = PoolImage::new();
    image.capture(&pool); // slot by slot: what it has for slot 0 means nothing
    pool.clear();
    image.restore(&mut pool).unwrap();
    assert_eq!((pool.len(), pool.read(Handle::NIL)), (39, &Marked::default()));
}
