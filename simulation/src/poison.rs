#![expect(unsafe_code, reason = "an allocator that fills fresh memory")]
//! Fresh memory is filled with a poison value, so that memory which nobody has written is noticed
//! where it comes out: no plain field of the game's things ever is eight such bytes.
//!
//! It is the allocator of the program `world` and of the tests. The program `bare` goes without:
//! under memcheck, which sees by itself which memory nobody has written.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

use crate::memory::refuses;

/// What fresh memory is filled with.
const POISON: u8 = 0xA7;

/// What memory that was given back is filled with.
const GONE: u8 = 0xA9;

/// So many bytes of it are no accident.
const LENGTH: usize = 8;

/// Whether somewhere in some bytes there is memory that nobody has written.
pub fn is_in(bytes: &[u8]) -> bool {
    let mut run = 0;
    bytes.iter().any(|byte| {
        run = if matches!(*byte, POISON | GONE) { run + 1 } else { 0 };
        run == LENGTH
    })
}

/// Whether somewhere in a text there is a number that is such memory.
pub fn is_in_text(text: &str) -> bool {
    [POISON, GONE].iter().any(|poison| {
        let whole = u64::from_ne_bytes([*poison; 8]).to_string();
        text.contains(&whole)
    })
}

/// What is aligned to so many bytes is looked at.
const LINE: usize = 64;

/// How much fresh memory is watched at most.
const MOST: usize = 128;

thread_local! {
    /// Whether this thread is watched.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// Address and size of what it has allocated since, and not given back.
    static WATCHED: Cell<[(usize, usize); MOST]> = const { Cell::new([(0, 0); MOST]) };
}

/// Makes something and looks whether in the memory that it has allocated, and still holds, there is
/// any that nobody has written: so many bytes of it or more. Lists have memory to spare; so only what
/// begins where a cache line does is looked at, as the bytes of images do.
pub fn is_in_what<R>(bytes: usize, make: impl FnOnce() -> R) -> bool {
    WATCHED.set([(0, 0); MOST]);
    IS_WATCHED.set(true);
    let made = make();
    IS_WATCHED.set(false);
    let found =
        WATCHED.get().iter().filter(|(address, _)| *address != 0).any(|&(address, size)| {
            let memory = std::ptr::with_exposed_provenance::<u8>(address);
            let mut run = 0;
            (0..size).any(|at| {
                // SAFETY: the memory is not given back before `made` goes, and every byte of it was
                // filled when it was allocated. That it is a byte is all that is asked.
                let byte = unsafe { memory.add(at).read_volatile() };
                run = if byte == POISON { run + 1 } else { 0 };
                run == bytes
            })
        });
    drop(made);
    found
}

/// Notes that memory came, or went if its size is 0.
fn note(memory: *mut u8, layout: Layout, size: usize) {
    if !IS_WATCHED.get() || layout.align() < LINE {
        return;
    }
    let mut watched = WATCHED.get();
    let address = memory.expose_provenance();
    let old = watched.iter_mut().find(|(at, _)| *at == address);
    match (old, size) {
        (Some(old), 0) => *old = (0, 0),
        (Some(old), _) => old.1 = size,
        (None, 0) => {}
        (None, _) => {
            // What there is no room for is not watched.
            let free = watched.iter_mut().find(|(at, _)| *at == 0);
            free.into_iter().for_each(|free| *free = (address, size));
        }
    }
    WATCHED.set(watched);
}

/// The allocator of the system, whose memory is filled.
pub struct Poisoned;

// SAFETY: all memory is that of `System`, asked for and given back as it was asked of this; what is
// written lies within it.
unsafe impl GlobalAlloc for Poisoned {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if refuses() {
            return null_mut();
        }
        // SAFETY: the size is not zero (by the caller).
        let memory = unsafe { System.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: so many bytes were allocated just now, and nobody else has them.
            unsafe { memory.write_bytes(POISON, layout.size()) };
            note(memory, layout, layout.size());
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        note(memory, layout, 0);
        // SAFETY: so many bytes were allocated by `alloc` or `realloc`, and nobody uses them any
        // more (by the caller).
        unsafe {
            memory.write_bytes(GONE, layout.size());
            System.dealloc(memory, layout);
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if refuses() {
            return null_mut();
        }
        // SAFETY: the size is not zero (by the caller).
        let memory = unsafe { System.alloc_zeroed(layout) };
        note(memory, layout, layout.size());
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if refuses() {
            return null_mut();
        }
        // SAFETY: this memory was allocated with this layout, and the size is neither zero nor too
        // large (by the caller).
        let new = unsafe { System.realloc(memory, layout, size) };
        if let (false, Some(more)) = (new.is_null(), size.checked_sub(layout.size())) {
            // SAFETY: so many bytes are there behind those that there were, and nobody else has
            // them.
            unsafe { new.add(layout.size()).write_bytes(POISON, more) };
        }
        if !new.is_null() {
            note(memory, layout, 0);
            note(new, layout, size);
        }
        new
    }
}
