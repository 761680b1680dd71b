//! A save as a file, of which any step can fail, or be the last that the process does.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use lath::prelude::*;
use lath::{Load, Snapshot, Write};
use lath_snapshot::fault::{Fault, Step};

use crate::answer::{Answer, Ask, Refusal};
use crate::program::Call;

/// The file of a world, in a folder of its own, which goes with it.
#[derive(Default)]
pub struct File {
    folder: Option<PathBuf>,
    /// What was saved last: kept, so that nothing that could panic is dropped after it was.
    last: Snapshot,
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = fs::remove_dir_all(folder); // it would be in nobody's way
        }
    }
}

/// Which of the steps of a kind something happens to.
const STEPS: [(Step, usize); 7] = [
    (Step::Open, 0),
    (Step::Permissions, 0),
    (Step::Write, 0),
    (Step::Write, 2),
    (Step::Sync, 0),
    (Step::Rename, 0),
    (Step::SyncFolder, 0),
];

impl File {
    /// Where it is, or would be.
    fn path(&mut self) -> PathBuf {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let folder = self.folder.get_or_insert_with(|| {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("lath-world-{}-{number}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&folder); // of another process that had this number
            fs::create_dir_all(&folder).expect("a folder for saves");
            folder
        });
        folder.join("game.lath")
    }

    /// Makes a call, if it is about the file.
    pub fn call(&mut self, world: &mut World, ask: &Ask) -> Option<Answer> {
        Some(match ask.call {
            Call::SaveFile => self.save(world, ask),
            Call::LoadFile => match Load::new().from_file(world, self.path()) {
                Ok(()) => Answer::Is(true),
                Err(lath::SaveError::Io { error, .. }) => {
                    assert_eq!(error.kind(), ErrorKind::NotFound);
                    Answer::Refused(Refusal::Other)
                }
                Err(error) => panic!("the file of this world: {error}"),
            },
            _ => return None,
        })
    }

    /// Answers whether it was saved, and which step something happened to.
    fn save(&mut self, world: &World, ask: &Ask) -> Answer {
        let path = self.path();
        self.last.take_into(world).expect("something is saved");
        let kinds = [ErrorKind::StorageFull, ErrorKind::PermissionDenied, ErrorKind::Other];
        let kind = kinds[usize::from(ask.b / 3) % 3];
        let (mut hit, mut left) = (None, STEPS[usize::from(ask.v) % 7].1);
        let result = Write::new()
            .faults(|step| {
                if ask.b % 3 == 0 || step != STEPS[usize::from(ask.v) % 7].0 || hit.is_some() {
                    return None;
                }
                if left > 0 {
                    left -= 1;
                    return None;
                }
                hit = Some(step);
                Some(if ask.b % 3 == 1 { Fault::Error(kind.into()) } else { Fault::Killed })
            })
            .to_file(&self.last, &path);
        match &result {
            Ok(()) => {}
            Err(lath::SaveError::Io { error, .. }) if ask.b % 3 == 1 => {
                assert_eq!(error.kind(), kind);
            }
            Err(lath::SaveError::Io { .. }) => assert_eq!(ask.b % 3, 2, "who was killed"),
            Err(error) => panic!("nothing is wrong with the world: {error}"),
        }
        let folder = path.parent().expect("a folder");
        let files = fs::read_dir(folder).expect("its folder").count();
        // Only who is killed leaves a file behind, and only until the next save.
        let begun =
            matches!(hit, Some(Step::Permissions | Step::Write | Step::Sync | Step::Rename));
        let lost = usize::from(ask.b % 3 == 2 && begun);
        assert_eq!(files, usize::from(path.exists()) + lost, "files after {hit:?}");
        Answer::All(vec![Answer::Is(result.is_ok()), Answer::Words(format!("{hit:?}"))])
    }
}
