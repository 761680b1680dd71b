//! A session: the loop around the colony. Pace, keys, inspector, recordings and saves are here, and
//! nowhere in the colony itself.

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use lath::inspect::Inspector;
use lath::prelude::*;

use crate::arguments::Request;
use crate::colony::Colony;
use crate::day::TICKS_PER_SECOND;
use crate::founding::Charter;
use crate::input::{self, Input};
use crate::object::Object;
use crate::recording::{CHECK_EVERY, Recorder, Recording};
use crate::screen::Screen;
use crate::summary::{Times, summary};
use crate::tally::News;

const SEED: u64 = 1;
const THINGS: u32 = 150_000;
/// Where nobody can press a key, so many ticks are enough.
const TICKS: u64 = 2000;
const ADDRESS: &str = "127.0.0.1:7878";

struct Session {
    colony: Colony,
    until: Option<u64>,
    paced: bool,
    save: Option<PathBuf>,
    recorder: Option<Recorder>,
    replay: Option<Recording>,
    inspector: Option<Inspector>,
    inputs: Receiver<Input>,
    screen: Screen,
    times: Times,
}

/// Does what was asked for on the command line.
pub(crate) fn run(request: &Request) -> Result<(), String> {
    let replay = request.replay.as_deref().map(Recording::read).transpose()?;
    let keep = (request.save.is_some() || !request.headless)
        && replay.is_none()
        && request.record.is_none();
    let charter = match &replay {
        Some(recording) => recording.charter,
        None => {
            Charter { seed: request.seed.unwrap_or(SEED), things: request.things.unwrap_or(THINGS) }
        }
    };
    let usual = || PathBuf::from(format!("colony-{}-{}.lath", charter.seed, charter.things));
    let save = keep.then(|| request.save.clone().unwrap_or_else(usual));
    if let Some(path) = &save {
        check_folder(path)?;
    }

    let until = match &replay {
        Some(recording) => Some(recording.ticks),
        None if request.headless || !stdout().is_terminal() => Some(request.ticks.unwrap_or(TICKS)),
        None => request.ticks,
    };
    let saved = save.as_deref().filter(|path| !request.fresh && path.exists());
    let mut colony = match saved {
        Some(path) => resume(path, request, until)?,
        None => Colony::found(charter),
    };
    if let Some(threads) = request.threads {
        colony.threads(threads);
    }
    let recorder =
        request.record.as_deref().map(|path| Recorder::create(path, charter)).transpose()?;

    let mut screen = Screen::new(request.headless);
    let Charter { seed, things } = colony.charter();
    match saved {
        Some(path) => screen.say(&format!(
            "colony {seed} goes on from {} at tick {}",
            path.display(),
            colony.clock().tick
        )),
        None => screen.say(&format!("colony {seed} is founded with {things} things")),
    }
    let read_only = recorder.is_some() || replay.is_some();
    let inspector =
        if request.headless { None } else { inspect(&mut screen, &mut colony.world, read_only) };
    let inputs = input::listen(!request.headless && replay.is_none());
    let paced = !request.headless;
    Session {
        colony,
        until,
        paced,
        save,
        recorder,
        replay,
        inspector,
        inputs,
        screen,
        times: Times::default(),
    }
    .run()
}

/// Better now than after an hour.
fn check_folder(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(format!("`--save {}`: there is no folder {}", path.display(), folder.display()))
        }
        _ if path.is_dir() => Err(format!("`--save {}`: this is a folder", path.display())),
        _ => Ok(()),
    }
}

/// Goes on from a save, if it is what was asked for.
fn resume(path: &Path, request: &Request, until: Option<u64>) -> Result<Colony, String> {
    let (file, way_out) = (
        path.display(),
        "The file was left as it is; `--fresh` begins anew and replaces it, `--save FILE` takes another",
    );
    let colony = Colony::load(path)
        .map_err(|error| format!("cannot go on from {file}: {error}. {way_out}"))?;
    let Charter { seed, things } = colony.charter();
    if let Some(other) = request.seed.filter(|&other| other != seed) {
        return Err(format!(
            "`--seed {other}`: {file} is of the colony with seed {seed}. {way_out}"
        ));
    }
    if let Some(other) = request.things.filter(|&other| other != things) {
        return Err(format!(
            "`--things {other}`: {file} is of a colony that was founded with {things}. {way_out}"
        ));
    }
    let tick = colony.clock().tick;
    match until {
        Some(until) if until < tick => {
            Err(format!("`--ticks {until}`: {file} is at tick {tick} already. {way_out}"))
        }
        _ => Ok(colony),
    }
}

/// Opens the inspector: at the usual address, or at another if that is taken.
fn inspect(screen: &mut Screen, world: &mut World, read_only: bool) -> Option<Inspector> {
    let bound = Inspector::bind(ADDRESS).or_else(|error| {
        screen.say(&format!("the inspector takes another port: {error}"));
        Inspector::bind("127.0.0.1:0")
    });
    let mut inspector = match bound {
        Ok(inspector) => inspector,
        Err(error) => {
            screen.say(&format!("there is no inspector: {error}"));
            return None;
        }
    };
    Colony::show(&mut inspector);
    inspector.read_only(read_only);
    inspector.count_spawns::<Object>(world);
    if let Some(address) = inspector.address() {
        screen.note(&format!(
            "inspector: http://{address}   type feast, plague, storm or levy; Ctrl-C saves and ends it"
        ));
    }
    Some(inspector)
}

impl Session {
    fn run(mut self) -> Result<(), String> {
        let began = Instant::now();
        let mut next = Instant::now();
        while self.is_due() && self.heed()? {
            let steps = self.inspector.as_mut().map_or(1, Inspector::steps);
            for _ in 0..steps {
                if self.is_due() {
                    self.step()?;
                }
            }
            if let Some(inspector) = &mut self.inspector {
                inspector.chart("items mined", self.colony.tally().of(News::Mined) as f64);
                inspector.update(&mut self.colony.world, &mut self.colony.schedule);
            }
            self.screen.show(&self.colony, &self.times, self.until);
            if self.paced {
                // Who is late is not hurried afterwards.
                next =
                    (next + Duration::from_secs(1) / TICKS_PER_SECOND as u32).max(Instant::now());
                std::thread::sleep(next.saturating_duration_since(Instant::now()));
            }
        }
        self.end(began.elapsed())
    }

    fn is_due(&self) -> bool {
        self.until.is_none_or(|until| self.colony.clock().tick < until)
    }

    /// Does what was ordered since the last tick. Answers whether to go on.
    fn heed(&mut self) -> Result<bool, String> {
        let tick = self.colony.clock().tick;
        if let Some(recording) = &self.replay {
            let due = recording.orders.iter().filter(|&&(at, _)| at == tick);
            due.for_each(|&(_, order)| self.colony.order(order));
        }
        let inputs: Vec<_> = self.inputs.try_iter().collect();
        if inputs.iter().any(|input| matches!(input, Input::Stop)) {
            return Ok(false); // and nothing is begun
        }
        for input in inputs {
            match input {
                Input::Stop => {}
                Input::Unclear(complaint) => self.screen.say(&complaint),
                Input::Order(order) => {
                    self.colony.order(order);
                    self.screen.say(&format!("{order} at tick {tick}"));
                    self.recorder
                        .as_mut()
                        .map_or(Ok(()), |recorder| recorder.order(tick, order))?;
                }
            }
        }
        Ok(true)
    }

    fn step(&mut self) -> Result<(), String> {
        let began = Instant::now();
        self.colony.tick();
        self.times.note(began.elapsed());
        let tick = self.colony.clock().tick;
        if let Some(recorder) = self.recorder.as_mut().filter(|_| tick % CHECK_EVERY == 0) {
            recorder.check(tick, self.colony.checksum())?;
        }
        match &self.replay {
            Some(recording) => recording.compare(tick, || self.colony.checksum()),
            None => Ok(()),
        }
    }

    fn end(mut self, elapsed: Duration) -> Result<(), String> {
        self.screen.leave();
        print!("\n{}\n{}", self.colony.report(), summary(&self.colony, &self.times, elapsed));
        let tick = self.colony.clock().tick;
        if let Some(recorder) = &mut self.recorder {
            recorder.end(tick, self.colony.checksum())?;
        }
        if let Some(recording) = &self.replay {
            recording.compare(tick, || self.colony.checksum())?;
            match tick == recording.ticks {
                true => {
                    println!("replay           the same, {} times compared", recording.checks.len())
                }
                false => println!("replay           stopped at tick {tick} of {}", recording.ticks),
            }
        }
        if let Some(path) = &self.save {
            self.colony
                .save(path)
                .map_err(|error| format!("the colony could not be saved: {error}"))?;
            println!("saved            {}", path.display());
        }
        Ok(())
    }
}
