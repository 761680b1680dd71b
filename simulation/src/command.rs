//! The program: plays for so many seconds, as `world SECONDS [SEED]`. Without a seed it begins with
//! one of the clock's.

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::explain;
use crate::game::{Crowd, try_play};
use crate::program::{Call, from_seed};

/// Steps of a program.
const STEPS: usize = 300;

/// Plays as the arguments say.
pub fn run() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Some(Ok(seconds)), seed, None) = (arguments.next(), arguments.next(), arguments.next())
    else {
        eprintln!("usage: world SECONDS [SEED]");
        return ExitCode::from(2);
    };
    let clock =
        || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
    let mut seed = match seed {
        Some(Ok(seed)) => seed,
        Some(Err(_)) => {
            eprintln!("usage: world SECONDS [SEED]");
            return ExitCode::from(2);
        }
        None => clock(),
    };
    let (start, first) = (Instant::now(), seed);
    let mut steps = 0;
    while start.elapsed() < Duration::from_secs(seconds) {
        let mut program = from_seed(seed, STEPS);
        // Every third program is played by a world in which callbacks panic.
        let crowd = if seed % 3 == 0 { Crowd::Faults } else { Crowd::All };
        if crowd == Crowd::Faults {
            program.retain(|step| step.call != Call::Beside); // see `known.rs`
        }
        if let Err(failure) = try_play(&program, crowd) {
            println!("seed {seed} fails at {failure}\n\nmaking it shorter …");
            println!("\n{}", explain(&program, crowd, failure));
            return ExitCode::FAILURE;
        }
        steps += STEPS;
        seed += 1;
    }
    println!("{} programs from seed {first} on, {steps} steps, no failure", seed - first);
    ExitCode::SUCCESS
}
