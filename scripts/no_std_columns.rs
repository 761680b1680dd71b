//! Compiled by `scripts/check.sh` against `lath` without its `std` feature: columns and views need
//! a heap and nothing else.
//!
//! There can be one panic handler only, and std has one: if anything below brought std in, this
//! would be an error.

#![no_std]

use lath::prelude::*;

/// A thing, so that the derive's code for columns is compiled without std as well.
#[derive(Thing, Default)]
#[thing(columns)]
pub struct Voice {
    /// A column.
    pub pitch: f32,
    /// Beside the generation.
    #[thing(hot)]
    pub volume: f32,
    /// On the heap.
    #[thing(cold)]
    pub bend: Option<f32>,
}

/// Loops over a view.
pub fn fade(voices: &mut Pool<Voice>) {
    voices.view_mut::<(Mut<voice::volume>, Ref<voice::pitch>)>().each(|(mut volume, pitch)| *volume -= *pitch * 0.01);
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
