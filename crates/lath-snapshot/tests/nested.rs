//! Values that contain values of their own type: as deep as they may be, they are saved and loaded
//! on a small stack; deeper, they are refused, by who writes them and by who reads them.

use std::collections::BTreeMap;

use lath_core::Thing;
use lath_schedule::World;
use lath_snapshot::{Load, Prefab, PrefabLibrary, Save, SaveError, SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};

/// How deep values may be nested, as the docs say.
const DEEPEST: usize = 256;

/// The stack of a thread, unless it is told otherwise.
const STACK: usize = 2 << 20;

fn on_a_small_stack<X: Send>(f: impl FnOnce() -> X + Send) -> X {
    std::thread::scope(|threads| {
        let small = std::thread::Builder::new().stack_size(STACK).spawn_scoped(threads, f);
        small.unwrap().join().unwrap()
    })
}

/// A type of which a value may be inside of another.
trait Nested:
    Clone + Default + PartialEq + Serialize + for<'de> Deserialize<'de> + Send + Sync + 'static
{
    /// With so many inside of each other.
    fn deep(count: usize) -> Self {
        (0..count).fold(Self::default(), |inner, _| inner.wrap())
    }

    fn wrap(self) -> Self;
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    kids: Vec<Node>,
}

impl Nested for Node {
    fn wrap(self) -> Self {
        Self { kids: vec![self] }
    }
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Chain {
    next: Option<Box<Chain>>,
}

impl Nested for Chain {
    fn wrap(self) -> Self {
        Self { next: Some(Box::new(self)) }
    }
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
struct Map(BTreeMap<String, Map>);

impl Nested for Map {
    fn wrap(self) -> Self {
        Self(BTreeMap::from([("inner".to_string(), self)]))
    }
}

#[derive(Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
enum Term {
    #[default]
    End,
    Not(Box<Term>),
    Both(Box<Term>, Box<Term>),
    Named {
        inner: Box<Term>,
    },
}

impl Nested for Term {
    fn wrap(self) -> Self {
        match self {
            Self::End | Self::Named { .. } => Self::Not(Box::new(self)),
            Self::Not(_) => Self::Both(Box::new(self), Box::new(Self::End)),
            Self::Both(..) => Self::Named { inner: Box::new(self) },
        }
    }
}

#[derive(Thing, Save, Clone, Default)]
struct Tree<N: Nested> {
    root: N,
}

fn world<N: Nested>() -> World {
    let mut world = World::new();
    world.saves::<Tree<N>>().named("Tree");
    world.saves_resource::<N>().named("roots");
    world
}

/// As it is saved in every way: in a field and in a resource, as bytes and as text.
fn write<N: Nested>(root: N) -> [Result<Saved, SaveError>; 4] {
    let (mut field, mut resource) = (world::<N>(), world::<N>());
    field.spawn(Tree { root: root.clone() });
    resource.insert(root);
    let [field, resource] = [field, resource].map(|world| Snapshot::take(&world).unwrap());
    [
        Write::new().to_bytes(&field).map(Saved::Bytes),
        Write::new().to_bytes(&resource).map(Saved::Bytes),
        field.to_text().map(Saved::Text),
        resource.to_text().map(Saved::Text),
    ]
}

enum Saved {
    Bytes(Vec<u8>),
    Text(String),
}

fn read<N: Nested>(saved: &Saved) -> Result<N, SaveError> {
    let mut world = world::<N>();
    match saved {
        Saved::Bytes(bytes) => Load::new().from_bytes(&mut world, bytes)?,
        Saved::Text(text) => Load::new().from_text(&mut world, text)?,
    }
    let root = world.pool::<Tree<N>>().iter().next().map(|(_, tree)| tree.root.clone());
    Ok(root.unwrap_or_else(|| world.resource::<N>().clone()))
}

/// Values are saved and loaded up to `count` inside of each other, and refused beyond.
fn goes_as_deep_as<N: Nested>(count: usize) {
    for count in [0, 1, 100, count] {
        let root = N::deep(count);
        for saved in write(root.clone()) {
            let saved = saved.unwrap_or_else(|error| panic!("{count} inside: {error}"));
            let loaded =
                read::<N>(&saved).unwrap_or_else(|error| panic!("{count} inside: {error}"));
            assert!(loaded == root, "{count} inside");
        }
    }
    for saved in write(N::deep(count + 1)) {
        let error = saved.err().expect("one too many").to_string();
        assert!(error.contains("deeper than 256 levels"), "{error}");
        assert!(error.contains("field `root` of `Tree`") || error.contains("`roots`"), "{error}");
    }
}

#[test]
fn as_deep_as_a_value_may_be_it_is_saved_and_loaded_on_a_small_stack() {
    // A node is two levels, and the last one has an empty list.
    on_a_small_stack(|| goes_as_deep_as::<Node>((DEEPEST - 2) / 2));
    on_a_small_stack(|| goes_as_deep_as::<Map>((DEEPEST - 2) / 2));
    on_a_small_stack(|| goes_as_deep_as::<Chain>((DEEPEST - 1) / 2));
    on_a_small_stack(|| goes_as_deep_as::<Term>((DEEPEST - 1) / 5 * 3));
}

/// Things and values that go by the same names, but write whatever bytes they are made of.
mod hostile {
    use super::*;

    #[derive(Clone, Default, Deserialize)]
    pub(super) struct Node(pub(super) Vec<u8>);

    impl Serialize for Node {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeTuple;
            let mut bytes = to.serialize_tuple(self.0.len())?;
            self.0.iter().try_for_each(|byte| bytes.serialize_element(byte))?;
            bytes.end()
        }
    }

    #[derive(Thing, Save, Clone, Default)]
    pub(super) struct Tree {
        root: Node,
    }

    /// A save whose pool `Tree`, or else whose resource `Node`, has one value of these bytes.
    pub(super) fn save(bytes: &[u8], in_a_field: bool) -> Vec<u8> {
        let root = Node(bytes.to_vec());
        let mut world = World::new();
        world.saves::<Tree>();
        world.saves_resource::<Node>();
        if in_a_field {
            world.spawn(Tree { root });
        } else {
            world.insert(root);
        }
        Write::new().to_bytes(&Snapshot::take(&world).unwrap()).unwrap()
    }
}

/// The nodes of above in fields and as a resource, under the names of the hostile ones.
fn victim() -> World {
    #[derive(Thing, Save, Clone, Default)]
    struct Tree {
        root: Node,
    }

    let mut world = World::new();
    world.saves::<Tree>();
    world.saves_resource::<Node>();
    world.insert(Node::deep(1));
    world
}

#[test]
fn a_save_that_is_nested_deeper_than_any_stack_is_an_error_that_says_where() {
    let deep = [vec![1; 1_000_000], vec![0]].concat();
    for (in_a_field, place) in [(true, "field `root` of `Tree`"), (false, "resource `Node`")] {
        let save = hostile::save(&deep, in_a_field);
        on_a_small_stack(|| {
            let mut world = victim();
            let error = Load::new().from_bytes(&mut world, &save).unwrap_err().to_string();
            assert!(error.contains(place) && error.contains("deeper than 256 levels"), "{error}");
            assert!(*world.resource::<Node>() == Node::deep(1), "nothing has changed");
        });
        // What is as deep as it may be is no trouble.
        let most = (DEEPEST - 2) / 2;
        let save = hostile::save(&[vec![1; most], vec![0]].concat(), in_a_field);
        on_a_small_stack(|| Load::new().from_bytes(&mut victim(), &save).unwrap());
    }
}

#[test]
fn bytes_after_a_resource_are_an_error() {
    for (bytes, is_whole) in [(&[0][..], true), (&[0, 7], false), (&[1, 0], true), (&[], false)] {
        let save = hostile::save(bytes, false);
        let result = Load::new().from_bytes(&mut victim(), &save);
        assert_eq!(result.is_ok(), is_whole, "{bytes:?}");
        if let Err(error) = result {
            assert!(error.to_string().contains("resource `Node`"), "{error}");
        }
    }
}

#[test]
fn a_text_that_is_nested_deeper_than_any_stack_is_an_error() {
    const MANY: usize = 200_000;
    let nodes = "(kids: [".repeat(MANY) + &"])".repeat(MANY);
    let texts = [
        format!("(pools: {{\"Tree\": [(at: 4294967297, fields: (root: {nodes}))]}})"),
        format!("(resources: {{\"Node\": {nodes}}})"),
        format!("(resources: {{\"Node\": {}}})", "Some(".repeat(MANY)),
        format!("(pools: {{\"Tree\": {}}})", "[".repeat(MANY)),
        format!("(resources: {{\"Node\": {}}})", "{0: ".repeat(MANY)),
    ];
    for text in &texts {
        on_a_small_stack(|| {
            let error = Load::new().from_text(&mut victim(), text).unwrap_err().to_string();
            assert!(error.contains("deeper than 256 levels"), "{error}");
        });
    }
    let prefabs = [
        format!("(fields: (root: {nodes}))"),
        format!("(prefab: \"leaf\", inside: {{1: (fields: (root: {nodes}))}})"),
        "(children: [".repeat(MANY) + &"])".repeat(MANY),
        "(children: [".repeat(MANY),
    ];
    for text in &prefabs {
        on_a_small_stack(|| {
            let mut library = PrefabLibrary::<Tree<Node>>::new();
            library.add("leaf", "(id: 1)").unwrap();
            assert!(library.add("deep", text).is_err());
            assert!(library.names().eq(["leaf"]));
        });
    }
}

/// Serde reads all of such a value before it tries what it could be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Any {
    Number(u8),
    List(Vec<Any>),
    Thing { inner: Box<Any> },
}

#[test]
fn what_a_type_passes_over_or_keeps_for_later_is_bounded_as_well() {
    for (open, close) in [("[", "]"), ("(", ")"), ("(inner: ", ")"), ("Some(", ")"), ("{0: ", "}")]
    {
        for count in [100, 120, 130, 260, 400] {
            let value = open.repeat(count) + "1" + &close.repeat(count);
            on_a_small_stack(|| {
                let mut world = world::<Node>();
                world.saves_resource::<Any>();
                let passed_over = format!("(resources: {{\"roots\": (gone: {value}, kids: [])}})");
                let result = Load::new().from_text(&mut world, &passed_over);
                assert_eq!(result.is_ok(), count < DEEPEST / 2, "{count} {open}: {result:?}");
                let any = format!("(resources: {{\"Any\": {value}}})");
                let result = Load::new().from_text(&mut world, &any);
                assert!(result.is_err() || count < DEEPEST / 2, "{count} {open}");
                assert!(result.is_ok() || count >= DEEPEST / 2 || open != "[", "{result:?}");
            });
        }
    }
}

#[test]
fn a_prefab_may_have_its_deepest_value_in_its_deepest_part() {
    const PARTS: usize = 60;
    on_a_small_stack(|| {
        let value = write_node((DEEPEST - 2) / 2);
        let deep = |parts, fields: &str| {
            "(children: [".repeat(parts) + &format!("(fields: {fields})") + &"])".repeat(parts)
        };
        let prefab = Prefab::<Tree<Node>>::from_text(&deep(PARTS, &value)).unwrap();
        assert_eq!(prefab.len(), PARTS + 1);
        let again = Prefab::<Tree<Node>>::from_text(&prefab.to_text().unwrap()).unwrap();
        assert_eq!(again.len(), PARTS + 1);
        assert!(Prefab::<Tree<Node>>::from_text(&deep(PARTS + 1, "()")).is_err());

        // Deeper than its text may be: by nesting one in another.
        let mut library = PrefabLibrary::<Tree<Node>>::new();
        library.add("chain", &deep(PARTS - 1, "()")).unwrap();
        let longer = deep(2, "()").replace("(fields: ())", "(prefab: \"chain\")");
        let error = library.add("longer", &longer).unwrap().to_text().unwrap_err().to_string();
        assert!(error.contains("deeper than 60 levels"), "{error}");
    });
}

fn write_node(count: usize) -> String {
    format!("(root: {}(kids: []){})", "(kids: [".repeat(count), "])".repeat(count))
}

#[test]
fn a_list_of_nothing_is_as_long_as_its_bytes_account_for() {
    #[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
    struct Node(Vec<()>);

    let world = |nothings| {
        let mut world = World::new();
        world.saves_resource::<Node>();
        world.insert(Node(vec![(); nothings]));
        world
    };
    // 2^63 of them, said in nine bytes.
    let claim = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1];
    let save = hostile::save(&claim, false);
    let mut victim = world(3);
    let error = Load::new().ignore("Tree").from_bytes(&mut victim, &save).unwrap_err().to_string();
    assert!(error.contains("resource `Node`") && error.contains("1048576 entries"), "{error}");
    assert_eq!(victim.resource::<Node>().0.len(), 3);

    for (nothings, is_saved) in [(0, true), (1 << 20, true), (2 << 20, false)] {
        let mut world = world(nothings);
        let save = Write::new().to_bytes(&Snapshot::take(&world).unwrap());
        assert_eq!(save.is_ok(), is_saved, "{nothings}");
        let Ok(save) = save else { continue };
        world.insert(Node(Vec::new()));
        Load::new().from_bytes(&mut world, &save).unwrap();
        assert_eq!(world.resource::<Node>().0.len(), nothings);
    }
}
