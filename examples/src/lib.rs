//! A colony: what `cargo run --release` shows.
//!
//! Workers dig, haul, eat and sleep; carts with wheels, riders and mules trade between towns;
//! everybody keeps handles of things that may be gone by the time they are needed, and finds out.
//! More than a hundred thousand things, sixty ticks a second, the same on any number of threads.
//!
//! Where to read on, one noun per file:
//!
//! | file | holds |
//! |---|---|
//! | `object.rs` | the one fat struct, its tags, and what carries what |
//! | `colony.rs` | the world, the order of all systems, saving |
//! | `worker.rs`, `site.rs`, `hall.rs`, `bag.rs` | who digs where, where it is stored, what it is carried in |
//! | `cart.rs`, `market.rs`, `town.rs` | who trades, with whom, and what towns know |
//! | `life.rs`, `day.rs`, `founding.rs` | birth and death, day and night, the beginning |
//! | `pose.rs`, `dice.rs`, `tally.rs` | places, randomness, what has happened so far |
//! | `session.rs`, `input.rs`, `orders.rs` | the loop around it: pace, keys, inspector, saves |
//! | `recording.rs` | runs that are written down and compared later |
//! | `screen.rs`, `map.rs`, `summary.rs`, `arguments.rs` | what is shown, and the command line |

mod arguments;
mod bag;
mod cart;
mod colony;
mod day;
mod dice;
mod founding;
mod hall;
mod input;
mod life;
mod map;
mod market;
mod object;
mod orders;
mod pose;
mod recording;
mod screen;
mod session;
mod site;
mod summary;
mod tally;
mod town;
mod worker;

use std::process::ExitCode;

use arguments::Request;
pub use colony::Colony;
pub use founding::Charter;
pub use orders::Order;

/// The program: reads the command line, and plays.
pub fn run() -> ExitCode {
    let arguments =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    let request = match Request::parse(arguments) {
        Ok(request) => request,
        Err(complaint) => {
            eprintln!("colony: {complaint}");
            return ExitCode::from(2);
        }
    };
    if request.help {
        print!("{}", arguments::USAGE);
        return ExitCode::SUCCESS;
    }
    match session::run(&request) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("colony: {complaint}");
            ExitCode::FAILURE
        }
    }
}
