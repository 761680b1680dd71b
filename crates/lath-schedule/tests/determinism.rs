//! The same bytes, handles included, on any number of threads and in any order that conflicts
//! allow.
//!
//! `LATH_TICKS` is how many ticks each run takes, `LATH_THINGS` how many things there are:
//! `scripts/determinism.sh` runs a thousand ticks. The defaults are for an unoptimised build.

#[path = "common/town.rs"]
mod town;

use std::time::Duration;

use lath_schedule::Schedule;

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is {text:?}, not a number"))
    })
}

/// The checksum of every few ticks, so that a difference is found near where it begins.
fn play(set_up: impl FnOnce(&mut Schedule) -> &mut Schedule, serial: bool) -> Vec<u64> {
    let (ticks, things) = (number("LATH_TICKS", 5), number("LATH_THINGS", 50_000));
    let mut world = town::world(things);
    let mut schedule = town::schedule();
    schedule.parallel_from(Duration::ZERO);
    set_up(&mut schedule);
    let mut sums = Vec::new();
    for tick in 1..=ticks {
        if serial {
            schedule.run_serial(&mut world)
        } else {
            schedule.run(&mut world)
        }
        if tick % ticks.div_ceil(20).max(3) == 0 || tick == ticks {
            sums.push(town::checksum(&mut world));
        }
    }
    town::check(&world, things);
    sums
}

#[test]
fn the_world_is_the_same_on_any_number_of_threads_and_in_any_order_that_conflicts_allow() {
    let expected = play(|schedule| schedule, true);
    for threads in [1, 2, 3, 8] {
        assert_eq!(
            play(|schedule| schedule.threads(threads), false),
            expected,
            "on {threads} threads"
        );
    }
    for seed in 0..20 {
        let threads = 1 + seed as usize % 3;
        let shuffled = play(|schedule| schedule.threads(threads).shuffle(Some(seed)), false);
        assert_eq!(shuffled, expected, "with seed {seed} on {threads} threads");
    }
}

#[test]
fn what_is_worth_a_thread_changes_nothing() {
    let expected = play(|schedule| schedule, true);
    assert_eq!(play(|schedule| schedule.parallel_from(Duration::from_micros(30)), false), expected);
    assert_eq!(play(|schedule| schedule.parallel_from(Duration::MAX).threads(2), false), expected);
}
