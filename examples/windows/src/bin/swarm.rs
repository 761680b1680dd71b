//! A million particles in a window, in rows or in columns, on one thread or on several, with the
//! times on screen.
//!
//! Run: `cargo run --release -p lath-windows --bin swarm`

#![forbid(unsafe_code)]

use std::process::ExitCode;

use lath_windows::arguments::{Rest, Show, number};
use lath_windows::show::{main as run_main, show};
use lath_windows::swarm::{Layout, Options, SwarmDemo, compare, disc};

const USAGE: &str = "\
usage: cargo run --release -p lath-windows --bin swarm [-- options]

Particles in rows and in columns: space switches the layout, t the number of threads, a goes through all by itself, p pauses,
escape ends.

  --particles N   how many, 1 to 10000000                (1000000)
  --layout L      rows or columns, at first              (rows)
  --threads N     up to how many threads, 1 to 64        (as many as there are processors)
  --tour          goes through all layouts and numbers of threads by itself
  --headless      measures all of them without drawing, for 60 ticks each or as many as `--frames` says
";

fn main() -> ExitCode {
    run_main("swarm", USAGE, || {
        let (mut options, mut most, mut headless) = (
            Options {
                particles: 1_000_000,
                layout: Layout::Rows,
                threads: Vec::new(),
                tour: false,
            },
            std::thread::available_parallelism().map_or(2, |threads| threads.get() as u32),
            false,
        );
        let how = Show::parse(std::env::args().skip(1), |option, rest| {
            match option {
                "--particles" => options.particles = number(option, rest, 1, 10_000_000)?,
                "--threads" => most = number(option, rest, 1, 64)?,
                "--layout" => options.layout = layout(rest)?,
                "--tour" => options.tour = true,
                "--headless" => headless = true,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if how.help {
            return Ok(false);
        }
        // One, two, four, and so on, and all of them.
        options.threads =
            (0..).map(|n| 1 << n).take_while(|threads| *threads < most as usize).collect();
        options.threads.push(most as usize);
        if headless {
            measure(&options, how.frames.unwrap_or(60))?;
        } else {
            show(&mut SwarmDemo::new(options), &how)?;
        }
        Ok(true)
    })
}

fn layout(rest: &mut Rest<'_>) -> Result<Layout, String> {
    match rest.next().as_deref() {
        Some("rows") => Ok(Layout::Rows),
        Some("columns") => Ok(Layout::Columns),
        _ => Err("`--layout` needs `rows` or `columns` after it".into()),
    }
}

fn measure(options: &Options, ticks: u32) -> Result<(), String> {
    println!("{} particles, {ticks} ticks; milliseconds for a tick\n", options.particles);
    println!("{:<9} {:>7} {:>9} {:>9}", "layout", "threads", "fastest", "mean");
    let runs = compare(&disc(options.particles), ticks, &options.threads)?;
    for run in &runs {
        let [fastest, mean] = [run.fastest, run.mean].map(|time| time.as_secs_f64() * 1000.0);
        println!("{:<9} {:>7} {fastest:>9.2} {mean:>9.2}", run.layout.name(), run.threads);
    }
    println!("\nthe same particles in all of them, to the last bit: {:016x}", runs[0].checksum);
    Ok(())
}
