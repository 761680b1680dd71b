//! Random calls of every kind on a `FixedPool`: see `games/fixed.rs`.

mod common;
#[path = "games/fixed.rs"]
mod fixed;

use common::dice::Dice;

#[test]
fn a_fixed_pool_agrees_with_the_oracle() {
    for seed in 0..20 {
        fixed::play(Dice::with_seed(seed), 500);
    }
}
