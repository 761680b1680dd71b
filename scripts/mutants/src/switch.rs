//! Which mutant is on; copied into lath-core by scripts/mutants.sh.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn atexit(then: extern "C" fn()) -> c_int;
    fn open(path: *const c_char, flags: c_int, mode: c_int) -> c_int;
    fn write(file: c_int, bytes: *const c_void, count: usize) -> isize;
}

const UNREAD: u32 = u32::MAX;
const TRACE: u32 = u32::MAX - 1;

static ACTIVE: AtomicU32 = AtomicU32::new(UNREAD);
static SEEN: [AtomicU8; 16384] = [const { AtomicU8::new(0) }; 16384];

/// Whether this mutant is the one that is on: none is at compile time.
#[inline]
pub const fn on(id: u32) -> bool {
    core::intrinsics::const_eval_select((id,), never, now)
}

const fn never(_: u32) -> bool {
    false
}

#[inline]
fn now(id: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    active == id || (active >= TRACE && first_or_traced(id))
}

#[cold]
fn first_or_traced(id: u32) -> bool {
    if ACTIVE.load(Relaxed) == UNREAD {
        ACTIVE.store(read(), Relaxed);
    }
    if ACTIVE.load(Relaxed) == TRACE {
        SEEN[id as usize].store(1, Relaxed);
    }
    ACTIVE.load(Relaxed) == id
}

/// The number in `LATH_MUTANT`, or 0, which is none. Allocates nothing: some tests count that.
fn read() -> u32 {
    // SAFETY: strings end with a zero, and nobody changes the environment.
    unsafe {
        if !getenv(c"LATH_TRACE".as_ptr()).is_null() {
            atexit(dump);
            return TRACE;
        }
        let mut at = getenv(c"LATH_MUTANT".as_ptr());
        let mut number = 0;
        while !at.is_null() && *at != 0 {
            number = number * 10 + (*at as u32 - '0' as u32);
            at = at.add(1);
        }
        number
    }
}

extern "C" fn dump() {
    // SAFETY: as above; the bytes are those of the table.
    unsafe {
        let path = getenv(c"LATH_TRACE".as_ptr());
        let file = open(path, 0o1101, 0o644); // write, create, truncate
        write(file, SEEN.as_ptr().cast(), SEEN.len());
    }
}
