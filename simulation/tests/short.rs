//! A few short games, so that a change of lath that breaks one is noticed by `cargo test`.

use lath_simulation::program::from_seed;
use lath_simulation::{play, play_with_faults};

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
