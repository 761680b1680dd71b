//! Texts of prefabs: any text is a prefab or an error, and what is a prefab can be spawned, written
//! and read again.

use lath_core::{Handle, Thing};
use lath_schedule::World;
use lath_snapshot::{Prefab, PrefabLibrary, Save, SaveWorld, spawn_prefab};

use crate::common::things::Tags;

#[derive(Thing, Save, Clone, Default, Debug, PartialEq)]
pub(crate) struct Part {
    #[thing(tags)]
    pub(crate) tags: Tags,
    pub(crate) name: String,
    pub(crate) hp: u32,
    pub(crate) target: Handle<Part>,
    pub(crate) maybe: Option<Handle<Part>>,
    pub(crate) pair: [Handle<Part>; 2],
    pub(crate) many: Vec<Handle<Part>>,
    #[thing(skip)]
    pub(crate) seen: u32,
}

/// A wheel with a hub, an axle with two wheels, a cart with two axles.
pub(crate) fn library() -> PrefabLibrary<Part> {
    let mut library = PrefabLibrary::<Part>::new();
    let id = |n: u64| (1u64 << 32) + n;
    let wheel = format!(
        "(id: {0}, fields: (name: \"wheel\", hp: 2, target: {1}), children: [(id: {1}, tags: \"A\", fields: (name: \"hub\", target: {0}))])",
        id(1),
        id(2)
    );
    library.add("wheel", &wheel).unwrap();
    let axle = format!(
        "(fields: (name: \"axle\"), children: [(prefab: \"wheel\"), (id: {0}, prefab: \"wheel\", fields: (hp: 7))])",
        id(2)
    );
    library.add("axle", &axle).unwrap();
    // The same ids mean other things in every text.
    let cart = format!(
        "(id: {0}, fields: (name: \"cart\", target: {1}), children: [
            (id: {1}, prefab: \"axle\", tags: \"C\", inside: {{{1}: (fields: (hp: 8, maybe: Some({0})))}}),
            (prefab: \"axle\"),
        ])",
        id(1),
        id(2),
    );
    library.add("cart", &cart).unwrap();
    library
}

/// Some that are good, and some that are not.
pub(crate) const TEXTS: &[&str] = &[
    "(id: 1, tags: \"A | B\", fields: (name: \"wheel\", hp: 2, target: 2, maybe: Some(1), pair: (1, 2), many: [1, 2, 3]), children: [(id: 2)])",
    "(prefab: \"cart\", fields: (hp: 9), inside: {4294967298: (tags: \"C\", fields: (hp: 1))}, children: [(prefab: \"wheel\")])",
    "(id: 18446744073709551615, fields: (target: 18446744073709551615))",
    "(tags: \"0xff\")",
    "(prefab: \"boat\")",
    "(children: [(children: [(), ()]), (id: 7), (id: 7)])",
];

/// Reads any text, and uses what comes of it.
pub(crate) fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut library = library();
    let before = library.names().count();
    if let Err(error) = library.add("new", text) {
        assert!(!error.to_string().is_empty());
        assert_eq!(
            (library.names().count(), library.get("new").is_none()),
            (before, true),
            "{error}"
        );
        return;
    }
    let prefab = library.get("new").unwrap();
    let mut world = World::new();
    world.saves::<Part>();
    let root = spawn_prefab(&mut world, prefab).unwrap();
    let pool = world.pool::<Part>();
    pool.check_invariants().unwrap();
    assert_eq!(
        (pool.len(), pool.tree().descendants(root).count() + 1),
        (prefab.len(), prefab.len())
    );
    // Handles name parts of this copy, or nobody.
    for (_, part) in pool.iter() {
        let named = [part.target, part.maybe.unwrap_or_default(), part.pair[0], part.pair[1]];
        assert!(
            named.iter().chain(&part.many).all(|handle| handle.is_nil() || pool.contains(*handle))
        );
    }
    let written = Prefab::of(pool, root).unwrap().to_text().unwrap();
    let again =
        Prefab::<Part>::from_text(&written).unwrap_or_else(|error| panic!("{error} in\n{written}"));
    let copy = spawn_prefab(&mut world, &again).unwrap();
    let pool = world.pool::<Part>();
    assert_eq!(Prefab::of(pool, copy).unwrap().len(), prefab.len());
    let shown = |top: Handle<Part>| {
        let parts = std::iter::once(top).chain(pool.tree().descendants(top));
        parts
            .map(|part| {
                (pool[part].name.clone(), pool[part].hp, pool[part].tags, pool[part].many.len())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(copy), shown(root));
}
