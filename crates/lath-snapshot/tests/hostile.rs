//! Saves that are cut off, changed, made up, or made to harm: an error that says what is wrong, no
//! panic, and no more memory than the size of the save accounts for.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::dice::Dice;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow};
use common::world::{HEADER, empty, lively, save, seen, small, with_body};
use fastrand::Rng;
use lath_schedule::World;
use lath_snapshot::{Load, SaveError, SaveInfo};
use proptest::prelude::*;

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
