//! Compiled by `scripts/check.sh` against `lath-core` without its `std` feature.
//!
//! There can be one panic handler only, and std has one: if anything below brought std in, this
//! would be an error.

#![no_std]

use lath_core::{FixedPool, Handle, Thing};

/// A thing, so that the derive's code is compiled without std as well.
#[derive(Thing, Default)]
#[thing(handle(bits = 16, index = 4))]
pub struct Voice {
    /// Something to read.
    pub pitch: u32,
}

/// Uses the pool that needs no heap.
pub fn pitch(voices: &FixedPool<Voice, 8>, voice: Handle<Voice>) -> u32 {
    voices.read(voice).pitch
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
