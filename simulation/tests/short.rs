//! A few short games, so that a change of lath that breaks one is noticed by `cargo test`.

use lath_simulation::program::from_seed;
use lath_simulation::{play, play_with_faults};

#[global_allocator]
static POISONED: lath_simulation::poison::Poisoned = lath_simulation::poison::Poisoned;

#[test]
fn all_routes_lead_to_the_same_world() {
    for seed in 0..12 {
        play(&from_seed(seed, 120));
    }
}

#[test]
fn a_world_in_which_callbacks_panic_stays_whole() {
    for seed in 100..112 {
        play_with_faults(&from_seed(seed, 120));
    }
}

#[test]
fn memory_that_nobody_has_written_is_noticed() {
    use lath_simulation::poison;

    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[expect(dead_code, reason = "is only there")] [u64; 8]);
    let line = Line([7; 8]);

    assert!(poison::is_in_what(16, || Vec::<Line>::with_capacity(100)));
    assert!(!poison::is_in_what(16, || vec![line; 100]));
    assert!(poison::is_in_what(16, || {
        let mut grown = vec![line; 100];
        grown.reserve(200);
        grown
    }));
    assert!(poison::is_in(&[0xA7; 8]) && !poison::is_in(&[0xA7; 7]));
    assert!(poison::is_in_text(&format!("(n: {})", u64::from_ne_bytes([0xA7; 8]))));
}
