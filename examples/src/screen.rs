//! What is shown while the colony runs: a live picture in a terminal, plain lines elsewhere.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _, stdout};
use std::time::{Duration, Instant};

use lath::prelude::*;

use crate::colony::Colony;
use crate::day::Phase;
use crate::map;
use crate::object::Tags;
use crate::summary::{Times, stale};
use crate::tally::News;

const MAP: (usize, usize) = (44, 14);
/// A live picture is drawn so often, and a plain line written.
const FRAME: Duration = Duration::from_millis(250);
const LINE: Duration = Duration::from_secs(1);

pub(crate) struct Screen {
    live: bool,
    colours: bool,
    headless: bool,
    shown: Option<Instant>,
    ticks_shown: u64,
    /// Below the picture: what should stay there, and what was said last.
    note: String,
    message: String,
}

impl Screen {
    pub(crate) fn new(headless: bool) -> Self {
        let live = !headless && stdout().is_terminal();
        let colours = live && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            live,
            colours,
            headless,
            shown: None,
            ticks_shown: 0,
            note: String::new(),
            message: String::new(),
        }
    }

    /// Says something that should be read.
    pub(crate) fn say(&mut self, text: &str) {
        println!("{text}");
        self.message = text.to_owned();
        self.shown = None;
    }

    /// Says something that should stay there to be read.
    pub(crate) fn note(&mut self, text: &str) {
        println!("{text}");
        self.note = text.to_owned();
    }

    /// Shows how the colony is doing, if it is time.
    pub(crate) fn show(&mut self, colony: &Colony, times: &Times, until: Option<u64>) {
        let tick = colony.clock().tick;
        let is_time = match (self.headless, self.shown) {
            (true, _) => tick % (until.unwrap_or(0) / 10).max(1) == 0 && tick != self.ticks_shown,
            (false, None) => true,
            (false, Some(shown)) => shown.elapsed() >= if self.live { FRAME } else { LINE },
        };
        if !is_time {
            return;
        }
        let first = self.shown.is_none();
        let seconds = self.shown.map_or(0.0, |shown| shown.elapsed().as_secs_f32());
        let rate = if seconds > 0.0 { (tick - self.ticks_shown) as f32 / seconds } else { 0.0 };
        (self.shown, self.ticks_shown) = (Some(Instant::now()), tick);
        if !self.live {
            return println!("{}", line(colony, times));
        }
        let mut out = String::new();
        // Clears the screen once; later the cursor stays where somebody may be typing.
        out.push_str(if first { "\x1b[2J\x1b[H" } else { "\x1b7\x1b[H" });
        out.push_str("\x1b[?7l"); // what is too long for a line is cut off
        let lines = picture(colony, times, rate, self.colours);
        for line in lines.iter().chain([&self.note, &self.message]) {
            let _ = write!(out, "{line}\x1b[K\r\n");
        }
        out.push_str("\x1b[?7h");
        out.push_str(if first { "> " } else { "\x1b8" });
        print!("{out}");
        stdout().flush().ok();
    }

    /// Leaves the picture, so that what follows is below it.
    pub(crate) fn leave(&self) {
        if self.live {
            println!("\x1b[2J\x1b[H");
        }
    }
}

fn line(colony: &Colony, times: &Times) -> String {
    let (tally, (mean, most)) = (colony.tally(), times.lately());
    format!(
        "tick {:>7}  {:>5}  {} things  mined {}  stored {}  sold {}  born {}  died {}  stale {}  {mean:.2} ms a tick, {most:.2} at most",
        colony.clock().tick,
        phase(colony),
        colony.objects().len(),
        tally.of(News::Mined),
        tally.of(News::Stored),
        tally.of(News::Sold),
        tally.of(News::Born),
        tally.of(News::Died),
        stale(colony),
    )
}

fn picture(colony: &Colony, times: &Times, rate: f32, colours: bool) -> Vec<String> {
    let (tally, clock, objects) = (colony.tally(), colony.clock(), colony.objects());
    let of = |news| grouped(tally.of(news));
    let tagged = |tags| grouped(objects.count_tagged(tags) as u64);
    let ((day, hour), (mean, most)) = (clock.day_and_hour(), times.lately());
    let mut lines = vec![
        format!(
            "colony {}   day {day}, {hour:02}:00 ({})   tick {}   {rate:.0} a second   {mean:.2} ms each, {most:.2} at most",
            colony.charter().seed,
            phase(colony),
            grouped(clock.tick)
        ),
        format!(
            "{} things: {} workers, {} asleep; {} carts; {} items, {} bags; {} lie about; {} offers",
            grouped(objects.len() as u64),
            tagged(Tags::WORKER),
            tagged(Tags::ASLEEP),
            tagged(Tags::CART),
            tagged(Tags::ITEM),
            tagged(Tags::BAG),
            tagged(Tags::LOOSE),
            colony.offers().len()
        ),
        format!(
            "mined {}, stored {}, bought {}, sold {}, eaten {}",
            of(News::Mined),
            of(News::Stored),
            of(News::Bought),
            of(News::Sold),
            of(News::Eaten)
        ),
        format!(
            "born {}, died {}, slots used again {}, stale handles noticed {}",
            of(News::Born),
            of(News::Died),
            of(News::Reused),
            grouped(stale(colony))
        ),
        String::new(),
    ];
    let mut systems = colony.report().lines;
    systems.sort_by_key(|system| std::cmp::Reverse(system.mean * system.runs.min(1 << 30) as u32));
    let table = std::iter::once(format!("{:<22} {:>9} {:>9}", "system", "last", "mean")).chain(
        systems.iter().map(|system| {
            let name: String =
                system.name.rsplit(" / ").next().unwrap_or_default().chars().take(22).collect();
            format!(
                "{name:<22} {:>9} {:>9}",
                format!("{:.1?}", system.last),
                format!("{:.1?}", system.mean)
            )
        }),
    );
    let rows = map::draw(colony, MAP.0, MAP.1, colours);
    lines.extend(rows.into_iter().zip(table).map(|(row, system)| format!("{row} | {system}")));
    lines.push(map::legend(colours));
    lines
}

fn phase(colony: &Colony) -> &'static str {
    match colony.world.resource::<State<Phase>>().get() {
        Phase::Day => "day",
        Phase::Night => "night",
    }
}

/// 1234567 as `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| String::from_utf8_lossy(group).into_owned())
        .collect();
    groups.join(",")
}
