//! Whatever is asked, in whatever order: an answer, a world that is still whole, and never a panic.

use lath_inspect::{Method, Request, Response};
use serde_json::{Map, Value, json};

use crate::common::dice::Dice;
use crate::common::{Actor, Fixture, House};

const PATHS: &[&str] = &[
    "world", "things", "thing", "tree", "map", "schedule", "charts", "control", "edit", "spawn",
    "despawn", "attach", "detach", "undo", "events", "", "things/", "../world",
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
    "spans",
    "paused",
    "step",
    "speed",
];

/// Words that mean something somewhere, and some that do not.
fn value(at: &Fixture, pick: u32) -> Value {
    let words = [
        "Actor",
        "House",
        "Spark",
        "hp",
        "pos",
        "pos.x",
        "pos.",
        ".x",
        "tags",
        "name",
        "target",
        "opaque",
        "mood",
        "slot",
        "true",
        "0",
        "1",
        "-1",
        "1e308",
        "nan",
        "18446744073709551615",
        "hp < 3",
        "tags has MOVES",
        "((",
        "name ~ \"",
        "{}",
        "{\"x\":1,\"y\":2}",
        "[\"MOVES\"]",
        "attached",
        "",
        "ü",
    ];
    let ids: Vec<String> = (0..at.actors.len()).map(|number| at.id(number)).collect();
    match pick % 8 {
        0 | 1 => json!(words[(pick / 8) as usize % words.len()]),
        2 | 3 => json!(ids[(pick / 8) as usize % ids.len()]),
        4 => json!(pick / 8 % 100),
        5 => json!(-1.5e300),
        6 => [json!(null), json!(true), json!([1, "MOVES"]), json!({ "x": 1.0, "y": null })]
            [(pick / 8) as usize % 4]
            .clone(),
        _ => json!(["Actor", "hp", "tags", "pos"][(pick / 8) as usize % 4]),
    }
}

/// Plays at most so many requests.
pub(crate) fn play(mut random: Dice, steps: usize) {
    let mut at = Fixture::new();
    for _ in 0..steps {
        if !random.next_step() {
            break;
        }
        let request = some_request(&at, &mut random);
        ask(&mut at, request);
    }
    check(&at);
}

fn some_request(at: &Fixture, random: &mut Dice) -> Request {
    let path = format!("/api/v1/{}", random.choice(PATHS).unwrap());
    let method = if random.bool() { Method::Post } else { Method::Get };
    let mut params = Map::new();
    if random.bool() {
        params.insert("pool".into(), json!("Actor"));
    }
    for _ in 0..random.u8(..6) {
        let name = random.choice(NAMES).unwrap();
        params.insert((*name).to_owned(), value(at, random.u32(..0x1_0000)));
    }
    Request { method, path, params }
}

/// Asks, looks at the answer, and lets the world go on.
pub(crate) fn ask(at: &mut Fixture, request: Request) -> Response {
    let response = at.ask(request.clone());
    assert!(
        [200, 400, 404, 405, 409, 410, 422].contains(&response.status),
        "{request:?}: {response:?}"
    );
    assert_eq!(
        response.status != 200,
        response.body["error"].is_object(),
        "{request:?}: {response:?}"
    );
    if at.inspector.steps() < 3 {
        at.schedule.run(&mut at.world);
    }
    at.inspector.update(&mut at.world, &mut at.schedule);
    response
}

pub(crate) fn check(at: &Fixture) {
    assert_eq!(at.world.pool::<Actor>().check_invariants(), Ok(()));
    assert_eq!(at.world.pool::<House>().check_invariants(), Ok(()));
}
