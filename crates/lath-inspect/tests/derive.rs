//! The derive, on every shape that a thing can have.

use std::fmt::Debug;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Thing};
use lath_inspect::{Inspect, Inspector, Request};
use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

/// The first row of a pool and what its fields are.
fn first<T: Inspect>(thing: T) -> (Vec<Value>, Value) {
    let (mut world, mut schedule) = (World::new(), Schedule::new());
    let mut inspector = Inspector::new();
    world.spawn(thing);
    inspector.pool::<T>();
    let mut get = |target: &str| {
        let response = inspector.handle(&mut world, &mut schedule, Request::get(target));
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    };
    let mut pool = get("/api/v1/world")["pools"][0].take();
    let name = pool["name"].as_str().unwrap().replace(' ', "%20");
    let page = get(&format!("/api/v1/things?pool={name}"));
    let cells = page["rows"][0]["cells"].as_array().unwrap();
    (cells.iter().map(|cell| cell["text"].clone()).collect(), pool["fields"].take())
}

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const A = 1; const B = 2; }
}

#[test]
fn tuples_and_structs_without_fields_are_shown() {
    #[derive(Thing, Inspect, Default)]
    struct Tuple(f32, #[thing(tags)] Tags, &'static str, Option<&'static str>);
    #[derive(Thing, Inspect, Default)]
    struct Unit;
    #[derive(Thing, Inspect, Default)]
    struct Empty {}
    let (texts, fields) = first(Tuple(1.5, Tags::A | Tags::B, "x", Some("y")));
    assert_eq!(texts, ["1.5", "A B", "x", "Some(\"y\")"]);
    assert_eq!(fields[0]["name"], "0");
    assert_eq!((&fields[1]["tags"], &fields[1]["flags"]), (&json!(true), &json!(["A", "B"])));
    assert_eq!(
        fields[2]["editable"], false,
        "a borrowed text can be written as JSON, and not read from it"
    );
    assert_eq!(first(Unit).0, Vec::<Value>::new());
    assert_eq!(first(Empty {}).0, Vec::<Value>::new());
}

#[test]
fn of_a_generic_thing_is_known_what_its_bounds_promise() {
    #[derive(Thing, Inspect, Default)]
    struct Pair<X: Debug, Y>
    where
        X: Default + Send + Sync + 'static,
        Y: Default + Send + Sync + 'static,
    {
        x: X,
        y: Y,
        z: u32,
        other: Handle<Pair<X, Y>>,
    }
    let (texts, fields) = first(Pair { x: vec![1], y: 2u8, z: 3, other: Handle::NIL });
    assert_eq!(texts, ["[1]", "(u8)", "3", "nil"]);
    assert_eq!((&fields[0]["editable"], &fields[2]["number"]), (&json!(false), &json!(true)));
    assert_eq!(fields[3]["link"], "Pair<Vec<i32>, u8>");
}

#[test]
fn names_of_fields_and_types_are_not_in_the_way() {
    #[derive(Default, Debug)]
    struct ShowName;
    #[derive(Default, Debug)]
    struct Probe;
    #[derive(Default, Debug)]
    struct How;
    #[derive(Thing, Inspect, Default)]
    #[thing(columns, module = odd_fields, handle(bits = 16, index = 8))]
    #[allow(non_camel_case_types)]
    struct odd {
        list: ShowName,
        probe: Probe,
        how: How,
        r#type: u8,
        #[thing(cold)]
        thing: Option<u8>,
        #[thing(hot)]
        me: Handle<odd>,
    }
    let thing =
        odd { list: ShowName, probe: Probe, how: How, r#type: 7, thing: None, me: Handle::NIL };
    let (texts, fields) = first(thing);
    assert_eq!(texts, ["ShowName", "Probe", "How", "7", "None", "nil"]);
    assert_eq!((&fields[3]["name"], &fields[4]["editable"]), (&json!("type"), &json!(true)));
}

#[test]
fn what_cannot_be_shown_shows_its_type_and_what_can_only_be_written_is_not_editable() {
    #[derive(Default)]
    struct Nothing;
    #[derive(Default, serde::Serialize)]
    struct OneWay {
        depth: f32,
    }
    #[derive(Thing, Inspect, Default)]
    struct Holder {
        nothing: Nothing,
        one_way: OneWay,
        many: Vec<u64>,
    }
    let (texts, fields) = first(Holder { many: vec![1; 1000], ..Default::default() });
    assert_eq!((&texts[0], &texts[1]), (&json!("(Nothing)"), &json!("(OneWay)")));
    assert!(texts[2].as_str().unwrap().ends_with('…'), "{}", texts[2]);
    assert_eq!((&fields[1]["editable"], &fields[1]["parts"]), (&json!(false), &json!(["depth"])));
    assert_eq!(fields[2]["editable"], true);
}
