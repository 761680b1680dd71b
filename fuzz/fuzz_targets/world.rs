//! The game that plays everything: bytes are a program of all public calls.

#![no_main]

use lath_simulation::program::from_bytes;
use lath_simulation::{play, play_with_faults};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The first byte says whether callbacks panic; so many steps fit into the time that an input
    // has.
    let [way, bytes @ ..] = bytes else { return };
    let program = from_bytes(&bytes[..bytes.len().min(8 * 60)]);
    if way % 4 == 0 { play_with_faults(&program) } else { play(&program) }
});
