//! The file that a save replaces: what it is afterwards, what stays of it, and what is left when
//! something goes wrong on the way.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lath_schedule::World;
use lath_snapshot::fault::{Fault, Step};
use lath_snapshot::{Load, SaveError, SaveWorld, Snapshot, Write};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("lath-files-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of what is in it, in order.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn snapshot(number: u32) -> Snapshot {
    let mut world = World::new();
    world.saves_resource::<Vec<u32>>();
    world.insert(vec![number; 1000]);
    Snapshot::take(&world).unwrap()
}

fn save(number: u32, path: &Path) -> Result<(), SaveError> {
    Write::new().to_file(&snapshot(number), path)
}

/// The number that was saved; all of it must be there.
fn load(path: &Path) -> Result<u32, SaveError> {
    let mut world = World::new();
    world.saves_resource::<Vec<u32>>();
    Load::new().from_file(&mut world, path)?;
    let all = world.resource::<Vec<u32>>();
    assert!(all.len() == 1000 && all.iter().all(|number| *number == all[0]));
    Ok(all[0])
}

/// What the system said.
fn kind(result: Result<(), SaveError>) -> ErrorKind {
    match result {
        Err(SaveError::Io { error, .. }) => error.kind(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_killed_save_has_left_never_stops_another_and_goes_with_it() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    // Of this process id, which in a container may well be that of the one that was killed.
    let mut left = Vec::new();
    for id in [std::process::id(), 1, u32::MAX] {
        left.extend((0..100).map(|n| format!(".game.lath.{id}-{n}.new")));
        left.extend([format!(".game.lath.{id}-0123456789abcdef.new")]);
    }
    for name in &left {
        fs::write(folder.path(name), "half a save").unwrap();
    }
    // Not ours, though they look like it.
    let others = [
        ".game.lath.1-5.new.txt",
        ".game.lath.backup.new",
        ".game.lath.old-5.new",
        ".game.lath.1-x.new",
        ".game.lath.-5.new",
        ".game.lath.15.new",
        ".other.lath.1-5.new",
        "game.lath.1-5.new",
        ".game.lath.1-.new",
    ];
    for name in others {
        fs::write(folder.path(name), "somebody else's").unwrap();
    }
    fs::create_dir(folder.path(".game.lath.1-77.new.d")).unwrap();
    save(7, &path).unwrap();
    assert_eq!(load(&path).unwrap(), 7);
    let mut stays: Vec<String> = others.iter().map(|name| name.to_string()).collect();
    stays.extend([".game.lath.1-77.new.d".into(), "game.lath".into()]);
    stays.sort();
    assert_eq!(folder.names(), stays);
}

/// Which file a child saves to, and where in that it stops.
const CHILD: &str = "LATH_FILES_CHILD";

#[test]
fn a_child_stops_in_the_middle_of_a_save() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let path = PathBuf::from(path);
    let stop = |step| {
        if step == Step::Sync {
            fs::write(path.with_extension("stopped"), "").unwrap();
            while !path.with_extension("go").exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        None
    };
    Write::new().faults(stop).to_file(&snapshot(5), &path).unwrap();
}

/// A child that is in the middle of a save now.
fn child(path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_child_stops_in_the_middle_of_a_save"]).env(CHILD, path);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !path.with_extension("stopped").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the child has ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn a_save_that_is_under_way_in_another_process_keeps_its_file() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    let mut child = child(&path);
    for number in 0..3 {
        save(number, &path).unwrap();
    }
    assert_eq!(
        folder.names().len(),
        3,
        "the save, a sign, and the child's file: {:?}",
        folder.names()
    );
    fs::write(path.with_extension("go"), "").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(load(&path).unwrap(), 5, "the child was last");
    assert_eq!(folder.names(), ["game.go", "game.lath", "game.stopped"]);
}

#[test]
fn a_save_that_was_killed_in_another_process_leaves_a_file_until_the_next_one() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    save(1, &path).unwrap();
    let mut child = child(&path);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(folder.names().len(), 3, "the save, a sign, and what is left");
    assert_eq!(load(&path).unwrap(), 1);
    save(2, &path).unwrap();
    assert_eq!(folder.names(), ["game.lath", "game.stopped"]);
}

#[test]
fn many_saves_of_one_file_at_once_all_succeed() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    std::thread::scope(|threads| {
        for number in 0..8 {
            let path = &path;
            threads.spawn(move || (0..20).for_each(|_| save(number, path).unwrap()));
        }
    });
    assert!(load(&path).unwrap() < 8);
    assert_eq!(folder.names(), ["game.lath"]);
}

#[test]
fn a_file_with_the_longest_name_can_be_saved() {
    let folder = Folder::new();
    let path = folder.path(&"x".repeat(255));
    save(1, &path).unwrap();
    let killed = |step| (step == Step::Sync).then_some(Fault::Killed);
    Write::new().faults(killed).to_file(&snapshot(2), &path).unwrap_err();
    assert_eq!(folder.names().len(), 2);
    save(3, &path).unwrap();
    assert_eq!((folder.names().len(), load(&path).unwrap()), (1, 3));
}

/// Every step of a save, over another one or not.
fn steps(old: Option<u32>) -> Vec<Step> {
    let folder = Folder::new();
    old.iter().for_each(|old| save(*old, &folder.path("game.lath")).unwrap());
    let mut steps = Vec::new();
    let note = |step| {
        steps.push(step);
        None
    };
    Write::new().faults(note).to_file(&snapshot(1), folder.path("game.lath")).unwrap();
    steps
}

#[test]
fn whatever_step_fails_the_save_is_the_old_one_or_the_new_one_and_nothing_is_left() {
    let first = steps(None);
    let writes = first.iter().filter(|step| **step == Step::Write).count();
    assert!(writes >= 4, "a save has some parts, for tests: {first:?}");
    let others: Vec<_> = first.iter().filter(|step| **step != Step::Write).collect();
    assert_eq!(others, [&Step::Open, &Step::Sync, &Step::Rename, &Step::SyncFolder]);
    for old in [None, Some(1)] {
        let steps = steps(old);
        assert_eq!(steps.contains(&Step::Permissions), old.is_some());
        for (failing, step) in steps.iter().enumerate() {
            for error in [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other] {
                let folder = Folder::new();
                let path = folder.path("game.lath");
                old.iter().for_each(|old| save(*old, &path).unwrap());
                let mut n = 0..;
                let fault = |_| (n.next() == Some(failing)).then(|| Fault::Error(error.into()));
                let result = Write::new().faults(fault).to_file(&snapshot(2), &path);
                assert_eq!(kind(result), error);
                let is_new = *step == Step::SyncFolder;
                let there = if is_new { Some(2) } else { old };
                assert_eq!(load(&path).ok(), there, "step {failing}, {step:?}");
                assert_eq!(
                    folder.names().len(),
                    usize::from(there.is_some()),
                    "{:?}",
                    folder.names()
                );
            }
        }
    }
}

#[test]
fn wherever_a_save_is_killed_the_next_one_goes_on() {
    for (last, step) in steps(Some(1)).iter().enumerate() {
        let folder = Folder::new();
        let path = folder.path("game.lath");
        save(1, &path).unwrap();
        let mut n = 0..;
        let fault = |_| (n.next() == Some(last)).then_some(Fault::Killed);
        Write::new().faults(fault).to_file(&snapshot(2), &path).unwrap_err();
        let is_new = *step == Step::SyncFolder;
        assert_eq!(load(&path).unwrap(), if is_new { 2 } else { 1 }, "step {last}, {step:?}");
        let left = usize::from(*step != Step::Open && !is_new);
        assert_eq!(folder.names().len(), 1 + left, "step {last}, {step:?}");
        save(3, &path).unwrap();
        assert_eq!((folder.names().len(), load(&path).unwrap()), (1, 3));
    }
}

#[test]
fn a_panic_on_the_way_leaves_nothing() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    save(1, &path).unwrap();
    let panic = |step| if step == Step::Rename { panic!("on purpose") } else { None };
    let write = Write::new().faults(panic);
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        write.to_file(&snapshot(2), &path)
    }));
    assert!(result.is_err());
    assert_eq!((folder.names(), load(&path).unwrap()), (vec!["game.lath".to_string()], 1));
}

#[test]
fn what_is_no_ordinary_file_or_read_only_is_not_replaced() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    fs::create_dir(&path).unwrap();
    assert_eq!(kind(save(2, &path)), ErrorKind::IsADirectory);
    assert!(path.is_dir());
    fs::remove_dir(&path).unwrap();

    save(1, &path).unwrap();
    let writable = fs::metadata(&path).unwrap().permissions();
    let mut read_only = writable.clone();
    read_only.set_readonly(true);
    fs::set_permissions(&path, read_only).unwrap();
    let error = save(2, &path).unwrap_err();
    assert!(error.to_string().contains("writing to") && error.to_string().contains("game.lath"));
    assert_eq!(kind(Err(error)), ErrorKind::PermissionDenied);
    fs::set_permissions(&path, writable).unwrap();
    assert_eq!(load(&path).unwrap(), 1);

    assert_eq!(kind(save(1, &folder.path("no/game.lath"))), ErrorKind::NotFound);
    assert_eq!(kind(save(1, &path.join("inside.lath"))), ErrorKind::NotADirectory);
    assert_eq!(folder.names(), ["game.lath"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_link_stays_and_the_file_that_it_means_is_replaced() {
        let folder = Folder::new();
        let elsewhere = Folder::new();
        let file = elsewhere.path("real.lath");
        save(1, &file).unwrap();
        symlink(&file, folder.path("one.lath")).unwrap();
        symlink("one.lath", folder.path("two.lath")).unwrap(); // relative, and a link to a link
        symlink(&folder.0, elsewhere.path("folder")).unwrap();
        for (number, path) in
            [folder.path("one.lath"), folder.path("two.lath"), elsewhere.path("folder/two.lath")]
                .iter()
                .enumerate()
        {
            save(number as u32, path).unwrap();
            assert_eq!((load(path).unwrap(), load(&file).unwrap()), (number as u32, number as u32));
        }
        assert_eq!(fs::read_link(folder.path("one.lath")).unwrap(), file);
        assert_eq!(fs::read_link(folder.path("two.lath")).unwrap(), Path::new("one.lath"));
        assert_eq!(folder.names(), ["one.lath", "two.lath"]);
        assert_eq!(elsewhere.names(), ["folder", "real.lath"]);
    }

    #[test]
    fn the_new_file_lies_beside_the_file_that_a_link_means() {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        symlink(elsewhere.path("real.lath"), folder.path("link.lath")).unwrap();
        let killed = |step| (step == Step::Sync).then_some(Fault::Killed);
        Write::new().faults(killed).to_file(&snapshot(1), folder.path("link.lath")).unwrap_err();
        assert_eq!((folder.names().len(), elsewhere.names().len()), (1, 1));
        save(1, &folder.path("link.lath")).unwrap();
        assert_eq!(
            (folder.names(), elsewhere.names()),
            (vec!["link.lath".into()], vec!["real.lath".into()])
        );
    }

    #[test]
    fn a_link_to_nothing_makes_the_file_and_a_circle_is_an_error() {
        let folder = Folder::new();
        symlink("later.lath", folder.path("link.lath")).unwrap();
        save(1, &folder.path("link.lath")).unwrap();
        assert_eq!(load(&folder.path("later.lath")).unwrap(), 1);
        assert!(folder.path("link.lath").is_symlink());

        symlink("no/such/folder.lath", folder.path("lost.lath")).unwrap();
        assert_eq!(kind(save(1, &folder.path("lost.lath"))), ErrorKind::NotFound);

        symlink("a.lath", folder.path("b.lath")).unwrap();
        symlink("b.lath", folder.path("a.lath")).unwrap();
        let error = save(1, &folder.path("a.lath")).unwrap_err().to_string();
        assert!(error.contains("following the links of"), "{error}");
        assert!(error.contains("a.lath") && error.contains("circle"), "{error}");
        assert_eq!(folder.names(), ["a.lath", "b.lath", "later.lath", "link.lath", "lost.lath"]);
    }

    #[test]
    fn the_permissions_of_a_file_stay_and_a_new_one_has_the_usual_ones() {
        let folder = Folder::new();
        let (path, usual) = (folder.path("game.lath"), folder.path("usual"));
        fs::write(&usual, "").unwrap();
        save(1, &path).unwrap();
        assert_eq!(mode(&path), mode(&usual));
        for wanted in [0o600, 0o640, 0o664, 0o777, 0o200 | 0o444] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            save(2, &path).unwrap();
            assert_eq!(mode(&path), wanted, "{wanted:o}");
        }
        // A save is no program that runs as somebody else.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
        save(2, &path).unwrap();
        assert_eq!(mode(&path), 0o755);
    }

    #[test]
    fn nobody_else_can_look_at_a_secret_file_while_it_is_written() {
        let folder = Folder::new();
        let path = folder.path("game.lath");
        save(1, &path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let look = |step| {
            if step != Step::Open {
                folder.names().iter().for_each(|name| assert_eq!(mode(&folder.path(name)), 0o600));
            }
            None
        };
        Write::new().faults(look).to_file(&snapshot(2), &path).unwrap();
    }

    #[test]
    fn owner_and_group_stay_where_the_system_allows_it() {
        let folder = Folder::new();
        let path = folder.path("game.lath");
        save(1, &path).unwrap();
        if chown(&path, Some(4321), Some(1234)).is_err() {
            return; // only the administrator may give files away
        }
        save(2, &path).unwrap();
        let now = fs::metadata(&path).unwrap();
        assert_eq!((now.uid(), now.gid()), (4321, 1234));
    }

    #[test]
    fn a_socket_is_not_replaced_by_a_file() {
        let folder = Folder::new();
        let path = folder.path("game.lath");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(kind(save(1, &path)), ErrorKind::InvalidInput);
        assert!(!fs::metadata(&path).unwrap().is_file());
        assert_eq!(folder.names(), ["game.lath"]);
    }

    #[test]
    fn a_folder_that_is_not_writable_is_an_error() {
        let folder = Folder::new();
        let path = folder.path("game.lath");
        save(1, &path).unwrap();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
        let result = save(2, &path);
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
        match result {
            Err(error) => {
                assert_eq!(kind(Err(error)), ErrorKind::PermissionDenied);
                assert_eq!(load(&path).unwrap(), 1);
            }
            Ok(()) => assert_eq!(load(&path).unwrap(), 2), // permissions do not apply to everybody
        }
        assert_eq!(folder.names(), ["game.lath"]);
    }
}

#[test]
fn a_file_that_somebody_has_open_is_replaced_all_the_same() {
    let folder = Folder::new();
    let path = folder.path("game.lath");
    save(1, &path).unwrap();
    let mut open = OpenOptions::new().read(true).open(&path).unwrap();
    save(2, &path).unwrap();
    let mut old = Vec::new();
    io::Read::read_to_end(&mut open, &mut old).unwrap();
    let mut world = World::new();
    world.saves_resource::<Vec<u32>>();
    Load::new().from_bytes(&mut world, &old).unwrap();
    assert_eq!((world.resource::<Vec<u32>>()[0], load(&path).unwrap()), (1, 2));
}
