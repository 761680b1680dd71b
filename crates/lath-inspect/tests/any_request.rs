//! Whatever is asked, in whatever order: an answer, a world that is still whole, and never a panic.

mod common;

use common::{Actor, Fixture, House};
use lath_inspect::{Method, Request};
use proptest::prelude::*;
use serde_json::{Value, json};

const PATHS: &[&str] = &[
    "world", "things", "thing", "tree", "map", "schedule", "charts", "control", "edit", "spawn", "despawn", "attach",
    "detach", "undo", "events", "", "things/", "../world",
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
        6 => [json!(null), json!(true), json!([1, "MOVES"]), json!({ "x": 1.0, "y": null })][(pick / 8) as usize % 4]
            .clone(),
        _ => json!(["Actor", "hp", "tags", "pos"][(pick / 8) as usize % 4]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_requests_are_answered(requests in prop::collection::vec(
        (any::<prop::sample::Index>(), any::<bool>(), prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 0..6), any::<bool>()),
        1..60,
    )) {
        let mut at = Fixture::new();
        for (path, post, params, with_pool) in requests {
            let mut map = serde_json::Map::new();
            for (name, pick) in params {
                map.insert((*name.get(NAMES)).to_owned(), value(&at, pick));
            }
            if with_pool {
                map.insert("pool".into(), json!("Actor"));
            }
            let path = format!("/api/v1/{}", path.get(PATHS));
            let method = if post { Method::Post } else { Method::Get };
            let request = Request { method, path: path.clone(), params: map };
            let response = at.ask(request.clone());
            prop_assert!([200, 400, 404, 405, 409, 410, 422].contains(&response.status), "{request:?}: {response:?}");
            prop_assert_eq!(response.status != 200, response.body["error"].is_object());
            if at.inspector.steps() < 3 {
                at.schedule.run(&mut at.world);
            }
            at.inspector.update(&mut at.world, &mut at.schedule);
        }
        prop_assert_eq!(at.world.pool::<Actor>().check_invariants(), Ok(()));
        prop_assert_eq!(at.world.pool::<House>().check_invariants(), Ok(()));
    }

    #[test]
    fn any_address_is_understood_or_refused(target in "\\PC{0,120}") {
        let mut at = Fixture::new();
        let response = at.ask(Request::get(&target));
        prop_assert!(response.status >= 400, "{target:?}");
        let response = at.ask(Request::get(&format!("/api/v1/things?pool=Actor&filter={target}")));
        prop_assert!([200, 400].contains(&response.status), "{target:?}: {response:?}");
    }
}
