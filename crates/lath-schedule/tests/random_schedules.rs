//! Random schedules do what an obviously right model does that calls their systems one by one: see
//! `games/schedules.rs`.

mod common;
#[path = "games/schedules.rs"]
mod schedules;

use common::dice::Dice;
use schedules::{Outcome, case, compare};

#[test]
fn random_schedules_do_what_their_systems_do_one_by_one() {
    let (mut ran, mut circles) = (0, 0);
    for seed in 0..250 {
        let threads = [1, 2, 3, 1, 1, 2, 4, 3];
        let ways: Vec<_> =
            (0..).zip(threads).map(|(how, n)| (n, (how > 2).then_some(seed * 10 + how))).collect();
        match compare(&case(&mut Dice::with_seed(seed)), &ways, &format!("seed {seed}")) {
            Outcome::Ran => ran += 1,
            Outcome::Circle => circles += 1,
        }
    }
    assert!(ran > 150 && circles > 20, "{ran} schedules and {circles} circles");
}
