//! The inspector without what carries its requests.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

use crate::api;
use crate::history::History;
use crate::pace::Pace;
use crate::response::{Fault, Method, Params, Request, Response};
use crate::sort::Handles;
use crate::table::Table;
use crate::undo::Undo;

/// What all requests have in common.
#[derive(Default)]
pub(crate) struct Core {
    pub(crate) tables: Vec<Arc<dyn Table>>,
    pub(crate) pace: Pace,
    pub(crate) history: History,
    pub(crate) undo: Undo,
    pub(crate) lists: Lists,
    pub(crate) seen: Seen,
    pub(crate) read_only: bool,
    pub(crate) measure_all: bool,
}

/// Work that takes several slices.
pub(crate) trait Job: Send {
    /// Does one slice of the work: a fraction of a millisecond.
    fn step(&mut self, core: &mut Core, world: &mut World) -> Option<Result<Value, Fault>>;
}

/// What becomes of a request at once.
pub(crate) enum Begun {
    Done(Response),
    Long(Box<dyn Job>),
}

impl From<Result<Value, Fault>> for Begun {
    fn from(result: Result<Value, Fault>) -> Self {
        Self::Done(respond(result))
    }
}

pub(crate) fn respond(result: Result<Value, Fault>) -> Response {
    result.map_or_else(Response::from, Response::ok)
}

type Ask = fn(&mut Core, &mut World, &mut Schedule, Params<'_>) -> Result<Value, Fault>;
type AskLong = fn(&mut Core, &World, Params<'_>) -> Result<Box<dyn Job>, Fault>;

/// What is called for a path.
enum Route {
    Quick(Method, Ask),
    Long(AskLong),
}

/// All there is.
const ROUTES: &[(&str, Route)] = &[
    ("world", Route::Quick(Method::Get, api::world::world)),
    ("thing", Route::Quick(Method::Get, api::thing::thing)),
    ("things", Route::Long(api::things::things)),
    ("tree", Route::Long(api::tree::tree)),
    ("map", Route::Long(api::map::map)),
    ("schedule", Route::Quick(Method::Get, api::schedule::schedule)),
    ("charts", Route::Quick(Method::Get, api::world::charts)),
    ("control", Route::Quick(Method::Post, api::world::control)),
    ("edit", Route::Quick(Method::Post, api::change::edit)),
    ("spawn", Route::Quick(Method::Post, api::change::spawn)),
    ("despawn", Route::Quick(Method::Post, api::change::despawn)),
    ("attach", Route::Quick(Method::Post, api::change::attach)),
    ("detach", Route::Quick(Method::Post, api::change::detach)),
    ("undo", Route::Quick(Method::Post, api::change::undo)),
];

/// What every path begins with.
pub(crate) const PREFIX: &str = "/api/v1/";

impl Core {
    /// Answers a request, or begins to.
    pub(crate) fn begin(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
        request: &Request,
    ) -> Begun {
        let name = request.path.strip_prefix(PREFIX);
        let Some((_, route)) = ROUTES.iter().find(|(path, _)| Some(*path) == name) else {
            let known: Vec<_> = ROUTES.iter().map(|(path, _)| *path).collect();
            let message = format!(
                "there is nothing at `{}`, but at {PREFIX}: {}",
                request.path,
                known.join(", ")
            );
            return Err(Fault::new(404, message)).into();
        };
        let method = match route {
            Route::Quick(method, _) => *method,
            Route::Long(_) => Method::Get,
        };
        if request.method != method {
            let needed = if method == Method::Get { "GET" } else { "POST" };
            return Err(Fault::new(405, format!("`{}` needs {needed}", request.path))).into();
        }
        if method == Method::Post && self.read_only {
            return Err(Fault::new(
                403,
                "this inspector only looks: it was made with `read_only`".into(),
            ))
            .into();
        }
        let params = Params(&request.params);
        match route {
            Route::Quick(_, ask) => ask(self, world, schedule, params).into(),
            Route::Long(ask) => match ask(self, world, params) {
                Ok(job) => Begun::Long(job),
                Err(fault) => Err(fault).into(),
            },
        }
    }

    /// The pool of a name, and its number.
    pub(crate) fn table(
        &self,
        world: &World,
        name: &str,
    ) -> Result<(usize, Arc<dyn Table>), Fault> {
        let found = self
            .tables
            .iter()
            .position(|table| table.meta().name == name || table.meta().type_name == name);
        if let Some(at) = found {
            return Ok((at, self.tables[at].clone()));
        }
        let known: Vec<_> = self.tables.iter().map(|table| table.meta().name.as_str()).collect();
        let is_there = world
            .pools()
            .iter()
            .any(|pool| crate::how::short(pool.name) == name || pool.name == name);
        let message = if is_there {
            format!(
                "the fields of `{name}` are not known: derive `Inspect` for it and call `inspector.pool::<{name}>()`"
            )
        } else {
            format!("there is no pool `{name}`; those that are known: {}", known.join(", "))
        };
        Err(Fault::new(404, message))
    }

    /// The number of a tree of a pool.
    pub(crate) fn tree(table: &dyn Table, name: Option<&str>) -> Result<usize, Fault> {
        let Some(name) = name else { return Ok(0) };
        let trees = &table.meta().trees;
        let found = trees.iter().position(|tree| tree == name);
        found.ok_or_else(|| {
            Fault::new(404, format!("there is no tree `{name}`, but {}", trees.join(", ")))
        })
    }

    /// What is sent to all who listen.
    pub(crate) fn beat(&self, world: &World) -> Value {
        let pools =
            world.pools().into_iter().map(|pool| (self.name_of(&pool), json!(pool.stats.live)));
        json!({
            "tick": self.history.ticks,
            "tick_ms": self.history.last(TICK),
            "pace": self.pace.to_json(),
            "live": pools.collect::<serde_json::Map<_, _>>(),
        })
    }

    /// How a pool is called in requests.
    pub(crate) fn name_of(&self, pool: &lath_schedule::PoolEntry) -> String {
        let known = self.tables.iter().find(|table| table.meta().thing_id == pool.thing);
        known.map_or_else(|| crate::how::short(pool.name), |table| table.meta().name.clone())
    }
}

/// The series of the time that a tick takes.
pub(crate) const TICK: &str = "tick (ms)";

/// Lists of handles that were found and sorted, so that a page can be turned without doing it
/// again.
#[derive(Default)]
pub(crate) struct Lists {
    lists: VecDeque<List>,
    last: u64,
}

/// One of them.
#[derive(Clone)]
pub(crate) struct List {
    pub(crate) id: u64,
    pub(crate) table: usize,
    pub(crate) handles: Arc<Handles>,
    pub(crate) tick: u64,
}

/// How many lists are kept.
const KEPT_LISTS: usize = 4;

impl Lists {
    pub(crate) fn keep(&mut self, table: usize, handles: Handles, tick: u64) -> List {
        self.last += 1;
        let list = List { id: self.last, table, handles: Arc::new(handles), tick };
        if self.lists.len() == KEPT_LISTS {
            self.lists.pop_front();
        }
        self.lists.push_back(list.clone());
        list
    }

    pub(crate) fn find(&self, id: u64) -> Option<List> {
        self.lists.iter().find(|list| list.id == id).cloned()
    }
}

/// Who was seen living in slots that were looked at.
#[derive(Default)]
pub(crate) struct Seen {
    /// By pool and slot.
    slots: HashMap<(usize, u32), Vec<Life>>,
}

/// A thing in a slot, when it was first seen, and how it was called then.
struct Life {
    generation: u32,
    tick: u64,
    label: String,
}

/// How many slots, and how many lives of each, are remembered.
const KEPT_SLOTS: usize = 256;
const KEPT_LIVES: usize = 16;

impl Seen {
    /// Notes who lives in a slot, and answers everyone who was seen there, oldest first.
    pub(crate) fn note(
        &mut self,
        table: usize,
        slot: u32,
        generation: u32,
        tick: u64,
        label: &str,
    ) -> Value {
        if self.slots.len() >= KEPT_SLOTS && !self.slots.contains_key(&(table, slot)) {
            self.slots.clear();
        }
        let lives = self.slots.entry((table, slot)).or_default();
        if lives.last().is_none_or(|last| last.generation != generation) {
            if lives.len() == KEPT_LIVES {
                lives.remove(0);
            }
            lives.push(Life { generation, tick, label: label.to_owned() });
        }
        let lives = lives.iter().map(
            |Life { generation, tick, label }| json!({ "generation": generation, "first_seen_at_tick": tick, "label": label }),
        );
        lives.collect()
    }
}
