//! What was changed from outside, so that it can be changed back.

use std::collections::VecDeque;

use lath_schedule::World;
use serde_json::{Value, json};

use crate::inner::Core;
use crate::response::Fault;

/// How many changes are remembered.
const KEPT: usize = 200;

/// One change.
pub(crate) struct Change {
    /// In words, for the page.
    pub(crate) words: String,
    pub(crate) table: usize,
    pub(crate) back: Back,
}

/// How it is changed back.
pub(crate) enum Back {
    Write {
        thing: u64,
        field: usize,
        value: Value,
    },
    Despawn {
        thing: u64,
    },
    /// Another thing with the same fields and parents. Its handle is a new one, as always.
    Again {
        thing: u64,
        fields: Vec<(usize, Value)>,
        parents: Vec<(usize, u64)>,
    },
    Attach {
        tree: usize,
        thing: u64,
        parent: Option<u64>,
    },
}

#[derive(Default)]
pub(crate) struct Undo {
    changes: VecDeque<Change>,
}

impl Undo {
    pub(crate) fn note(&mut self, change: Change) {
        if self.changes.len() == KEPT {
            self.changes.pop_front();
        }
        self.changes.push_back(change);
    }

    /// What was changed about a thing before it went can be taken back on the one that stands for
    /// it now.
    fn rename(&mut self, table: usize, old: u64, new: u64) {
        let swap = |bits: &mut u64| *bits = if *bits == old { new } else { *bits };
        for change in self.changes.iter_mut().filter(|change| change.table == table) {
            match &mut change.back {
                Back::Write { thing, .. } | Back::Despawn { thing } => swap(thing),
                Back::Again { parents, .. } => {
                    parents.iter_mut().for_each(|(_, parent)| swap(parent))
                }
                Back::Attach { thing, parent, .. } => {
                    swap(thing);
                    parent.iter_mut().for_each(swap);
                }
            }
        }
    }

    /// The last changes, newest first.
    pub(crate) fn to_json(&self) -> Value {
        self.changes.iter().rev().take(10).map(|change| json!(change.words)).collect()
    }
}

impl Core {
    /// Takes the last change back. One whose thing is gone is forgotten, and says so.
    pub(crate) fn undo(&mut self, world: &mut World) -> Result<Value, Fault> {
        let Some(change) = self.undo.changes.pop_back() else {
            return Err(Fault::new(409, "there is nothing to be undone".into()));
        };
        let table = &self.tables[change.table];
        match change.back {
            Back::Write { thing, field, value } => table.write(world, thing, field, value)?,
            Back::Despawn { thing } => table.despawn(world, thing).map(|_| ())?,
            Back::Again { thing, fields, parents } => {
                let new = table.spawn(world)?;
                for (field, value) in fields {
                    if let Err(fault) = table.write(world, new, field, value) {
                        let _ = table.despawn(world, new); // all or nothing
                        return Err(fault);
                    }
                }
                for (tree, parent) in parents {
                    let _ = table.attach(world, tree, new, parent); // a parent that went meanwhile is none
                }
                self.undo.rename(change.table, thing, new);
                let undo = self.undo.to_json();
                return Ok(json!({ "undone": change.words, "undo": undo, "id": new.to_string() }));
            }
            Back::Attach { tree, thing, parent: Some(parent) } => {
                table.attach(world, tree, thing, parent)?
            }
            Back::Attach { tree, thing, parent: None } => table.detach(world, tree, thing)?,
        }
        Ok(json!({ "undone": change.words, "undo": self.undo.to_json() }))
    }
}
