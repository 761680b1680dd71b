//! The things of a pool: filtered, sorted, a page at a time. All of it in slices.

use std::sync::Arc;

use lath_schedule::World;
use serde_json::{Value, json};

use crate::column::{Column, label};
use crate::filter::Test;
use crate::how::Clip;
use crate::inner::{Core, Job, List};
use crate::response::{Fault, Params};
use crate::sort::{Handles, Key, Sort};
use crate::table::Table;

/// The most rows, and columns, of a page.
const MOST_ROWS: usize = 500;
const MOST_COLUMNS: usize = 64;

/// How many things a slice looks at: without a filter and without sorting, with them, and when rows
/// are written.
const WALKED: usize = 8192;
const TESTED: usize = 512;
const WRITTEN: usize = 8;

/// The most letters of a text that is sorted by.
const KEY_LETTERS: usize = 64;

/// `GET things`
pub(crate) fn things(
    core: &mut Core,
    world: &World,
    params: Params<'_>,
) -> Result<Box<dyn Job>, Fault> {
    params.only(&["pool", "columns", "filter", "sort", "descending", "offset", "limit", "list"])?;
    let (number, table) = core.table(world, params.needed("pool")?)?;
    let meta = table.meta();
    let columns = match params.text("columns")? {
        None | Some("") => (0..meta.fields.len()).map(Column::Field).collect(),
        Some(names) => names
            .split(',')
            .map(|name| Column::find(meta, name.trim()))
            .collect::<Result<Vec<_>, _>>()?,
    };
    if columns.len() > MOST_COLUMNS {
        return Err(Fault::new(400, format!("at most {MOST_COLUMNS} columns at once")));
    }
    let filter = params.text("filter")?.map(str::trim).filter(|filter| !filter.is_empty());
    let test = filter.map(|filter| Test::new(meta, filter)).transpose()?;
    let sort = params.text("sort")?.filter(|sort| !sort.is_empty());
    let sort = sort.map(|sort| Column::find(meta, sort)).transpose()?;
    let descending = params.truth("descending")?.unwrap_or(false);
    let state = match params.whole("list", 0, usize::MAX)? {
        0 => State::Find { from: 0, handles: Handles::default(), keys: Sort::new(descending) },
        id => match core.lists.find(id as u64).filter(|list| list.table == number) {
            Some(list) => State::Write { list, rows: Vec::new() },
            None => {
                return Err(Fault::new(
                    410,
                    format!("list {id} is no longer kept: ask without `list`"),
                ));
            }
        },
    };
    Ok(Box::new(Things {
        number,
        columns,
        test,
        sort,
        offset: params.whole("offset", 0, usize::MAX)?,
        limit: params.whole("limit", 100, MOST_ROWS)?,
        state,
        clip: Clip::new(KEY_LETTERS),
        table,
    }))
}

struct Things {
    number: usize,
    table: Arc<dyn Table>,
    columns: Vec<Column>,
    test: Option<Test>,
    sort: Option<Column>,
    offset: usize,
    limit: usize,
    state: State,
    clip: Clip,
}

enum State {
    Find { from: u32, handles: Handles, keys: Sort },
    Sort(Sort),
    Write { list: List, rows: Vec<Value> },
}

impl Job for Things {
    fn step(&mut self, core: &mut Core, world: &mut World) -> Option<Result<Value, Fault>> {
        match &mut self.state {
            State::Find { from, handles, keys } => {
                let most = if self.test.is_none() && self.sort.is_none() { WALKED } else { TESTED };
                let (test, sort, clip) = (&self.test, &self.sort, &mut self.clip);
                let is_number = sort.as_ref().is_some_and(|sort| sort.is_number(self.table.meta()));
                let next = self.table.visit(world, *from, most, &mut |row| {
                    if test.as_ref().is_some_and(|test| !test.passes(row, clip)) {
                        return;
                    }
                    match sort {
                        None => handles.push(row.bits()),
                        Some(column) if is_number => {
                            keys.push(
                                column.number(row).map_or(Key::Nothing, Key::Number),
                                row.bits(),
                            );
                        }
                        Some(column) => {
                            clip.reset(KEY_LETTERS);
                            column.text(row, clip);
                            keys.push(Key::Text(clip.text.clone()), row.bits());
                        }
                    }
                });
                match next {
                    Some(next) => *from = next,
                    None if self.sort.is_some() => {
                        self.state = State::Sort(std::mem::replace(keys, Sort::new(false)));
                    }
                    None => {
                        let handles = std::mem::take(handles);
                        self.state = self.write(core, handles);
                    }
                }
            }
            State::Sort(sort) => {
                if sort.step() {
                    let handles = std::mem::replace(sort, Sort::new(false)).into_handles();
                    self.state = self.write(core, handles);
                }
            }
            State::Write { list, rows } => {
                let meta = self.table.meta();
                let end = self.limit.min(rows.len() + WRITTEN);
                let page = rows.len()..end;
                for bits in page.map_while(|row| list.handles.get(self.offset.saturating_add(row)))
                {
                    let mut written = None;
                    let found = self.table.row(world, bits, &mut |row| {
                        let cells: Vec<Value> =
                            self.columns.iter().map(|column| column.cell(meta, row)).collect();
                        let label = label(meta, row);
                        let mut row =
                            json!({ "id": bits.to_string(), "name": row.name(), "label": label });
                        row["cells"] = Value::Array(cells);
                        written = Some(row);
                    });
                    // It was there when the list was made.
                    let gone =
                        |fault: Fault| json!({ "id": bits.to_string(), "gone": fault.message });
                    rows.push(match found {
                        Ok(()) => written.unwrap_or_default(),
                        Err(fault) => gone(fault),
                    });
                }
                if rows.len() >= self.limit
                    || self.offset.saturating_add(rows.len()) >= list.handles.len()
                {
                    let columns: Vec<String> =
                        self.columns.iter().map(|column| column.name(meta)).collect();
                    let mut answer = json!({
                        "pool": meta.name,
                        "list": list.id,
                        "made_at_tick": list.tick,
                        "tick": core.history.ticks,
                        "total": list.handles.len(),
                        "offset": self.offset,
                        "columns": columns,
                    });
                    answer["rows"] = Value::Array(std::mem::take(rows)); // moved: within `json!` it would be copied
                    return Some(Ok(answer));
                }
            }
        }
        None
    }
}

impl Things {
    fn write(&self, core: &mut Core, handles: Handles) -> State {
        State::Write {
            list: core.lists.keep(self.number, handles, core.history.ticks),
            rows: Vec::new(),
        }
    }
}
