//! Worlds as text, and prefabs: what is written is read again, and what is wrong is said.

mod common;
#[path = "games/prefabs.rs"]
mod prefabs;

use common::dice::Dice;
use common::play::look;
use common::things::{MixedColumns, MixedRow, PlainColumns, PlainRow, Subject, Tags};
use common::world::{Score, empty, happen, lively};
use lath_core::{Branch, Handle, Pool};
use lath_schedule::World;
use lath_snapshot::{Load, Prefab, SaveWorld, Snapshot, spawn_prefab, spawn_prefab_with};
use prefabs::Part;

/// Without what a text does not have: everything but live things, and counts.
fn lines<T: Subject>(world: &World) -> String {
    look(world.pool::<T>()).lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_world_is_the_same_after_text() {
    for seed in 0..12 {
        let mut random = Dice::with_seed(seed);
        let mut world = lively(&mut random, 25);
        world.pool_mut::<MixedRow>().commit();
        world.pool_mut::<PlainRow>().commit();
        world.pool_mut::<PlainColumns>().commit();
        world.pool_mut::<MixedColumns>().commit();
        let text = Snapshot::take(&world).unwrap().to_text().unwrap();
        let mut other = empty();
        Load::new()
            .from_text(&mut other, &text)
            .unwrap_or_else(|error| panic!("{error} in\n{text}"));
        assert_eq!(lines::<PlainRow>(&other), lines::<PlainRow>(&world), "seed {seed}");
        assert_eq!(lines::<MixedRow>(&other), lines::<MixedRow>(&world), "seed {seed}");
        assert_eq!(lines::<PlainColumns>(&other), lines::<PlainColumns>(&world), "seed {seed}");
        assert_eq!(lines::<MixedColumns>(&other), lines::<MixedColumns>(&world), "seed {seed}");
        assert_eq!(other.resource::<Score>(), world.resource::<Score>());
        assert_eq!(Snapshot::take(&other).unwrap().to_text().unwrap(), text);
        happen(&mut other, &mut random, 20);
    }
}

#[test]
fn what_is_wrong_with_a_text_is_said_and_nothing_changes() {
    let mut world = empty();
    world.spawn(PlainRow::new(4));
    let was = look(world.pool::<PlainRow>());
    let one =
        |fields: &str| format!("(pools: {{\"PlainRow\": [(at: 4294967297, fields: {fields})]}})");
    for (text, words) in [
        ("nonsense".to_string(), "line 1"),
        ("(pools: {\"Nobody\": []})".into(), "`Nobody`"),
        (one("(value: \"many\")"), "field `value` of `PlainRow`"),
        (one("(value: -1)"), "field `value` of `PlainRow`"),
        ("(pools: {\"PlainRow\": [(at: 0)]})".into(), "nil"),
        ("(pools: {\"PlainRow\": [(at: 4294967297), (at: 4294967297)]})".into(), "twice"),
        (
            "(pools: {\"PlainRow\": [(at: 4294967297, children: {\"Attached\": [4294967297]})]})"
                .into(),
            "R",
        ),
        (
            "(pools: {\"PlainRow\": [(at: 4294967297, children: {\"Attached\": [4294967299]})]})"
                .into(),
            "not there",
        ),
        ("(pools: {\"PlainRow\": [(at: 8589934591)]})".into(), "far apart"),
        ("(pools: {\"MixedRow\": [(at: 1025, tags: \"Z\")]})".into(), "`Z`"),
        ("(resources: {\"Score\": 5})".into(), "resource `Score`"),
    ] {
        let error = Load::new().from_text(&mut world, &text).expect_err(&text).to_string();
        assert!(error.contains(words), "`{words}` is not in `{error}`");
        assert_eq!(look(world.pool::<PlainRow>()), was);
    }
    Load::new().from_text(&mut world, &one("(value: 9, gone: 3)")).unwrap(); // fields may be gone
    assert_eq!(world.pool::<PlainRow>().iter().map(|(_, row)| row.value).collect::<Vec<_>>(), [9]);
}

fn part(name: &str) -> Part {
    Part { name: name.into(), ..Part::default() }
}

#[test]
fn handles_inside_a_prefab_name_the_parts_of_every_copy() {
    let mut world = World::new();
    let pool = world.pool_mut::<Part>();
    let outside = pool.spawn(part("outside"));
    let root = pool.spawn_tree(
        Branch::new(part("root"))
            .with(Branch::new(part("arm")).with(part("hand")))
            .with(part("head")),
    );
    let [arm, hand, head] =
        <[_; 3]>::try_from(pool.tree().descendants(root).collect::<Vec<_>>()).unwrap();
    pool.insert_tags(hand, Tags::B);
    pool.edit(hand, |hand| {
        *hand = Part {
            target: root,
            maybe: Some(head),
            pair: [arm, outside],
            many: vec![arm, hand_of(head), root],
            ..hand.clone()
        };
    });
    let prefab = Prefab::of(pool, root).unwrap();
    let read = Prefab::<Part>::from_text(&prefab.to_text().unwrap()).unwrap();
    assert!(Prefab::of(pool, Handle::NIL).is_none());
    for prefab in [&prefab, &read] {
        for _ in 0..3 {
            let root = spawn_prefab(&mut world, prefab).unwrap();
            let pool = world.pool::<Part>();
            let [arm, hand, head] =
                <[_; 3]>::try_from(pool.tree().descendants(root).collect::<Vec<_>>()).unwrap();
            let copy = &pool[hand];
            assert_eq!((copy.name.as_str(), copy.target, copy.maybe), ("hand", root, Some(head)));
            assert_eq!(copy.pair, [arm, Handle::NIL], "what is outside is nobody");
            assert_eq!(copy.many, [arm, head, root]);
            assert!(pool.has(hand, Tags::B) && !pool.has(arm, Tags::B));
            assert_eq!(pool.tree().parent(root), None);
        }
    }
    world.pool::<Part>().check_invariants().unwrap();
    assert_eq!(world.pool::<Part>().len(), 5 + 6 * 4);
}

fn hand_of(head: Handle<Part>) -> Handle<Part> {
    head
}

#[test]
fn prefabs_are_nested_and_overridden() {
    let library = prefabs::library();
    assert_eq!(library.get("cart").unwrap().len(), 1 + 2 * (1 + 2 * 2));

    let mut world = World::new();
    world.spawn(part("first")); // so that handles are not by chance those of the text
    let cart = spawn_prefab(&mut world, library.get("cart").unwrap()).unwrap();
    let pool = world.pool::<Part>();
    let seen: Vec<_> = pool
        .tree()
        .descendants(cart)
        .map(|part| format!("{} {}", pool[part].name, pool[part].hp))
        .collect();
    let axle = |hp| {
        [
            "axle 0".to_string(),
            "wheel 2".into(),
            "hub 0".into(),
            format!("wheel {hp}"),
            "hub 0".into(),
        ]
    };
    assert_eq!(seen, [axle(8), axle(7)].concat());
    let axles: Vec<_> = pool.tree().children(cart).collect();
    assert_eq!(pool[cart].target, axles[0]);
    assert!(pool.has(axles[0], Tags::C) && !pool.has(axles[1], Tags::C));
    let changed = pool.tree().last_child(axles[0]).unwrap();
    assert_eq!(pool[changed].maybe, Some(cart), "an override speaks of the text that it stands in");
    for wheel in axles.iter().flat_map(|axle| pool.tree().children(*axle)) {
        let hub = pool.tree().first_child(wheel).unwrap();
        assert_eq!((pool[wheel].target, pool[hub].target), (hub, wheel));
    }

    let mut library = library;
    for (text, words) in [
        ("(prefab: \"boat\")", "`boat`"),
        ("(fields: (nmae: \"x\"))", "field `nmae`"),
        ("(fields: (hp: true))", "field `hp` of `Part`"),
        ("(tags: \"Z\")", "`Z`"),
        ("(prefab: \"wheel\", inside: {5: (fields: (hp: 1))})", "no part `5`"),
        ("(id: 7, children: [(id: 7)])", "id 7"),
        ("(", "line 1"),
    ] {
        let error = library.add("bad", text).err().expect(text).to_string();
        assert!(error.contains(words), "`{words}` is not in `{error}`");
    }
    for text in prefabs::TEXTS {
        prefabs::read(text.as_bytes());
    }
    let deep = "(children: [".repeat(100) + "()" + &"])".repeat(100);
    assert!(library.add("deep", &deep).is_err());
}

#[test]
fn a_prefab_that_does_not_fit_spawns_nothing() {
    let mut world = World::new();
    world.add_pool(Pool::<Part>::fixed(2).unwrap());
    world.saves::<Part>();
    let prefab = Prefab::<Part>::from_text("(children: [(), ()])").unwrap();
    assert!(spawn_prefab(&mut world, &prefab).is_err());
    assert_eq!((world.pool::<Part>().len(), world.pool::<Part>().stats().reserved), (0, 0));
    let one = Prefab::<Part>::from_text("(fields: (hp: 3))").unwrap();
    let spawned = spawn_prefab_with(&mut world, &one, |n, part| part.hp += 1 + n as u32).unwrap();
    assert_eq!(world.read(spawned).hp, 4);
}
