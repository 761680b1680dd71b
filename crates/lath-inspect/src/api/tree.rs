//! The tree of a pool, opened a level at a time.

use std::sync::Arc;

use lath_schedule::World;
use serde_json::{Value, json};

use crate::column::label;
use crate::inner::{Core, Job};
use crate::response::{Fault, Params};
use crate::table::Table;

/// The most nodes that are told at once.
const MOST: usize = 500;

/// How many things a slice looks at, and how many children it tells.
const WALKED: usize = 2048;
const TOLD: usize = 32;

/// `GET tree`
pub(crate) fn tree(
    core: &mut Core,
    world: &World,
    params: Params<'_>,
) -> Result<Box<dyn Job>, Fault> {
    params.only(&["pool", "tree", "parent", "after", "limit", "lone"])?;
    let (_, table) = core.table(world, params.needed("pool")?)?;
    let tree = Core::tree(&*table, params.text("tree")?)?;
    let limit = params.whole("limit", 100, MOST)?.max(1);
    let after = params.handle("after")?;
    let mut slot = 0;
    if let Some(after) = after {
        table.row(world, after, &mut |row| slot = row.slot().saturating_add(1))?;
    }
    let lone = params.truth("lone")?.unwrap_or(false);
    let next = match params.handle("parent")? {
        Some(parent) => {
            table.row(world, parent, &mut |_| {})?;
            let first = || table.links(world, tree, parent).first;
            Next::Child {
                parent,
                child: after.map_or_else(first, |after| table.links(world, tree, after).next),
            }
        }
        None => Next::Root(slot),
    };
    Ok(Box::new(Level { table, tree, limit, lone, next, nodes: Vec::new() }))
}

struct Level {
    table: Arc<dyn Table>,
    tree: usize,
    limit: usize,
    /// Whether things without any links are told, too.
    lone: bool,
    next: Next,
    nodes: Vec<Value>,
}

enum Next {
    Root(u32),
    Child { parent: u64, child: Option<u64> },
}

impl Job for Level {
    fn step(&mut self, _: &mut Core, world: &mut World) -> Option<Result<Value, Fault>> {
        let world = &*world;
        let mut ended = false;
        match self.next {
            Next::Root(from) => {
                let mut found = Vec::new();
                let next = self.table.visit(world, from, WALKED, &mut |row| {
                    let links = self.table.links(world, self.tree, row.bits());
                    if links.parent.is_none() && (self.lone || links.first.is_some()) {
                        found.push(row.bits());
                    }
                });
                ended = next.is_none();
                self.next = Next::Root(next.unwrap_or(0));
                for bits in found {
                    if self.nodes.len() == self.limit {
                        ended = false;
                        break;
                    }
                    self.tell(world, bits);
                }
            }
            Next::Child { parent, mut child } => {
                for _ in 0..TOLD {
                    let Some(bits) = child.filter(|_| self.nodes.len() < self.limit) else { break };
                    // Moved elsewhere, or gone, since the last slice: the rest of the list is
                    // elsewhere, too.
                    let links = self.table.links(world, self.tree, bits);
                    if links.parent != Some(parent) {
                        child = None;
                        break;
                    }
                    self.tell(world, bits);
                    child = links.next;
                }
                ended |= child.is_none();
                self.next = Next::Child { parent, child };
            }
        }
        if !ended && self.nodes.len() < self.limit {
            return None;
        }
        let meta = self.table.meta();
        let mut answer =
            json!({ "pool": meta.name, "tree": meta.trees[self.tree], "more": !ended });
        answer["nodes"] = Value::Array(std::mem::take(&mut self.nodes)); // moved: within `json!` it would be copied
        Some(Ok(answer))
    }
}

impl Level {
    fn tell(&mut self, world: &World, bits: u64) {
        let meta = self.table.meta();
        let has_children = self.table.links(world, self.tree, bits).first.is_some();
        let mut node = None;
        // One that has just gone is left out.
        let _ = self.table.row(world, bits, &mut |row| {
            let label = label(meta, row);
            node = Some(
                json!({ "id": bits.to_string(), "name": row.name(), "label": label, "has_children": has_children }),
            );
        });
        self.nodes.extend(node);
    }
}
