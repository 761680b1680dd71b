//! Saves that are cut off, changed, made up, or made to harm: an error that says what is wrong, no
//! panic, and no more memory than the size of the save accounts for.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::dice::Dice;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow};
use common::world::{HEADER, empty, lively, save, seen, small, with_body};
use fastrand::Rng;
use lath_core::{Relation, Thing};
use lath_schedule::World;
use lath_snapshot::{Load, PrefabLibrary, Save, SaveError, SaveInfo, SaveWorld};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

/// Counts what is allocated at once by this thread.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let now = NOW.get() + bytes;
    NOW.set(now);
    MOST.set(MOST.get().max(now));
}

#[expect(unsafe_code, reason = "an allocator is unsafe to implement")]
// SAFETY: passes everything on.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: passed on from the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: passed on from the caller.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most that was allocated at once while `f` ran, beyond what was before.
fn memory<X>(f: impl FnOnce() -> X) -> (X, usize) {
    let before = NOW.get();
    MOST.set(before);
    let result = f();
    (result, (MOST.get() - before) as usize)
}

/// Loads it into a world that has something; that must not change if it fails. Answers what is
/// wrong.
fn load(bytes: &[u8]) -> Result<World, SaveError> {
    let mut world = small();
    let was = seen(&world);
    match Load::new().from_bytes(&mut world, bytes) {
        Ok(()) => {
            for check in [
                world.pool::<PlainRow>().check_invariants(),
                world.pool::<MixedRow>().check_invariants(),
                world.pool::<PlainColumns>().check_invariants(),
                world.pool::<MixedColumns>().check_invariants(),
            ] {
                assert_eq!(check, Ok(()));
            }
            Ok(world)
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(seen(&world), was, "a load that failed ({error}) has changed the world");
            Err(error)
        }
    }
}

#[test]
fn a_save_that_is_cut_off_anywhere_is_refused() {
    let bytes = save(&small());
    for len in 0..bytes.len() {
        let error = match Load::new().from_bytes(&mut small_target(), &bytes[..len]) {
            Ok(()) => panic!("{len} bytes of {} were enough", bytes.len()),
            Err(error) => error,
        };
        assert!(matches!(error, SaveError::Damaged { .. }), "{len} bytes: {error}");
        assert!(SaveInfo::from_bytes(&bytes[..len]).is_err());
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(load(&longer).is_err());
    assert!(load(&bytes).is_ok());
}

/// A world to load into, cheap to make.
fn small_target() -> World {
    empty()
}

#[test]
fn every_bit_matters() {
    let bytes = save(&small());
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(
            Load::new().from_bytes(&mut small_target(), &flipped).is_err(),
            "bit {} of byte {}",
            bit % 8,
            bit / 8
        );
    }
}

#[test]
fn garbage_is_refused() {
    let mut random = Rng::with_seed(4);
    for len in (0..300).chain([5000, 100_000]) {
        let bytes: Vec<u8> = (0..len).map(|_| random.u8(..)).collect();
        assert!(
            matches!(load(&bytes), Err(SaveError::NotASave | SaveError::Damaged { .. })),
            "{len} bytes"
        );
        let magic = [b"LATHSAVE", &bytes[..]].concat();
        assert!(load(&magic).is_err());
    }
    assert!(matches!(load(b"PNG and so on"), Err(SaveError::NotASave)));
    let newer = [&b"LATHSAVE"[..], &2u32.to_le_bytes(), &[0; 200]].concat();
    assert!(matches!(load(&newer), Err(SaveError::Newer { version: 2 })));
}

/// Memory that a load may need: in proportion to the file, and what a small world takes anyway.
fn allowed(file: usize) -> usize {
    64 * file + (24 << 20)
}

#[test]
fn claims_of_any_number_are_refused_within_bounds() {
    let bytes = save(&small());
    let body = &bytes[HEADER..];
    for huge in [1u64 << 60, u64::MAX, 1 << 32, 1 << 40, u64::from(u32::MAX), 1 << 26, 1 << 20] {
        for at in 0..body.len() - 8 {
            let mut body = body.to_vec();
            body[at..at + 8].copy_from_slice(&huge.to_le_bytes());
            let file = with_body(&body);
            let (_, most) = memory(|| Load::new().from_bytes(&mut small_target(), &file));
            assert!(most < allowed(file.len()), "{most} bytes for {huge} at {at}");
        }
    }
}

/// A save in which a word of the body is replaced by another that is as long.
fn with_word(save: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let (mut body, mut found) = (save[HEADER..].to_vec(), 0);
    for at in 0..body.len() - old.len() {
        if body[at..].starts_with(old.as_bytes()) {
            body[at..at + new.len()].copy_from_slice(new.as_bytes());
            found += 1;
        }
    }
    assert_eq!(found, 1, "`{old}` is in the save once");
    with_body(&body)
}

#[test]
fn what_is_in_a_save_twice_is_an_error() {
    #[derive(Thing, Save, Default)]
    struct Twin {
        first: u32,
        secnd: u32,
    }
    struct Above;
    struct Below;
    impl Relation for Above {}
    impl Relation for Below {}

    let mut world = World::new();
    world.saves::<Twin>().alias("Twix").tree::<Above>().tree::<Below>();
    world.saves_resource::<u32>().named("number");
    world.saves_resource::<u64>().named("anothr");
    world.spawn(Twin { first: 1, secnd: 2 });
    world.insert(3u32);
    world.insert(4u64);
    let good = save(&world);
    Load::new().from_bytes(&mut world, &good).unwrap();
    for (old, new, what) in [
        ("secnd", "first", "column `first`"),
        ("Below", "Above", "tree `Above`"),
        ("anothr", "number", "`number`"),
    ] {
        let error = Load::new().from_bytes(&mut world, &with_word(&good, old, new)).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(what), "{error}");
        assert!(error.contains("twice") || error.contains("in the save and"), "{error}");
    }
    assert_eq!(world.pool::<Twin>().iter().next().map(|(_, twin)| twin.secnd), Some(2));

    let thing = |rest: &str| format!("(pools: {{\"Twin\": [(at: 4294967297{rest})]}})");
    Load::new().from_text(&mut world, &thing(", fields: (first: 5)")).unwrap();
    for text in [
        thing(", fields: (first: 5, first: 6)"),
        thing(", children: {\"Above\": [], \"Above\": []}"),
        "(pools: {\"Twin\": [], \"Twin\": []})".into(),
        "(pools: {\"Twin\": [], \"Twix\": []})".into(),
        "(resources: {\"number\": 1, \"number\": 1})".into(),
        "(pools: {\"number\": 1}, resources: {\"number\": 1})".into(),
    ] {
        let error = Load::new().from_text(&mut world, &text).unwrap_err().to_string();
        assert!(error.contains("twice"), "{text}: {error}");
    }
    assert_eq!(world.pool::<Twin>().iter().next().map(|(_, twin)| twin.first), Some(5));
}

#[test]
fn a_name_from_a_save_gives_a_terminal_no_orders_and_is_not_endless() {
    let mut world = World::new();
    world.saves_resource::<u32>().named("\u{1b}[2J");
    world.saves_resource::<u64>().named("x".repeat(1_000_000));
    let bytes = save(&world);
    let info = SaveInfo::from_bytes(&bytes).unwrap();
    assert_eq!(info.resources[1].name.len(), 1_000_000);
    let info = info.to_string();
    assert!(!info.contains('\u{1b}') && info.contains("\\u{1b}[2J"), "{info}");
    assert!(info.len() < 2000, "{} bytes", info.len());
    let error = Load::new().from_bytes(&mut empty(), &bytes).unwrap_err().to_string();
    assert!(!error.contains('\u{1b}') && error.contains("[2J"), "{error}");
    world.saves_resource::<u32>();
    let error = Load::new().from_bytes(&mut world, &bytes).unwrap_err().to_string();
    assert!(!error.contains('\u{1b}') && error.len() < 1000);
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct Node {
    kids: Vec<Node>,
}

#[test]
fn lists_inside_of_lists_get_no_more_memory_than_they_fill() {
    // Each says that there are 40,000 in it, for which there would be bytes, and has one.
    let deep = [0xc0, 0xb8, 0x02].repeat(120);
    let mut body = Vec::new();
    body.extend(1u64.to_le_bytes());
    let mut section = Vec::new();
    section.extend(4u32.to_le_bytes());
    section.extend(b"Node");
    section.push(1);
    section.extend((deep.len() as u64 + 100_000).to_le_bytes());
    section.extend(&deep);
    section.extend([0x80; 100_000]);
    body.extend(4u32.to_le_bytes());
    body.extend(b"Node");
    body.extend((section.len() as u64).to_le_bytes());
    body.extend(section);
    let file = with_body(&body);
    let mut world = World::new();
    world.saves_resource::<Node>();
    let (result, most) = memory(|| Load::new().from_bytes(&mut world, &file));
    assert!(result.unwrap_err().to_string().contains("resource `Node`"));
    assert!(most < allowed(file.len()), "{most} bytes for {}", file.len());
}

#[test]
fn a_prefab_of_few_words_does_not_have_a_billion_parts() {
    #[derive(Thing, Save, Clone, Default)]
    struct Part {}

    let mut library = PrefabLibrary::<Part>::new();
    library.add("0", "()").unwrap();
    let (grown, most) = memory(|| {
        (0..40).find_map(|n| {
            let text = format!("(children: [(prefab: \"{n}\"), (prefab: \"{n}\")])");
            library.add((n + 1).to_string(), &text).err()
        })
    });
    let error = grown.expect("that would be 2^40 parts").to_string();
    assert!(error.contains("at most 1048576 parts"), "{error}");
    assert!(most < 256 << 20, "{most} bytes");
}

#[test]
fn a_body_with_the_right_checksum_and_anything_in_it_does_no_harm() {
    let mut random = Rng::with_seed(8);
    let saves = [save(&small()), save(&lively(&mut Dice::with_seed(2), 20))];
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..3000 {
        let bytes = &saves[usize::from(round % 10 == 0)];
        let mut body = bytes[HEADER..].to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..body.len());
            match random.u8(..5) {
                0 => body[at] = random.u8(..),
                1 => body[at] ^= 1 << random.u8(..8),
                2 => body.truncate(at.max(1)),
                3 => {
                    let (from, len) =
                        (random.usize(..body.len()), random.usize(..16).min(body.len() - at));
                    let piece: Vec<u8> = body[from..].iter().copied().take(len).collect();
                    body[at..at + piece.len()].copy_from_slice(&piece);
                }
                _ => {
                    let number = random.u32(..).to_le_bytes();
                    let len = number.len().min(body.len() - at);
                    body[at..at + len].copy_from_slice(&number[..len]);
                }
            }
        }
        let file = with_body(&body);
        let (result, most) = memory(|| load(&file));
        assert!(most < allowed(file.len()), "{most} bytes in round {round}");
        let _ = SaveInfo::from_bytes(&file);
        match result {
            Ok(world) => {
                loaded += 1;
                drop(seen(&world));
            }
            Err(_) => refused += 1,
        }
    }
    assert!(loaded > 100 && refused > 100, "both happen: {loaded} loaded, {refused} refused");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_a_save_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = load(&bytes);
        let _ = load(&with_body(&bytes));
        let _ = SaveInfo::from_bytes(&with_body(&bytes));
    }
}
