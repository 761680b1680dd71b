//! Every request does what it says, on rows and on columns, and says what is wrong otherwise.

mod common;

use common::{Actor, Fixture, House, Mood, Tags, Vec2, field, labels};
use lath_core::Handle;
use lath_inspect::{Inspector, Request};
use serde_json::{Value, json};

#[test]
fn the_world_lists_pools_with_their_fields_and_those_that_were_not_named_with_counts() {
    let mut at = Fixture::new();
    let world = at.get("world");
    let names: Vec<_> = world["pools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pool| pool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Actor", "House", "Spark"]);
    let [actor, house, spark] = [0, 1, 2].map(|pool| &world["pools"][pool]);
    assert_eq!(
        (&actor["stats"]["live"], &house["stats"]["live"], &spark["stats"]["live"]),
        (&json!(10), &json!(1), &json!(1))
    );
    assert_eq!((&actor["known"], &spark["known"]), (&json!(true), &json!(false)));
    let field = |name: &str| {
        actor["fields"].as_array().unwrap().iter().find(|field| field["name"] == name).unwrap()
    };
    assert_eq!(field("pos")["parts"], json!(["x", "y"]));
    assert_eq!(field("tags")["flags"], json!(["MOVES", "ITEM", "FROZEN"]));
    assert_eq!(field("home")["link"], "House");
    assert_eq!((&field("hp")["number"], &field("hp")["editable"]), (&json!(true), &json!(true)));
    assert_eq!(
        (&field("mood")["editable"], &field("opaque")["editable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(house["fields"][1]["parts"], json!(["0.0", "0.1", "1.0", "1.1"]));
}

#[test]
fn a_page_of_things_has_cells_for_the_columns_that_were_asked_for() {
    let mut at = Fixture::new();
    let page = at
        .get("things?pool=Actor&columns=name,pos.y,tags,target,mood,opaque,slot&offset=3&limit=2");
    assert_eq!((&page["total"], labels(&page["rows"])), (&json!(10), vec!["Orc 3", "Orc 4"]));
    assert_eq!(
        page["columns"],
        json!(["name", "pos.y", "tags", "target", "mood", "opaque", "slot"])
    );
    let cells = page["rows"][1]["cells"].as_array().unwrap();
    assert_eq!(cells[0]["text"], "Orc 4");
    assert_eq!(cells[1]["number"], 40.0);
    assert_eq!(cells[2]["flags"], json!(["MOVES"]));
    assert_eq!(cells[3]["link"], at.id(3));
    assert_eq!(cells[4]["text"], "Angry");
    assert_eq!(cells[5]["text"], "(Opaque)");
    assert_eq!(cells[6]["number"].as_f64(), Some(f64::from(at.actors[4].index())));
    let all = at.get("things?pool=Actor");
    assert_eq!(all["columns"].as_array().unwrap().len(), 10);
    assert_eq!(at.get("things?pool=House")["rows"][0]["cells"][0]["number"], 3.0);
}

#[test]
fn filters_pass_what_they_say() {
    let mut at = Fixture::new();
    for (filter, expected) in [
        ("hp < 93", vec!["Orc 8", "ITEM FROZEN"]),
        ("hp <= 93 && tags has MOVES", vec!["Orc 8"]),
        ("tags has ITEM|FROZEN && pos.x > 5", vec!["Orc 7", "ITEM FROZEN"]),
        ("name ~ \"ORC 1\" || name == 'Orc 2'", vec!["Orc 1", "Orc 2"]),
        ("asleep", vec!["Orc 3"]),
        ("asleep == true", vec!["Orc 3"]),
        ("mood != Calm", vec!["Orc 4"]),
        ("!(pos.y < 85)", vec!["ITEM FROZEN"]),
        ("pos.y >= 80 && !name ~ orc", vec!["ITEM FROZEN"]),
        ("hp < -1e9", vec![]),
    ] {
        let query = filter.replace('&', "%26").replace('+', "%2B");
        let page = at.get(&format!("things?pool=Actor&columns=name&filter={query}"));
        assert_eq!(labels(&page["rows"]), expected, "{filter}");
    }
}

#[test]
fn things_are_sorted_by_numbers_and_by_texts() {
    let mut at = Fixture::new();
    let page = at.get("things?pool=Actor&sort=hp&limit=2");
    assert_eq!(labels(&page["rows"]), ["ITEM FROZEN", "Orc 8"]);
    let page = at.get("things?pool=Actor&sort=name&descending=true&limit=2");
    assert_eq!(labels(&page["rows"]), ["Orc 8", "Orc 7"]);
    let page = at.get("things?pool=Actor&sort=pos.y&descending=true&offset=8");
    assert_eq!(labels(&page["rows"]), ["Orc 1", "Orc 0"]);
}

#[test]
fn a_list_is_kept_so_that_pages_can_be_turned_and_says_who_has_gone() {
    let mut at = Fixture::new();
    let list = at.get("things?pool=Actor&sort=hp&limit=1")["list"].as_u64().unwrap();
    at.world.despawn(at.actors[8]);
    let page = at.get(&format!("things?pool=Actor&list={list}&limit=3"));
    assert_eq!(
        (labels(&page["rows"]), &page["total"]),
        (vec!["ITEM FROZEN", "gone", "Orc 7"], &json!(10))
    );
    assert!(page["rows"][1]["gone"].as_str().unwrap().contains("stale"));
    for _ in 0..4 {
        at.get("things?pool=House");
    }
    let old = at.ask(Request::get(&format!("/api/v1/things?pool=Actor&list={list}")));
    assert_eq!(old.status, 410);
    let other = at.get("things?pool=House")["list"].as_u64().unwrap();
    assert_eq!(
        at.ask(Request::get(&format!("/api/v1/things?pool=Actor&list={other}"))).status,
        410
    );
}

#[test]
fn details_show_every_field_its_links_and_the_lives_of_its_slot() {
    let mut at = Fixture::new();
    let thing = at.get(&format!("thing?pool=Actor&id={}", at.id(2)));
    assert_eq!(
        (&thing["label"], &thing["name"]),
        (&json!("Orc 2"), &json!(at.actors[2].to_string()))
    );
    assert_eq!(field(&thing, "seed")["json"], (u64::MAX - 2).to_string());
    at.tell("edit", json!({ "pool": "Actor", "id": at.id(2), "field": "hp", "json": "0.1" }));
    let thing = at.get(&format!("thing?pool=Actor&id={}", at.id(2)));
    assert_eq!(field(&thing, "hp")["json"], "0.1", "as an `f32`, not as the nearest `f64`");
    assert_eq!(field(&thing, "pos")["value"], json!({ "x": 2.0, "y": 20.0 }));
    assert_eq!(field(&thing, "target")["leads_to"]["label"], "Orc 1");
    assert_eq!(field(&thing, "home")["leads_to"]["pool"], "House");
    assert_eq!(thing["trees"][0]["parent"]["label"], "Orc 1");
    assert_eq!((&thing["generation"], &thing["lives"]), (&json!(1), &json!(1)));

    let slot = at.actors[2].index();
    at.world.despawn(at.actors[2]);
    let again = loop {
        let again =
            at.world.spawn(Actor { name: "heir".into(), tags: Tags::MOVES, ..Default::default() });
        if again.index() == slot {
            break again;
        }
    };
    let stale = at.ask(Request::get(&format!("/api/v1/thing?pool=Actor&id={}", at.id(2))));
    assert_eq!(stale.status, 410);
    assert!(
        stale.body["error"]["message"].as_str().unwrap().contains("now at generation 3"),
        "{}",
        stale.body
    );
    let thing = at.get(&format!("thing?pool=Actor&id={}", again.to_bits()));
    assert_eq!((&thing["generation"], &thing["lives"]), (&json!(3), &json!(2)));
    assert_eq!(labels(&thing["seen"]), ["Orc 2", "heir"]);
}

#[test]
fn edits_change_the_world_and_can_be_taken_back() {
    let mut at = Fixture::new();
    let id = at.id(1);
    let one = at.actors[1];
    let edit = |at: &mut Fixture, field: &str, value: Value| {
        at.tell("edit", json!({ "pool": "Actor", "id": id, "field": field, "value": value }))
    };
    edit(&mut at, "hp", json!(12.5));
    edit(&mut at, "pos", json!({ "x": 1.0, "y": -1.0 }));
    edit(&mut at, "name", json!("Grunt"));
    edit(&mut at, "tags", json!(["MOVES", "FROZEN"]));
    let five = at.id(5);
    let last = edit(&mut at, "target", json!(five));
    assert_eq!(field(&last, "target")["leads_to"]["label"], "Orc 5");
    at.tell(
        "edit",
        json!({ "pool": "Actor", "id": id, "field": "seed", "json": "18446744073709551615" }),
    );

    let actor = at.world.read(one);
    assert_eq!((*actor.hp, *actor.pos, *actor.seed), (12.5, Vec2 { x: 1.0, y: -1.0 }, u64::MAX));
    assert_eq!((actor.name.as_str(), *actor.target), ("Grunt", at.actors[5]));
    assert!(at.world.pool::<Actor>().has(one, Tags::MOVES | Tags::FROZEN));
    assert_eq!(at.world.pool::<Actor>().count_tagged(Tags::MOVES), 6);
    at.world.pool::<Actor>().check_invariants().unwrap();

    for _ in 0..6 {
        at.tell("undo", json!({}));
    }
    let actor = at.world.read(one);
    assert_eq!(
        (*actor.hp, *actor.pos, *actor.seed),
        (99.0, Vec2 { x: 1.0, y: 10.0 }, u64::MAX - 1)
    );
    assert_eq!((actor.name.as_str(), *actor.target), ("Orc 1", at.actors[0]));
    assert_eq!(at.world.pool::<Actor>().tags(one), Tags::ITEM | Tags::FROZEN);
    assert_eq!(at.post("undo", json!({})).status, 409);
}

#[test]
fn edits_that_cannot_be_say_why_and_change_nothing() {
    let mut at = Fixture::new();
    at.world.despawn(at.actors[9]);
    let id = at.id(1);
    for (field, value, status, words) in [
        ("hp", json!("much"), 422, "`hp` cannot be that"),
        ("hp", json!(null), 422, "`hp` cannot be that"),
        ("pos", json!({ "x": 1 }), 422, "missing field `y`"),
        ("tags", json!(["FLIES"]), 422, "MOVES, ITEM, FROZEN"),
        ("tags", json!("MOVES"), 422, "a list of flags"),
        ("target", json!("12"), 422, "cannot be that"),
        ("target", json!(at.id(9)), 422, "stale"),
        ("target", json!([1]), 422, "bits of a handle"),
        ("mood", json!("Angry"), 422, "Deserialize"),
        ("mana", json!(1), 404, "no field `mana`"),
    ] {
        let response =
            at.post("edit", json!({ "pool": "Actor", "id": id, "field": field, "value": value }));
        let message = response.body["error"]["message"].as_str().unwrap();
        assert_eq!(response.status, status, "{field}: {message}");
        assert!(message.contains(words), "{field}: {message}");
    }
    let response =
        at.post("edit", json!({ "pool": "Actor", "id": id, "field": "hp", "json": "{" }));
    assert_eq!(response.status, 422);
    let response = at.post("edit", json!({ "pool": "Actor", "id": id, "field": "hp" }));
    assert_eq!(response.status, 400);
    let actor = at.world.read(at.actors[1]);
    assert_eq!((*actor.hp, *actor.target), (99.0, at.actors[0]));
    assert!(matches!(*actor.mood, Mood::Calm));
    assert_eq!(
        at.post("undo", json!({})).status,
        409,
        "nothing was changed, so there is nothing to be undone"
    );
}

#[test]
fn a_despawn_is_taken_back_by_an_equal_thing_with_another_handle() {
    let mut at = Fixture::new();
    let above = at.tell("spawn", json!({ "pool": "House" }))["id"].as_str().unwrap().to_owned();
    let id = at.tell("spawn", json!({ "pool": "House", "parent": above }))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    at.tell("edit", json!({ "pool": "House", "id": id, "field": "rooms", "value": 7 }));
    let with_children = at.tell("despawn", json!({ "pool": "House", "id": above }));
    assert_eq!(with_children, json!({ "despawned": 2, "can_be_undone": false }));

    let above = at.tell("spawn", json!({ "pool": "House" }))["id"].as_str().unwrap().to_owned();
    let id = at.tell("spawn", json!({ "pool": "House", "parent": above }))["id"]
        .as_str()
        .unwrap()
        .to_owned();
    at.tell("edit", json!({ "pool": "House", "id": id, "field": "rooms", "value": 7 }));
    let alone = at.tell("despawn", json!({ "pool": "House", "id": id }));
    assert_eq!(alone, json!({ "despawned": 1, "can_be_undone": true }));
    let again = at.tell("undo", json!({}))["id"].as_str().unwrap().to_owned();
    assert_ne!(again, id);
    assert_eq!(
        at.ask(Request::get(&format!("/api/v1/thing?pool=House&id={id}"))).status,
        410,
        "the old one stays stale"
    );
    let thing = at.get(&format!("thing?pool=House&id={again}"));
    assert_eq!(field(&thing, "rooms")["value"], 7);
    assert_eq!(thing["trees"][0]["parent"]["id"], above.as_str());
    // What was done before is taken back on the new one.
    at.tell("undo", json!({}));
    assert_eq!(field(&at.get(&format!("thing?pool=House&id={again}")), "rooms")["value"], 0);

    // Fields that cannot be written cannot be given back.
    let actor = at.tell("despawn", json!({ "pool": "Actor", "id": at.id(3) }));
    assert_eq!(actor["can_be_undone"], false);
}

#[test]
fn things_come_go_and_move_in_the_tree() {
    let mut at = Fixture::new();
    let child = at.tell("spawn", json!({ "pool": "Actor", "parent": at.id(5) }));
    assert_eq!(child["trees"][0]["parent"]["label"], "Orc 5");
    let id = child["id"].as_str().unwrap().to_owned();
    let moved = at.tell("attach", json!({ "pool": "Actor", "id": id, "parent": at.id(6) }));
    assert_eq!(moved["trees"][0]["parent"]["label"], "Orc 6");
    let freed = at.tell("detach", json!({ "pool": "Actor", "id": id }));
    assert_eq!(freed["trees"][0]["parent"], Value::Null);
    let handle = Handle::<Actor>::from_bits(id.parse().unwrap());
    for parent in [Some(at.actors[6]), Some(at.actors[5])] {
        at.tell("undo", json!({}));
        assert_eq!(at.world.pool::<Actor>().tree().parent(handle), parent);
    }
    at.tell("undo", json!({}));
    assert!(at.world.get(handle).is_none(), "what was spawned is gone");

    let cycle = at.post("attach", json!({ "pool": "Actor", "id": at.id(1), "parent": at.id(2) }));
    assert_eq!(cycle.status, 409);
    let gone = at.tell("despawn", json!({ "pool": "Actor", "id": at.id(1) }));
    assert_eq!(gone["despawned"], 2, "its child goes with it");
    assert_eq!(at.post("despawn", json!({ "pool": "Actor", "id": at.id(1) })).status, 410);
}

#[test]
fn the_tree_is_told_level_by_level_and_piece_by_piece() {
    let mut at = Fixture::new();
    let roots = at.get("tree?pool=Actor");
    assert_eq!((labels(&roots["nodes"]), &roots["more"]), (vec!["Orc 0"], &json!(false)));
    assert_eq!(roots["nodes"][0]["has_children"], true);
    let first = at.get(&format!("tree?pool=Actor&parent={}&limit=3", at.id(0)));
    assert_eq!(
        (labels(&first["nodes"]), &first["more"]),
        (vec!["Orc 1", "Orc 3", "Orc 4"], &json!(true))
    );
    let after = first["nodes"][2]["id"].as_str().unwrap().to_owned();
    let rest = at.get(&format!("tree?pool=Actor&parent={}&after={after}", at.id(0)));
    assert_eq!(
        (labels(&rest["nodes"]), &rest["more"]),
        (vec!["Orc 5", "Orc 6", "Orc 7", "Orc 8", "ITEM FROZEN"], &json!(false))
    );
    assert_eq!(
        labels(&at.get(&format!("tree?pool=Actor&parent={}", at.id(3)))["nodes"]),
        Vec::<&str>::new()
    );

    let houses: Vec<_> =
        (0..5).map(|rooms| at.world.spawn(House { rooms, ..Default::default() })).collect();
    assert_eq!(at.get("tree?pool=House")["nodes"], json!([]));
    let lone = at.get("tree?pool=House&lone=true&limit=4");
    assert_eq!((lone["nodes"].as_array().unwrap().len(), &lone["more"]), (4, &json!(true)));
    let after = lone["nodes"][3]["id"].as_str().unwrap().to_owned();
    let lone = at.get(&format!("tree?pool=House&lone=true&limit=4&after={after}"));
    assert_eq!((lone["nodes"].as_array().unwrap().len(), &lone["more"]), (2, &json!(false)));
    assert_eq!(lone["nodes"][1]["id"], houses[4].to_bits().to_string());
}

#[test]
fn the_schedule_tells_who_waits_for_whom_and_what_ran_when() {
    let mut at = Fixture::new();
    at.tell("control", json!({ "measure_all": true }));
    for _ in 0..3 {
        at.schedule.run(&mut at.world);
    }
    let schedule = at.get("schedule?spans=4");
    let names: Vec<_> = schedule["systems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["walk", "tire"]);
    assert_eq!(schedule["systems"][0]["runs"], 3);
    assert_eq!(
        schedule["edges"],
        json!([{ "before": 0, "after": 1, "reason": "field `hp` of `Actor`" }])
    );
    let spans: Vec<_> = schedule["spans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|span| span["system"].as_u64().unwrap())
        .collect();
    assert_eq!(spans, [0, 1, 0, 1]);
}

#[test]
fn the_program_is_paused_stepped_and_slowed_down() {
    let mut at = Fixture::new();
    let runs =
        |at: &mut Fixture, ticks: usize| (0..ticks).map(|_| at.inspector.steps()).sum::<u32>();
    assert_eq!(runs(&mut at, 4), 4);
    assert_eq!(at.tell("control", json!({ "paused": true }))["paused"], true);
    assert!(at.inspector.is_paused());
    assert_eq!(runs(&mut at, 4), 0);
    at.tell("control", json!({ "step": 2 }));
    assert_eq!(runs(&mut at, 4), 2);
    at.tell("control", json!({ "paused": false, "speed": 0.5 }));
    assert_eq!(runs(&mut at, 4), 2);
    assert_eq!(at.post("control", json!({ "speed": -1 })).status, 422);
    assert_eq!(at.post("control", json!({ "speed": "fast" })).status, 400);
    assert_eq!(at.post("control", json!({ "sped": 1 })).status, 400);
}

#[test]
fn charts_follow_ticks_counts_and_whatever_else_is_counted() {
    let mut at = Fixture::new();
    at.inspector.count_spawns::<House>(&mut at.world);
    for tick in 0..3 {
        at.inspector.steps();
        at.inspector.chart("noise", f64::from(tick));
        at.world.spawn(House::default());
        at.inspector.update(&mut at.world, &mut at.schedule);
    }
    // While it is paused nothing is noted, and no tick is counted.
    let tick = at.get("world")["tick"].clone();
    at.tell("control", json!({ "paused": true }));
    for _ in 0..700 {
        at.inspector.steps();
        at.inspector.update(&mut at.world, &mut at.schedule);
    }
    assert_eq!(at.get("world")["tick"], tick);
    let charts = at.get("charts");
    let series = |name: &str| {
        let all = charts["series"].as_array().unwrap();
        all.iter().find(|series| series["name"] == name).unwrap_or_else(|| panic!("{charts}"))["fine"].clone()
    };
    assert_eq!(charts["tick"], 3);
    assert_eq!(series("House"), json!([2.0, 3.0, 4.0]));
    assert_eq!(series("House spawned"), json!([1.0, 1.0, 1.0]));
    assert_eq!(series("noise"), json!([0.0, 1.0, 2.0]));
    assert_eq!(series("tick (ms)").as_array().unwrap().len(), 3);
}

#[test]
fn the_map_has_points_with_tags_and_leaves_some_out_when_there_are_too_many() {
    let mut at = Fixture::new();
    let map = at.get("map?pool=Actor&x=pos.x&y=pos.y");
    assert_eq!(map["x"].as_array().unwrap().len(), 10);
    assert_eq!(map["sets"], json!([["MOVES"], ["ITEM", "FROZEN"]]));
    assert_eq!(
        (&map["x"][3], &map["y"][3], &map["set"][3]),
        (&json!(3.0), &json!(30.0), &json!(1))
    );
    assert_eq!((&map["id"][3], &map["sampled"]), (&json!(at.id(3)), &json!(false)));
    for number in 0..3000u16 {
        let pos = Vec2 { x: f32::from(number), y: 0.0 };
        at.world.spawn(Actor {
            pos,
            tags: Tags::MOVES,
            hp: f32::from(number % 2),
            ..Default::default()
        });
    }
    for filter in ["", "&filter=hp<50"] {
        let map = at.get(&format!("map?pool=Actor&x=pos.x&y=hp&limit=500{filter}"));
        let points = map["x"].as_array().unwrap().len();
        assert!((150..=500).contains(&points), "{points} points with {filter:?}");
        assert_eq!(map["sampled"], true);
    }
    let refused = at.ask(Request::get("/api/v1/map?pool=Actor&x=pos.x&y=name"));
    assert_eq!(refused.status, 422);
}

#[test]
fn bad_requests_are_refused_with_the_right_status() {
    let mut at = Fixture::new();
    for (target, status, words) in [
        ("/", 404, "there is nothing at"),
        ("/api/v1/../../etc/passwd", 404, "there is nothing at"),
        ("/api/v2/world", 404, "there is nothing at"),
        ("/api/v1/things", 400, "`pool` is missing"),
        ("/api/v1/things?pool=Dragon", 404, "no pool `Dragon`"),
        ("/api/v1/things?pool=Spark", 404, "derive `Inspect`"),
        ("/api/v1/things?pool=Actor&columns=mana", 400, "no field `mana`"),
        ("/api/v1/things?pool=Actor&columns=pos.z", 400, "no number `z`"),
        ("/api/v1/things?pool=Actor&limit=x", 400, "`limit` must be a whole number"),
        ("/api/v1/things?pool=Actor&limit=-1", 400, "`limit` must be a whole number"),
        ("/api/v1/things?pool=Actor&sort=mana", 400, "no field `mana`"),
        ("/api/v1/things?pool=Actor&filter=hp+<+", 400, "column 5"),
        ("/api/v1/things?pool=Actor&filter=name<3", 400, "not a number"),
        ("/api/v1/things?pool=Actor&filter=tags+has+FLIES", 400, "no flag `FLIES`"),
        ("/api/v1/things?pool=Actor&filter=hp+has+MOVES", 400, "has no flags"),
        ("/api/v1/things?pool=Actor&filter=name", 400, "neither true nor false"),
        ("/api/v1/things?pool=Actor&colums=hp", 400, "no `colums`"),
        ("/api/v1/thing?pool=Actor&id=x", 400, "bits of a handle"),
        ("/api/v1/thing?pool=Actor&id=0", 404, "no thing"),
        ("/api/v1/thing?pool=Actor&id=18446744073709551615", 404, ""),
        ("/api/v1/thing?pool=Actor&id=99999999999999999999999", 400, "bits of a handle"),
        ("/api/v1/tree?pool=Actor&tree=carried", 404, "no tree `carried`"),
        ("/api/v1/edit", 405, "needs POST"),
    ] {
        let response = at.ask(Request::get(target));
        let message = response.body["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(response.status, status, "{target}: {message}");
        assert!(message.contains(words), "{target}: {message}");
    }
    let column =
        at.ask(Request::get("/api/v1/things?pool=Actor&filter=hp+%3C+")).body["error"]["column"]
            .clone();
    assert_eq!(column, 5);
    assert_eq!(at.post("world", json!({})).status, 405);
    assert!(
        at.get("things?pool=Actor&limit=1000000000000")["rows"].as_array().unwrap().len() <= 500
    );
}

#[test]
fn an_inspector_that_only_looks_refuses_to_change_anything() {
    let mut at = Fixture::new();
    at.inspector.read_only(true);
    for path in ["edit", "spawn", "despawn", "attach", "detach", "undo", "control"] {
        let body = json!({ "pool": "Actor", "id": at.id(1) });
        assert_eq!(at.post(path, body).status, 403, "{path}");
    }
    assert_eq!(at.get("world")["read_only"], true);
    assert_eq!(at.world.pool::<Actor>().len(), 10);
}

#[test]
fn a_type_whose_own_code_panics_fails_the_request_and_nothing_else() {
    #[derive(Default)]
    struct Mine;
    impl std::fmt::Debug for Mine {
        fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            panic!("stepped on")
        }
    }
    #[derive(lath_core::Thing, lath_inspect::Inspect, Default)]
    struct Field {
        mine: Mine,
    }
    let mut at = Fixture::new();
    at.world.spawn(Field { mine: Mine });
    at.inspector.pool::<Field>();
    let response = at.ask(Request::get("/api/v1/things?pool=Field"));
    assert_eq!(response.status, 500);
    assert!(response.body["error"]["message"].as_str().unwrap().contains("stepped on"));
    assert_eq!(at.get("things?pool=Actor")["total"], 10);
}

#[test]
fn a_pool_that_was_named_but_has_no_things_yet_is_empty() {
    let mut inspector = Inspector::new();
    inspector.pool::<Actor>();
    let (mut world, mut schedule) = Default::default();
    let mut get = |target: &str| inspector.handle(&mut world, &mut schedule, Request::get(target));
    assert_eq!(get("/api/v1/things?pool=Actor").body["total"], 0);
    assert_eq!(get("/api/v1/world").body["pools"][0]["stats"]["live"], 0);
    assert_eq!(get("/api/v1/map?pool=Actor&x=hp&y=hp").body["x"], json!([]));
    assert_eq!(get("/api/v1/thing?pool=Actor&id=4294967297").status, 404);
}
