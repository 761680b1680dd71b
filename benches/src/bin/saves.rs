//! Saves and loads a million things of ten fields, and says how fast that is beside a plain write
//! of as many bytes.
//!
//! Run: `cargo run --release -p lath-benches --bin saves`. The files go to the folder for temporary
//! files; rounds are interleaved and medians are shown. All writes are brought to the disk.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use lath_core::{Handle, Thing};
use lath_schedule::World;
use lath_snapshot::{Load, Save, SaveWorld, Snapshot, Write};

/// Ten fields: eight plain ones, one that serde has to write, and one that few have.
#[derive(Thing, Save, Clone, Default)]
#[thing(columns)]
struct Actor {
    pos: [f32; 3],
    vel: [f32; 3],
    hp: f32,
    armour: f32,
    team: u32,
    kind: u16,
    flags: u16,
    target: Handle<Actor>,
    awake: bool,
    #[thing(cold)]
    name: String,
}

const THINGS: u32 = 1_000_000;
const ROUNDS: usize = 7;

fn actor(n: u32) -> Actor {
    let name = if n % 100 == 0 { format!("actor {n}") } else { String::new() };
    Actor {
        pos: [n as f32; 3],
        hp: n as f32,
        team: n % 7,
        kind: n as u16,
        awake: n % 2 == 0,
        name,
        ..Actor::default()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("lath-saves-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (raw, save, small) =
        (folder.join("raw"), folder.join("save.lath"), folder.join("small.lath"));
    let mut world = World::new();
    world.saves::<Actor>();
    for n in 0..THINGS {
        world.spawn(actor(n));
    }
    let mut snapshot = Snapshot::take(&world)?;
    let bytes = Write::new().to_bytes(&snapshot)?;
    let checksum = snapshot.checksum();

    let mut times = [(); 6].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        times[0].push(time(|| plain(&raw, &bytes))?);
        times[1].push(time(|| Ok(snapshot.take_into(&world)?))?);
        times[2].push(time(|| Ok(Write::new().to_file(&snapshot, &save)?))?);
        times[3].push(time(|| Ok(Load::new().from_file(&mut world, &save)?))?);
        times[4].push(time(|| Ok(Write::new().compressed().to_file(&snapshot, &small)?))?);
        times[5].push(time(|| Ok(Load::new().from_file(&mut world, &small)?))?);
    }
    assert_eq!(Snapshot::take(&world)?.checksum(), checksum);

    println!(
        "{THINGS} things of 10 fields: {} bytes, compressed {}",
        bytes.len(),
        fs::metadata(&small)?.len()
    );
    let names = ["fs::write", "snapshot", "save", "load", "save, LZ4", "load, LZ4"];
    let plain = median(&mut times[0].clone());
    for (name, times) in names.into_iter().zip(&mut times) {
        let seconds = median(times);
        let speed = bytes.len() as f64 / 1e6 / seconds;
        println!(
            "{name:10} {:8.1} ms {speed:8.0} MB/s {:6.2} of fs::write",
            seconds * 1e3,
            seconds / plain
        );
    }
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// A plain write of the same bytes, brought to the disk as well.
fn plain(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    Ok(file.sync_all()?)
}

fn time(
    f: impl FnOnce() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<f64, Box<dyn std::error::Error>> {
    let start = Instant::now();
    f()?;
    Ok(start.elapsed().as_secs_f64())
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
