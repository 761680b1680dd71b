//! A small battle that goes on for ever, to be looked at in a browser.
//!
//! Shows: what the inspector needs of a program (a derive, two calls a tick), and everything the
//! page can do.
//!
//! Run: `cargo run --release -p lath-inspect --example inspect -- [address] [actors]`, then open
//! the address that it prints.

mod battle;

use std::time::{Duration, Instant};

use battle::{Actor, Camp};
use lath_inspect::Inspector;
use lath_schedule::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:7878".to_owned());
    let actors = arguments.next().map_or(Ok(5000), |count| count.parse())?;

    let mut world = World::new();
    battle::populate(&mut world, actors);
    let mut schedule = battle::systems();

    let mut inspector = Inspector::bind(&address)?;
    inspector.pool::<Actor>().pool::<Camp>();
    inspector.count_spawns::<Actor>(&mut world);
    println!("open http://{}", inspector.address().expect("bound just now"));

    loop {
        let next = Instant::now() + Duration::from_micros(16_667);
        for _ in 0..inspector.steps() {
            schedule.run(&mut world);
        }
        inspector.update(&mut world, &mut schedule);
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}
