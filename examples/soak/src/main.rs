//! Worlds that are changed, saved, loaded, rolled back and bothered for as long as you like: first
//! the showcase, then one of beings and letters.
//!
//! Each round plays some ticks on several threads, goes back and plays some of them again, saves
//! the world and goes on in the one that was loaded, and replays all of it on one thread from where
//! the round began: every tick comes to the same checksum. Meanwhile clients of the inspector send
//! what they should not. In the end nothing was lost, every good request was answered, and memory,
//! threads and open files are what they were after the first rounds.
//!
//! Run: `scripts/soak.sh MINUTES`, or `cargo run --release -p lath-soak -- SECONDS [SEED]`

mod beings;
mod clients;
mod heap;
mod stories;

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clients::Clients;
use lath::inspect::Inspector;
use lath::prelude::*;
use lath::{Load, Write};
use stories::{Beings, Showcase, Story};

/// Ticks of a round, and how many of them are remembered.
const TICKS: u64 = 60;
const REMEMBERED: usize = 16;

/// So many rounds pass before the first that count: until then pools and buffers grow to the size
/// that they need.
const SETTLED: u64 = 50;
/// So many rounds are looked at together.
const WINDOW: u64 = 10;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Some(Ok(seconds)), Some(Ok(seed)), None) =
        (arguments.next(), arguments.next().or(Some(Ok(1))), arguments.next())
    else {
        eprintln!("usage: lath-soak SECONDS [SEED]");
        std::process::exit(2);
    };
    let half = Duration::from_secs(seconds) / 2;
    soak::<Showcase>(half, seed);
    soak::<Beings>(half, seed);
}

/// Plays rounds of a story for so long.
fn soak<S: Story>(time: Duration, seed: u64) {
    let end = Instant::now() + time;
    let mut soak = Soak::<S>::new(seed);
    // What clients are sending just now takes memory too: the least of some rounds is what the
    // world needs.
    let (mut early, mut late) = (usize::MAX, VecDeque::new());
    while Instant::now() < end || soak.rounds < SETTLED + 2 * WINDOW {
        let used = soak.round();
        if soak.rounds > SETTLED && soak.rounds <= SETTLED + WINDOW {
            early = early.min(used);
        }
        late.push_back(used);
        if late.len() as u64 > WINDOW {
            late.pop_front();
        }
        if soak.rounds % 50 == 0 {
            println!("{}, {} kB of heap", soak.summary(), used / 1024);
        }
    }
    let summary = soak.summary();
    soak.finish();
    println!("{summary}");
    let late = late.into_iter().min().expect("some rounds");
    println!("{} kB of heap in the first rounds, {} kB in the last", early / 1024, late / 1024);
    // The population is not always the same; what leaks grows with every round.
    assert!(late <= early + early / 4, "memory grew from {early} to {late} bytes");
}

struct Soak<S> {
    world: World,
    /// Where it is replayed on one thread.
    shadow: World,
    schedule: Schedule,
    serial: Schedule,
    history: History,
    inspector: Inspector,
    clients: Clients,
    random: fastrand::Rng,
    folder: PathBuf,
    files_and_threads: (usize, usize),
    rounds: u64,
    ticks: u64,
    rollbacks: u64,
    loads: u64,
    story: PhantomData<S>,
}

impl<S: Story> Soak<S> {
    fn new(seed: u64) -> Self {
        let files_and_threads = (count("/proc/self/fd"), count("/proc/self/task"));
        let mut inspector = Inspector::options()
            .client_timeout(Duration::from_millis(600))
            .world_timeout(Duration::from_secs(300))
            .bind("127.0.0.1:0")
            .expect("a free port");
        S::show(&mut inspector);
        let clients = Clients::start(inspector.address().expect("it was bound"), S::REQUESTS);
        let folder = std::env::temp_dir().join(format!("lath-soak-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for saves");
        Self {
            world: S::populated(seed),
            shadow: S::empty(),
            schedule: S::on_threads(3),
            serial: S::on_threads(1),
            history: History::new(REMEMBERED),
            inspector,
            clients,
            random: fastrand::Rng::with_seed(seed),
            folder,
            files_and_threads,
            rounds: 0,
            ticks: 0,
            rollbacks: 0,
            loads: 0,
            story: PhantomData,
        }
    }

    /// Plays a round. Answers how many bytes of heap were in use at its end.
    fn round(&mut self) -> usize {
        let start = Snapshot::take(&self.world).expect("a snapshot");
        let mut sums = Vec::new();
        while (sums.len() as u64) < TICKS {
            self.tick(&mut sums);
            if self.random.u8(..12) == 0 {
                self.roll_back(&mut sums);
            }
        }
        self.replay(&start, &sums);
        drop(start);
        if self.random.u8(..3) == 0 {
            self.save_and_load(*sums.last().expect("some ticks"));
        }
        S::check(&self.world)
            .unwrap_or_else(|complaint| panic!("round {}: {complaint}", self.rounds));
        self.rounds += 1;
        heap::used()
    }

    /// One tick, and what the inspector is asked meanwhile. Notes the checksum after it.
    fn tick(&mut self, sums: &mut Vec<u64>) {
        self.history.push(&mut self.world, sums.len() as u64).expect("a snapshot");
        let lot = self.lot(sums.len());
        S::meddle(&mut self.world, lot);
        self.schedule.run(&mut self.world);
        self.inspector.update(&mut self.world, &mut self.schedule);
        sums.push(checksum(&self.world));
        self.ticks += 1;
    }

    /// Goes back some ticks, and plays them again.
    fn roll_back(&mut self, sums: &mut Vec<u64>) {
        let back = self.random.usize(1..REMEMBERED + 4);
        let Some(tick) = sums.len().checked_sub(back) else { return };
        let there =
            self.history.restore(&mut self.world, tick as u64).expect("a snapshot that fits");
        assert_eq!(there, back <= REMEMBERED, "{back} ticks back");
        if there {
            assert_eq!(
                tick.checked_sub(1).map(|before| sums[before]),
                (tick > 0).then(|| checksum(&self.world))
            );
            let first_time = sums.split_off(tick);
            first_time.iter().for_each(|_| self.tick(sums));
            assert_eq!(sums[tick..], first_time[..], "played again, it went another way");
            self.rollbacks += 1;
        }
    }

    /// On one thread everything goes the same way.
    fn replay(&mut self, start: &Snapshot, sums: &[u64]) {
        start.restore(&mut self.shadow).expect("a snapshot that fits");
        for (tick, sum) in sums.iter().enumerate() {
            let lot = self.lot(tick);
            S::meddle(&mut self.shadow, lot);
            self.serial.run(&mut self.shadow);
            assert_eq!(
                checksum(&self.shadow),
                *sum,
                "tick {tick} of round {} on one thread",
                self.rounds
            );
        }
    }

    /// What is thrown before a tick of this round.
    fn lot(&self, tick: usize) -> u64 {
        fastrand::Rng::with_seed(self.rounds * TICKS + tick as u64).u64(..)
    }

    /// Through a file, into another world, in which it goes on.
    fn save_and_load(&mut self, sum: u64) {
        let path = self.folder.join("world.lath");
        Write::new()
            .to_file(&Snapshot::take(&self.world).expect("a snapshot"), &path)
            .expect("a save");
        let mut loaded = S::empty();
        Load::new().from_file(&mut loaded, &path).expect("what was saved");
        assert_eq!(checksum(&loaded), sum, "what was loaded is not what was saved");
        S::check(&loaded).unwrap_or_else(|complaint| {
            panic!("after a load in round {}: {complaint}", self.rounds)
        });
        self.world = loaded;
        self.schedule = S::on_threads(3);
        self.history = History::new(REMEMBERED);
        self.loads += 1;
    }

    fn summary(&self) -> String {
        let Self { rounds, ticks, rollbacks, loads, .. } = self;
        let name = S::NAME;
        format!(
            "{name}: {rounds} rounds, {ticks} ticks, {rollbacks} rollbacks, {loads} saves and loads"
        )
    }

    /// Ends everything, and looks whether anything is left.
    fn finish(self) {
        let Self {
            clients,
            inspector,
            folder,
            files_and_threads,
            schedule,
            serial,
            world,
            shadow,
            ..
        } = self;
        // The world goes on until the last client is gone: somebody may be waiting for an answer.
        let (mut world, mut schedule, mut inspector) = (world, schedule, inspector);
        let ending = std::thread::spawn(move || clients.stop());
        while !ending.is_finished() {
            inspector.update(&mut world, &mut schedule);
            std::thread::sleep(Duration::from_millis(1));
        }
        let (answered, bad) =
            ending.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        drop((inspector, schedule, serial, world, shadow));
        std::fs::remove_dir_all(folder).expect("the folder of saves");
        println!("{answered} requests answered beside {bad} bad ones");
        // The threads of connections end soon after those of their clients.
        let now = || (count("/proc/self/fd"), count("/proc/self/task"));
        let deadline = Instant::now() + Duration::from_secs(300);
        while now() > files_and_threads && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(50));
        }
        let left = now();
        println!("files and threads: {files_and_threads:?} at first, {left:?} in the end");
        assert!(left.0 <= files_and_threads.0, "files were left open");
    }
}

fn checksum(world: &World) -> u64 {
    Snapshot::take(world).expect("a snapshot").checksum()
}

/// How many entries a folder has; none if there is no such folder, as on other systems than Linux.
fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).map_or(0, |entries| entries.count())
}
