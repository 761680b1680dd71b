//! Trees against a naive model: see `games/tree.rs`. A failure prints the seed and the step;
//! `LATH_MODEL_SEED=7` plays that seed alone.

mod common;
#[path = "games/tree.rs"]
mod forest;

use common::dice::Dice;

#[test]
fn the_trees_agree_with_a_naive_model() {
    let only: Option<u64> = std::env::var("LATH_MODEL_SEED").ok().map(|seed| seed.parse().unwrap());
    for seed in only.map_or(0..24, |seed| seed..seed + 1) {
        forest::play(Dice::with_seed(seed), 200);
    }
}
