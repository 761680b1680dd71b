//! A skirmish between two fleets: what `cargo run --release` shows.
//!
//! Ten thousand ships hunt each other by handle, sink, and are replaced in the same slots while shells that were meant
//! for the old ones are still in the air. Nothing is ever told that a ship is gone: handles find out by themselves.
//!
//! | file | holds |
//! |---|---|
//! | `arguments.rs` | the command line |
//! | `sea.rs` | the ships, the shells, and the world that they are in |
//! | `tick.rs` | what happens in one tick: systems, in order |
//! | `dice.rs` | random numbers that depend on the seed only |

mod arguments;
mod dice;
mod sea;
mod tick;

use std::process::ExitCode;
use std::time::Instant;

use arguments::Request;
use sea::Sea;

fn main() -> ExitCode {
    match Request::parse(std::env::args().skip(1)) {
        Ok(request) if request.help => {
            print!("{}", arguments::USAGE);
            ExitCode::SUCCESS
        }
        Ok(request) => {
            run(&request);
            ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("lath-examples: {complaint}");
            ExitCode::from(2)
        }
    }
}

fn run(request: &Request) {
    let Request { ticks, ships, seed, threads, .. } = *request;
    println!("two fleets of {ships} ships in all, {ticks} ticks, seed {seed}\n");
    println!("{:>8} {:>9} {:>9} {:>9} {:>9} {:>14}", "tick", "ships", "shells", "sunk", "prizes", "stale handles");

    let start = Instant::now();
    let mut sea = Sea::new(ships, seed, threads);
    let every = (ticks / 10).max(1);
    for tick in 1..=ticks {
        sea.tick();
        if tick % every == 0 || tick == ticks {
            report(tick, &sea);
        }
    }
    let elapsed = start.elapsed();

    summarise(&sea);
    println!("time             {:.2} s", elapsed.as_secs_f64());
    println!("checksum         {:016x}  (depends on ships, ticks and seed only, not on threads)", sea.checksum());
    if request.report {
        print!("\n{}", sea.report());
    }
}

fn report(tick: u32, sea: &Sea) {
    let tally = sea.tally();
    println!(
        "{tick:>8} {:>9} {:>9} {:>9} {:>9} {:>14}",
        sea.ships().len(),
        sea.shells().len(),
        tally.sunk,
        tally.prizes,
        tally.stale_targets + tally.splashes
    );
}

fn summarise(sea: &Sea) {
    let (stats, tally) = (sea.ships().stats(), sea.tally());
    println!();
    println!("ships            {} live, {} at the most at once, {} ever", stats.live, stats.high_water, tally.launched);
    println!("their slots      {} with memory, generations up to {}", stats.capacity, stats.largest_generation);
    let stats = sea.shells().stats();
    println!("shells           {} in the air, {} at the most at once", stats.live, stats.high_water);
    println!("their slots      generations up to {}, {} retired", stats.largest_generation, stats.retired);
    println!(
        "stale handles    {} targets that had sunk, {} shells whose target had sunk",
        tally.stale_targets, tally.splashes
    );
    println!("good handles     {} lookups, every one of them the ship that was meant", tally.confirmed);
    match sea.check() {
        Ok(()) => println!("invariants       hold"),
        Err(broken) => println!("invariants       BROKEN: {broken}"),
    }
}
