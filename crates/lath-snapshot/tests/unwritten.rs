#![expect(
    unsafe_code,
    reason = "a global allocator is unsafe to implement, and memory is looked at"
)]
//! What nobody has written stays where it is: fresh memory is full of poison, and none of it is in
//! an image, in a difference, in a save, or in a pool that one of them was put into.
//!
//! The things have no padding, and no value of theirs has a byte that is poison.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeSet;

use common::dice::Dice;
use common::play::{Carried, play, pool};
use common::things::Subject;
use lath_core::bitflags::bitflags;
use lath_core::strips::Snap;
use lath_core::{CloneStorage, Pool, Thing, ThingMut, ThingRef};
use lath_schedule::World;
use lath_snapshot::image::{ImageBuilder, PoolDelta, PoolImage};
use lath_snapshot::{Delta, Load, Save, SaveWorld, Snapshot, Write};

/// What fresh memory is filled with, by whose it is.
const SOURCE: u8 = 0xa1;
const IMAGE: u8 = 0xa5;
const OTHER: u8 = 0xa9;
const NOBODY: u8 = 0;

thread_local! {
    static OWNER: Cell<u8> = const { Cell::new(NOBODY) };
    /// Blocks of pools and copies of them, which begin where a cache line does: whose, from where,
    /// and how many bytes.
    static BLOCKS: [Cell<(u8, usize, usize)>; 4096] =
        const { [const { Cell::new((NOBODY, 0, 0)) }; 4096] };
}

/// Poisons what it gives, and remembers the blocks.
struct Poisoned;

#[global_allocator]
static ALLOCATOR: Poisoned = Poisoned;

/// Replaces the first entry that is one of those asked for.
fn replace(which: impl Fn(usize) -> bool, by: (u8, usize, usize)) -> bool {
    let replaced = BLOCKS.try_with(|blocks| {
        blocks.iter().find(|block| which(block.get().1)).map(|block| block.set(by)).is_some()
    });
    replaced.unwrap_or(true)
}

fn note(memory: *mut u8, layout: Layout) {
    let owner = OWNER.try_with(Cell::get).unwrap_or(NOBODY);
    if layout.align() >= 64 && owner != NOBODY && !memory.is_null() {
        assert!(replace(|at| at == 0, (owner, memory.addr(), layout.size())), "a longer table");
    }
}

// SAFETY: passes everything on to the system's allocator, and writes only to what that has just
// given.
unsafe impl GlobalAlloc for Poisoned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc(layout) };
        let owner = OWNER.try_with(Cell::get).unwrap_or(NOBODY);
        if !memory.is_null() && owner != NOBODY {
            // SAFETY: so many bytes were given just now.
            unsafe { memory.write_bytes(owner, layout.size()) };
        }
        note(memory, layout);
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        note(memory, layout);
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if layout.align() >= 64 {
            replace(|at| at == memory.addr(), (NOBODY, 0, 0));
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Does something of which all fresh memory is one's.
fn as_owner<R>(owner: u8, f: impl FnOnce() -> R) -> R {
    let before = OWNER.replace(owner);
    let result = f();
    OWNER.set(before);
    result
}

/// Whose poison there is in some bytes: four in a row, since an address may have one.
fn poison(bytes: &[u8]) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    for four in bytes.chunks_exact(4) {
        if four[0] > 0xa0 && four == [four[0]; 4] && [SOURCE, IMAGE, OTHER].contains(&four[0]) {
            found.insert(four[0]);
        }
    }
    found
}

/// Whose poison there is in the blocks of an owner.
fn poison_in(owner: u8) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    BLOCKS.with(|blocks| {
        for (_, at, len) in blocks.iter().map(Cell::get).filter(|block| block.0 == owner) {
            // SAFETY: given and not given back; written by `alloc` or as zeroes, and after that
            // with values that have no padding. Nobody else writes to it meanwhile.
            let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, len) };
            found.extend(poison(bytes));
        }
    });
    found
}

#[test]
fn the_allocator_poisons_and_finds_poison() {
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line([u8; 64]);

    let mut lines = as_owner(IMAGE, || Vec::<Line>::with_capacity(4));
    assert_eq!(poison_in(IMAGE), [IMAGE].into());
    lines.resize(lines.capacity(), Line([7; 64]));
    assert_eq!((poison_in(IMAGE), poison_in(OTHER)), ([].into(), [].into()));
    lines[2].0[9..15].fill(SOURCE);
    assert_eq!(poison_in(IMAGE), [].into());
    lines[2].0[15] = SOURCE;
    assert_eq!(poison_in(IMAGE), [SOURCE].into());
    drop(lines);
    assert_eq!(poison_in(IMAGE), [].into());
}

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 { const A = 1; const B = 2; const C = 4; }
}

fn tags_of(value: u32) -> Tags {
    Tags::from_bits_truncate(value / 7)
}

/// A number without poison in it.
fn number(value: u32) -> u32 {
    value & 0x7777_7777
}

/// More than a cache line needs to be aligned.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(128))]
struct Wide([u64; 16]);

#[derive(Thing, Save, Clone, Default, Debug)]
struct Row {
    #[thing(tags)]
    tags: Tags,
    pos: [u32; 3],
    value: u32,
}

impl Subject for Row {
    fn new(value: u32) -> Self {
        Self { tags: tags_of(value), pos: [number(value); 3], value: number(value) }
    }
    fn seen(thing: &Self) -> String {
        format!("{thing:?}")
    }
    fn set(thing: &mut Self, value: u32) {
        thing.value = number(value);
    }
    fn some_tags(value: u32) -> Tags {
        tags_of(value)
    }
}

/// Fields of every home: a strip of stamps and a hot field, strips that are copied on both sides of
/// one that is cloned, and two fields without any.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
struct Columns {
    #[thing(hot)]
    value: u32,
    small: u8,
    #[thing(tags)]
    tags: Tags,
    name: String,
    long: u64,
    pos: [u32; 3],
    #[thing(skip)]
    wide: Wide,
    nothing: (),
    #[thing(cold)]
    rank: u64,
}

impl Subject for Columns {
    fn new(value: u32) -> Self {
        let number = number(value);
        Self {
            value: number,
            small: number as u8,
            tags: tags_of(value),
            name: String::new(),
            long: u64::from(number) << 32 | u64::from(number),
            pos: [number; 3],
            wide: Wide([number.into(); 16]),
            nothing: (),
            rank: (number % 3).into(),
        }
    }
    fn seen(thing: ThingRef<'_, Self>) -> String {
        format!("{} {} {:?} {:?}", thing.value, thing.name, thing.wide.0, thing.rank)
    }
    fn set(thing: ThingMut<'_, Self>, value: u32) {
        *thing.value = number(value);
    }
    fn some_tags(value: u32) -> Tags {
        tags_of(value)
    }
}

/// Nothing but strips that are copied, so that whole blocks are copied at once.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(columns)]
struct Plain {
    value: u32,
    small: u8,
    long: u64,
}

impl Subject for Plain {
    fn new(value: u32) -> Self {
        Self { value: number(value), small: number(value) as u8, long: number(value).into() }
    }
    fn seen(thing: ThingRef<'_, Self>) -> String {
        format!("{} {} {}", thing.value, thing.small, thing.long)
    }
    fn set(thing: ThingMut<'_, Self>, value: u32) {
        *thing.value = number(value);
    }
    fn some_tags(_: u32) -> Self::Tags {
        lath_core::NoTags
    }
}

/// Slots of it are soon used up.
#[derive(Thing, Save, Clone, Default, Debug)]
#[thing(handle(bits = 16, index = 12))]
struct Brief {
    value: u32,
}

trait Judged: Subject + Snap + Thing<Storage: CloneStorage<Self>> {}
impl<T: Subject + Snap + Thing<Storage: CloneStorage<T>>> Judged for T {}

/// A pool with slots of every kind: of things that are there, gone, staged, buried, far away, or
/// were never there.
fn lively<T: Subject>(random: &mut Dice) -> Pool<T> {
    let mut pool = pool::<T>(random);
    if random.bool() {
        (0..random.u32(..2000)).for_each(|n| _ = pool.try_spawn(T::new(n)));
    }
    let calls = random.usize(..60);
    play(&mut pool, random, calls);
    pool
}

#[track_caller]
fn assert_written(at: &str) {
    assert_eq!(poison_in(IMAGE), [].into(), "in images, {at}");
    let other = poison_in(OTHER);
    assert!(other.is_subset(&[OTHER].into()), "{other:x?} in a pool of {OTHER:x}, {at}");
}

fn images<T: Judged>() {
    for seed in 0..16 {
        let mut random = Dice::with_seed(seed);
        let mut pool = as_owner(SOURCE, || lively::<T>(&mut random));
        let mut image = PoolImage::new();
        as_owner(IMAGE, || image.capture(&pool));
        for round in 0..6 {
            let at = &format!("round {round} of seed {seed}");
            let calls = random.usize(..40);
            as_owner(SOURCE, || play(&mut pool, &mut random, calls));
            let (mut new, mut delta) = (PoolImage::new(), PoolDelta::new());
            as_owner(IMAGE, || match random.u8(..4) {
                0 => image.capture(&pool),
                1 => image.capture_mut(&mut pool),
                2 => {
                    delta.since(&image, &pool);
                    assert!(delta.apply(&mut image));
                }
                _ => {
                    new.capture_mut(&mut pool);
                    delta.between(&image, &new);
                    assert!(delta.apply(&mut image));
                }
            });
            assert_written(at);
            if random.bool() {
                image = as_owner(IMAGE, || image.clone());
            }
            // Into a pool that knows nothing of it, and from there into an image again.
            let mut other = as_owner(OTHER, || match random.bool() {
                true => lively(&mut random),
                false => Pool::new(),
            });
            if as_owner(OTHER, || image.restore(&mut other)).is_ok() {
                assert_written(at);
                as_owner(IMAGE, || new.capture_mut(&mut other));
                assert_written(at);
                other = as_owner(OTHER, || pool.clone());
                assert_written(at);
            }
            // As from a save, with defaults for all fields.
            let state = image.state();
            let built = as_owner(IMAGE, || {
                let builder = ImageBuilder::new(&other, &state);
                builder.map(|builder| builder.finish())
            });
            if let Ok(built) = built {
                assert_written(at);
                as_owner(OTHER, || built.restore(&mut other)).unwrap();
                assert_written(at);
            }
            as_owner(SOURCE, || image.restore(&mut pool)).unwrap();
        }
    }
}

#[test]
fn no_image_has_or_brings_what_nobody_wrote_in_rows() {
    images::<Row>();
}

#[test]
fn no_image_has_or_brings_what_nobody_wrote_in_columns() {
    images::<Columns>();
}

#[test]
fn no_image_has_or_brings_what_nobody_wrote_in_whole_blocks() {
    images::<Plain>();
}

/// A clone knows of a slot that is used up, and has never written to it.
#[test]
fn a_slot_that_is_used_up_is_not_copied_from_memory_that_nobody_wrote() {
    let mut pool = as_owner(SOURCE, || {
        let mut pool = Pool::<Brief>::new();
        while pool.stats().retired == 0 {
            let brief = pool.spawn(Brief { value: 7 });
            assert!(pool.despawn(brief));
        }
        let mut clone = pool.clone();
        (0..200).for_each(|value| _ = clone.spawn(Brief { value: value / 2 }));
        clone
    });
    assert_eq!(poison_in(SOURCE), [SOURCE].into());
    let (mut image, mut delta) = (PoolImage::new(), PoolDelta::new());
    as_owner(IMAGE, || {
        delta.since(&image, &pool);
        image.capture(&pool);
    });
    assert_written("behind a shared reference");
    as_owner(IMAGE, || image.capture_mut(&mut pool));
    assert_written("by one who has the pool alone");
}

#[test]
fn no_save_has_or_brings_what_nobody_wrote() {
    let empty = || {
        let mut world = World::new();
        world.saves::<Row>().tree::<Carried>();
        world.saves::<Columns>().tree::<Carried>();
        world.saves::<Plain>().tree::<Carried>();
        world
    };
    for seed in 0..12 {
        let at = &format!("seed {seed}");
        let mut random = Dice::with_seed(seed);
        let mut world = as_owner(SOURCE, || {
            let mut world = empty();
            world.add_pool(lively::<Row>(&mut random));
            world.add_pool(lively::<Columns>(&mut random));
            world.add_pool(lively::<Plain>(&mut random));
            world
        });
        let mut snapshot = Snapshot::new();
        as_owner(IMAGE, || snapshot.take_into(&world)).unwrap();
        as_owner(SOURCE, || play(world.pool_mut::<Row>(), &mut random, 30));
        let delta = as_owner(IMAGE, || Delta::since(&snapshot, &world));
        as_owner(IMAGE, || snapshot.take_mut(&mut world)).unwrap();
        assert_written(at);
        let bytes = Write::new().to_bytes(&snapshot).unwrap();
        assert_eq!(poison(&bytes), [].into(), "in a save, {at}");
        for used in [false, true] {
            let mut other = empty();
            as_owner(OTHER, || {
                if used {
                    (0..2000).for_each(|n| _ = other.spawn(Row::new(n)));
                    other.pool_mut::<Row>().clear();
                }
                _ = Load::new().from_bytes(&mut other, &bytes); // a pool may be too small
            });
            assert_written(at);
            as_owner(IMAGE, || snapshot.take_mut(&mut other)).unwrap();
            assert_written(at);
        }
        drop(delta);
    }
}
