//! Things as points: any two numbers, coloured by tags.

use std::sync::Arc;

use lath_schedule::World;
use serde_json::{Value, json};

use crate::column::Column;
use crate::filter::Test;
use crate::how::{Clip, names_of};
use crate::inner::{Core, Job};
use crate::response::{Fault, Params};
use crate::table::{Row, Table};

/// The most points that are told at once.
const MOST: usize = 20_000;

/// How many things a slice looks at.
const LOOKED_AT: usize = 256;

/// `GET map`
pub(crate) fn map(
    core: &mut Core,
    world: &World,
    params: Params<'_>,
) -> Result<Box<dyn Job>, Fault> {
    params.only(&["pool", "x", "y", "filter", "limit"])?;
    let (_, table) = core.table(world, params.needed("pool")?)?;
    let meta = table.meta();
    let axis = |name: &str| {
        let column = Column::find(meta, params.needed(name)?)?;
        if column.is_number(meta) {
            return Ok(column);
        }
        Err(Fault::new(422, format!("`{}` is not a number and cannot be drawn", column.name(meta))))
    };
    let (x, y) = (axis("x")?, axis("y")?);
    let filter = params.text("filter")?.map(str::trim).filter(|filter| !filter.is_empty());
    let test = filter.map(|filter| Test::new(meta, filter)).transpose()?;
    let limit = params.whole("limit", 4000, MOST)?.max(1);
    let tags = meta.fields.iter().position(|field| field.is_tags);
    let tags = tags.or_else(|| meta.fields.iter().position(|field| field.flags.is_some()));
    // Without a filter a thing is taken at every so many slots, the same ones every time: nobody
    // looks at the others.
    let (live, capacity) =
        table.stats(world).map_or((0, 0), |stats| (stats.live as usize, stats.capacity));
    let stride = if test.is_none() && live > limit { (capacity / limit as u32).max(1) } else { 1 };
    Ok(Box::new(Map {
        table,
        x,
        y,
        test,
        limit,
        tags,
        stride,
        one_of: 1,
        slot: 0,
        passed: 0,
        points: Points::default(),
    }))
}

struct Map {
    table: Arc<dyn Table>,
    x: Column,
    y: Column,
    test: Option<Test>,
    limit: usize,
    tags: Option<usize>,
    stride: u32,
    /// One of how many things that pass is taken; grows as there are too many.
    one_of: usize,
    slot: u32,
    passed: usize,
    points: Points,
}

/// What is told of every point: as it will be told, so that nothing is left to be done at the end.
#[derive(Default)]
struct Points {
    x: Vec<Value>,
    y: Vec<Value>,
    id: Vec<Value>,
    set: Vec<Value>,
    /// The tags of each set.
    sets: Vec<u64>,
}

impl Job for Map {
    fn step(&mut self, core: &mut Core, world: &mut World) -> Option<Result<Value, Fault>> {
        let table = self.table.clone();
        let ended = if self.stride > 1 {
            (0..LOOKED_AT).any(|_| {
                let next = table.visit(world, self.slot, 1, &mut |row| {
                    self.slot = row.slot();
                    self.point(row);
                });
                // The next place to look, beyond the thing that was found.
                self.slot = (self.slot / self.stride).saturating_add(1).saturating_mul(self.stride);
                next.is_none() || self.points.x.len() >= self.limit
            })
        } else {
            let next = table.visit(world, self.slot, LOOKED_AT, &mut |row| self.point(row));
            self.slot = next.unwrap_or(u32::MAX);
            next.is_none()
        };
        ended.then(|| Ok(self.told(core)))
    }
}

impl Map {
    fn point(&mut self, row: &dyn Row) {
        let mut clip = Clip::new(0);
        if self.test.as_ref().is_some_and(|test| !test.passes(row, &mut clip)) {
            return;
        }
        self.passed += 1;
        if self.passed % self.one_of != 0 {
            return;
        }
        let (Some(x), Some(y)) = (self.x.number(row), self.y.number(row)) else { return };
        if !x.is_finite() || !y.is_finite() {
            return;
        }
        let tags = self.tags.and_then(|tags| row.flags(tags)).unwrap_or(0);
        let points = &mut self.points;
        let set = points.sets.iter().position(|&set| set == tags).unwrap_or_else(|| {
            points.sets.push(tags);
            points.sets.len() - 1
        });
        points.x.push(x.into());
        points.y.push(y.into());
        points.id.push(row.bits().to_string().into());
        points.set.push(set.into());
        if points.x.len() > self.limit {
            // Too many: every other one is left out, from here on and of those that were taken.
            self.one_of *= 2;
            for list in [&mut points.x, &mut points.y, &mut points.id, &mut points.set] {
                let mut keep = false;
                list.retain(|_| {
                    keep = !keep;
                    keep
                });
            }
        }
    }

    fn told(&mut self, core: &Core) -> Value {
        let meta = self.table.meta();
        let flags = self.tags.and_then(|tags| meta.fields[tags].flags.as_deref()).unwrap_or(&[]);
        let Points { x, y, id, set, sets } = std::mem::take(&mut self.points);
        let sets: Vec<Vec<String>> = sets.iter().map(|&set| names_of(flags, set)).collect();
        let sampled = self.stride > 1 || self.one_of > 1;
        let mut answer = json!({ "pool": meta.name, "tick": core.history.ticks, "sets": sets, "sampled": sampled });
        for (name, list) in [("x", x), ("y", y), ("id", id), ("set", set)] {
            answer[name] = Value::Array(list); // moved: within `json!` it would be copied
        }
        answer
    }
}
