//! Requests to the inspector, which shows and changes the world.

use std::marker::PhantomData;

use lath::inspect::{Inspector, Method, Request, Response};
use lath::prelude::*;
use lath::{Field, Resident};
use serde_json::{Map, Value, json};

use super::Setup;
use super::pool::{handle, id};
use super::saves::reloaded;
use super::things::{Carried, Layout, Number, POOLS, Piece};
use super::world::{look, with_pool};
use crate::answer::{Answer, Ask, Refusal};
use crate::body::Id;
use crate::fuse;
use crate::program::Call;

/// An inspector of a world.
pub struct Requests<L: Layout> {
    setup: Setup,
    inspector: Inspector,
    schedule: Schedule,
    layout: PhantomData<L>,
}

fn inspector<L: Layout>() -> Inspector {
    let mut inspector = Inspector::new();
    for number in 0..POOLS {
        with_pool!(L, number, T => _ = inspector.pool_and_tree::<T<L>, Carried>());
    }
    inspector
}

/// The names of the trees that it knows.
const TREES: [&str; 2] = ["attached", "Carried"];

impl<L: Layout> Requests<L> {
    /// Nothing was asked yet.
    pub fn new(setup: &Setup) -> Self {
        let (inspector, schedule) = (inspector::<L>(), Schedule::new());
        Self { setup: setup.clone(), inspector, schedule, layout: PhantomData }
    }

    /// Makes a call, if it is a request.
    pub fn call<T: Piece + Resident>(&mut self, world: &mut World, ask: &Ask) -> Option<Answer> {
        let pool = T::TRAITS.name;
        let [one, two] = [ask.who[0], ask.who[1]].map(|id| id.bits.to_string());
        let (b, v) = (ask.b, ask.v);
        let tree = TREES[usize::from(b / 2) % 2];
        Some(match ask.call {
            Call::AskInspector => self.ask::<T>(world, ask),
            Call::InspectorEdits => {
                let (field, value) = edit::<T>(ask);
                let body = match v % 2 {
                    0 => json!({ "pool": pool, "id": one, "field": field, "value": value }),
                    _ => {
                        json!({ "pool": pool, "id": one, "field": field, "json": value.to_string() })
                    }
                };
                done(&self.post(world, "edit", body))
            }
            Call::InspectorSpawns => {
                let mut body = json!({ "pool": pool, "tree": tree });
                if b % 2 == 1 {
                    body["parent"] = two.into();
                }
                let response = self.post(world, "spawn", body);
                match response.status {
                    200 => Answer::New(new::<T>(&response.body["id"])),
                    _ => done(&response),
                }
            }
            Call::InspectorDespawns => {
                let response = self.post(world, "despawn", json!({ "pool": pool, "id": one }));
                match response.body["despawned"].as_u64() {
                    Some(gone) => Answer::All(vec![
                        Answer::Count(gone),
                        Answer::Is(response.body["can_be_undone"] == true),
                    ]),
                    None => done(&response),
                }
            }
            Call::InspectorLinks if v % 3 == 0 => {
                done(&self.post(world, "detach", json!({ "pool": pool, "id": one, "tree": tree })))
            }
            Call::InspectorLinks => {
                let body = json!({ "pool": pool, "id": one, "parent": two, "tree": tree });
                done(&self.post(world, "attach", body))
            }
            Call::InspectorUndoes => {
                let response = self.post(world, "undo", json!({}));
                match &response.body["id"] {
                    Value::String(bits) => Answer::Found(vec![Id {
                        slot: 0,
                        bits: bits.parse().expect("the bits of a handle"),
                    }]),
                    _ => done(&response),
                }
            }
            Call::InspectorIsTold => {
                self.tell_nonsense(world, ask);
                Answer::Done
            }
            _ => return None,
        })
    }

    fn post(&mut self, world: &mut World, path: &str, body: Value) -> Response {
        self.handle(world, Request::post(&format!("/api/v1/{path}"), body))
    }

    /// Sends a request. A callback that panics has failed it; but here that was planted.
    fn handle(&mut self, world: &mut World, request: Request) -> Response {
        let response = self.inspector.handle(world, &mut self.schedule, request);
        if response.status == 500 {
            assert!(response.body.to_string().contains(fuse::MESSAGE), "{}", response.body);
            // What it remembers of what was begun is not compared.
            self.inspector = inspector::<L>();
            panic!("{}", fuse::MESSAGE);
        }
        self.inspector.update(world, &mut self.schedule);
        response
    }

    fn get(&mut self, world: &mut World, path: &str, params: Value) -> Response {
        let Value::Object(params) = params else { unreachable!("an object was written") };
        let path = format!("/api/v1/{path}");
        self.handle(world, Request { method: Method::Get, path, params })
    }

    /// Answers how many there are in each state, what passes a filter, in order, the children of a
    /// thing, and whether there is one.
    fn ask<T: Piece>(&mut self, world: &mut World, ask: &Ask) -> Answer {
        let (pool, one) = (T::TRAITS.name, ask.who[0].bits.to_string());
        let all = self.get(world, "world", json!({})).body;
        let stats = &all["pools"][ask.pool];
        assert_eq!(stats["name"], pool);
        let stats = ["live", "staged", "reserved", "buried", "retired"]
            .map(|state| Answer::Count(stats["stats"][state].as_u64().expect("a number")));
        let column = <T::N as Field>::Value::COLUMN;
        let mut params = json!({ "pool": pool, "limit": 500 });
        if !column.is_empty() {
            params["filter"] = format!("{column} < {}", u32::from(ask.v) * 4).into();
            params["sort"] = column.into();
            params["columns"] = column.into();
            params["descending"] = (ask.b % 2 == 0).into();
        }
        let things = self.get(world, "things", params).body;
        let rows = things["rows"].as_array().expect("rows");
        let total = things["total"].as_u64().expect("a number");
        assert_eq!(rows.len() as u64, total.min(500));
        let found = rows.iter().map(|row| new::<T>(&row["id"])).collect();
        let tree = TREES[usize::from(ask.b / 2) % 2];
        let params = json!({ "pool": pool, "tree": tree, "parent": one, "limit": 500 });
        let kids = self.get(world, "tree", params);
        let kids = match kids.body["nodes"].as_array() {
            Some(nodes) => Answer::Found(nodes.iter().map(|node| new::<T>(&node["id"])).collect()),
            None => done(&kids),
        };
        let thing = done(&self.get(world, "thing", json!({ "pool": pool, "id": one })));
        for path in ["schedule", "charts"] {
            assert_eq!(self.get(world, path, json!({})).status, 200, "{path}");
        }
        Answer::All(vec![
            Answer::All(stats.to_vec()),
            Answer::Count(total),
            Answer::Found(found),
            kids,
            thing,
        ])
    }

    /// Requests that mean nothing, and some that do, to a copy of the world: each is answered, and
    /// one that is refused has changed nothing.
    fn tell_nonsense(&self, world: &World, ask: &Ask) {
        let mut random = fastrand::Rng::with_seed(u64::from(ask.v) << 16 | u64::from(ask.b));
        let mut other = reloaded::<L>(&self.setup, world);
        let mut others = Self {
            inspector: inspector::<L>(),
            schedule: Schedule::new(),
            ..Self::new(&self.setup)
        };
        let mut before = look::<L>(&other);
        for _ in 0..6 {
            let response = match nonsense(&mut random, ask) {
                Ok(request) => others.handle(&mut other, request),
                Err(response) => response,
            };
            let known = [200, 400, 404, 405, 409, 410, 413, 422];
            assert!(known.contains(&response.status), "{response:?}");
            assert_eq!(response.status != 200, response.body["error"].is_object(), "{response:?}");
            let now = look::<L>(&other);
            assert!(response.status == 200 || now == before, "changed by {response:?}");
            before = now;
        }
    }
}

/// Some request.
fn nonsense(random: &mut fastrand::Rng, ask: &Ask) -> Result<Request, Response> {
    const PATHS: &[&str] = &[
        "world", "things", "thing", "tree", "map", "schedule", "charts", "control", "edit",
        "spawn", "despawn", "attach", "detach", "undo", "", "things/", "../world",
    ];
    const NAMES: &[&str] = &[
        "pool",
        "id",
        "parent",
        "field",
        "value",
        "json",
        "columns",
        "filter",
        "sort",
        "descending",
        "offset",
        "limit",
        "list",
        "after",
        "tree",
        "lone",
        "x",
        "y",
    ];
    const WORDS: &[&str] = &[
        "Crew",
        "Ship",
        "Token",
        "Ticket",
        "n",
        "n.n",
        "pos.0",
        "text",
        "tags",
        "kind",
        "link",
        "attached",
        "Carried",
        "true",
        "-1",
        "1e308",
        "18446744073709551615",
        "n < 3",
        "tags has A",
        "((",
        "text ~ \"",
        "{}",
        "[\"B\"]",
        "null",
        "",
        "ü",
    ];
    let path = format!("/api/v1/{}", PATHS[random.usize(..PATHS.len())]);
    let mut params = Map::new();
    params.insert("pool".into(), ["Crew", "Spark", "Block", "Ticket"][random.usize(..4)].into());
    params.insert("id".into(), ask.who[random.usize(..4)].bits.to_string().into());
    for _ in 0..random.usize(..5) {
        let value = match random.u8(..4) {
            0 => ask.who[random.usize(..4)].bits.to_string().into(),
            1 => json!(random.u16(..)),
            2 => json!([null, true, "A", { "n": 1 }]),
            _ => WORDS[random.usize(..WORDS.len())].into(),
        };
        params.insert(NAMES[random.usize(..NAMES.len())].into(), value);
    }
    if random.bool() {
        let method = if random.bool() { Method::Post } else { Method::Get };
        return Ok(Request { method, path, params });
    }
    let mut bytes = Value::Object(params).to_string().into_bytes();
    let at = random.usize(..bytes.len());
    match random.u8(..3) {
        0 => bytes[at] ^= 1 << random.u8(..7),
        1 => bytes.truncate(at),
        _ => {}
    }
    Request::from_bytes(&path, &bytes)
}

/// Which field is edited, and what it is to be.
fn edit<T: Piece>(ask: &Ask) -> (&'static str, Value) {
    let n = <T::N as Field>::Value::from_number(u32::from(ask.v));
    match ask.b % 5 {
        1 if T::TRAITS.text => ("text", format!("edited {}", ask.v).into()),
        2 if T::TRAITS.tags => {
            let bits = [(1, "A"), (2, "B"), (4, "C")];
            let set = bits.iter().filter(|(bit, _)| ask.v & bit != 0).map(|(_, name)| json!(name));
            ("tags", set.collect())
        }
        3 if !T::LINK.is_empty() => (T::LINK, ask.who[1].bits.to_string().into()),
        4 if T::TRAITS.rare => ("rare", format!("edited {}", ask.v).into()),
        _ => ("n", json!(n)),
    }
}

/// What a response says, without what it shows.
fn done(response: &Response) -> Answer {
    match response.status {
        200 => Answer::Done,
        404 | 410 => Answer::Refused(Refusal::Handle),
        422 => Answer::Refused(Refusal::Kind),
        409 => Answer::Refused(Refusal::Other),
        _ => panic!("{response:?}"),
    }
}

/// The handle that a response names.
fn new<T: Thing>(bits: &Value) -> Id {
    let bits = bits.as_str().and_then(|bits| bits.parse().ok()).expect("the bits of a handle");
    id(handle::<T>(Id { slot: 0, bits }))
}
