//! A process that is killed while it saves, at any moment, leaves the old save or the new one,
//! whole.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::things::{MixedColumns, PlainRow, Subject};
use common::world::{Score, empty};
use fastrand::Rng;
use lath_snapshot::{Load, Snapshot, Write};

const CHILD: &str = "LATH_KILLED_CHILD";

/// What the child does, when it is one: saves again and again, each time another world.
#[test]
fn a_child_saves_until_it_is_killed() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let mut world = empty();
    let mut points = 0;
    loop {
        points += 1;
        world.insert(Score { points, names: vec![format!("save {points}")] });
        for n in 0..40 {
            world.spawn(PlainRow::new(n));
            world.spawn(MixedColumns::new(n));
        }
        if points % 50 == 0 {
            world.pool_mut::<PlainRow>().clear();
            world.pool_mut::<MixedColumns>().clear();
        }
        Write::new().to_file(&Snapshot::take(&world).unwrap(), &path).unwrap();
    }
}

fn child(path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_child_saves_until_it_is_killed"]).env(CHILD, path);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("lath-killed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn killed_at_any_moment_the_save_is_the_old_one_or_the_new_one() {
    let folder = folder();
    let path = folder.join("game.lath");
    let mut random = Rng::new();
    let (mut whole, mut written) = (0, 0);
    for round in 0..300 {
        let mut child = child(&path);
        // Mostly while it is saving; sometimes before it has begun. On a busy machine that is later.
        let most = if written > 1 { 30_000 } else { 30_000 * (1 + round) };
        std::thread::sleep(Duration::from_micros(random.u64(..most)));
        child.kill().unwrap();
        child.wait().unwrap();
        if !path.exists() {
            continue;
        }
        let mut world = empty();
        Load::new()
            .from_file(&mut world, &path)
            .unwrap_or_else(|error| panic!("round {round}: {error}"));
        let Score { points, names } = world.resource::<Score>().clone();
        assert_eq!(names, [format!("save {points}")]);
        let things = (points % 50) as usize * 40;
        assert_eq!(
            (world.pool::<PlainRow>().len(), world.pool::<MixedColumns>().len()),
            (things, things),
            "round {round}"
        );
        whole += 1;
        written = written.max(points);
    }
    assert!(
        whole > 100 && written > 1,
        "the children came to save: {whole} saves were there, up to number {written}"
    );
    // What the killed have left behind goes with the next save.
    let left = || fs::read_dir(&folder).unwrap().count();
    Write::new().to_file(&Snapshot::take(&empty()).unwrap(), &path).unwrap();
    if cfg!(any(unix, windows)) {
        assert_eq!(left(), 1, "only the save is left");
    }
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_save_that_cannot_be_written_leaves_the_old_one() {
    let folder = folder().join("refused");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("game.lath");
    let world = empty();
    let snapshot = Snapshot::take(&world).unwrap();
    Write::new().to_file(&snapshot, &path).unwrap();
    let before = fs::read(&path).unwrap();
    // A folder where the file should go: the rename is refused.
    let taken = folder.join("taken");
    fs::create_dir_all(taken.join("inside")).unwrap();
    assert!(Write::new().to_file(&snapshot, &taken).is_err());
    assert!(Write::new().to_file(&snapshot, folder.join("no/such/folder.lath")).is_err());
    assert!(Write::new().to_file(&snapshot, "/").is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left lying about");
    fs::remove_dir_all(&folder).unwrap();
}
