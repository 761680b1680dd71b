//! For tests: the steps in which a file is written, each of which can be made to fail, or to be the
//! last that a process did.

use std::io;

/// A step of writing a file, in the order in which they come. There are several writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The new file is made.
    Open,
    /// It gets the permissions of the old file, if there is one.
    Permissions,
    /// A part of the save is written to it. If it fails, half of the part was written.
    Write,
    /// It is brought to the disk.
    Sync,
    /// It takes the place of the old one.
    Rename,
    /// That is brought to the disk.
    SyncFolder,
}

/// What happens in the place of a step.
#[derive(Debug)]
pub enum Fault {
    /// The system refuses it.
    Error(io::Error),
    /// The process is killed: nothing is tidied up. The save returns an error all the same.
    Killed,
}

/// Asked before every step.
pub(super) type Faults<'a> = Option<Box<dyn FnMut(Step) -> Option<Fault> + 'a>>;
