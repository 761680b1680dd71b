//! A handle says what its bits say, at every width; handles of any type and ranges of handles say
//! the same.

use std::any::{TypeId, type_name};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use fastrand::Rng;
use lath_core::{AnyHandle, Handle, HandleRange, Thing};

/// All of 16 bits: 6 for the index, 6 for the generation, 4 for the kind.
#[derive(Thing, Default, Debug)]
#[thing(handle(bits = 16, index = 6, kind = 4))]
struct Item {
    #[thing(kind)]
    kind: u32,
}

/// No kinds, and a generation of one bit: every slot is used once.
#[derive(Thing, Default, Debug)]
#[thing(handle(bits = 16, index = 15))]
struct Once {}

#[derive(Thing, Default, Debug)]
#[thing(handle(bits = 32, index = 20))]
struct Spark {}

#[derive(Thing, Default, Debug)]
struct Ship {}

/// More bits than index and generation can use: the rest stay zero.
#[derive(Thing, Default, Debug)]
#[thing(handle(bits = 64, index = 20, kind = 8))]
struct Brick {
    #[thing(kind)]
    kind: u32,
}

/// How many bits index, generation and kind have, from the lowest up.
type Widths = [u32; 3];

/// The parts, cut out one by one; `None` for bits that no pool hands out.
fn parts(bits: u64, widths: Widths) -> Option<[u32; 3]> {
    let mut rest = u128::from(bits);
    let parts = widths.map(|width| {
        let part = rest % (1 << width);
        rest >>= width;
        part as u32
    });
    (rest == 0 && parts[0] > 0 && parts[1] % 2 == 1).then_some(parts)
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Bits of every sort, and many that a pool could hand out.
fn samples(widths: Widths) -> Vec<u64> {
    let total = widths.iter().sum::<u32>();
    let mut random = Rng::with_seed(u64::from(total));
    let any = (0..4000).map(|_| random.u64(..) >> random.u32(..64)).collect::<Vec<_>>();
    // Lone bits and their neighbours: the edges of the parts.
    let edges = (0..64).flat_map(|bit| {
        [0, 1, 2, 3].map(|more: u64| (1u64 << bit).wrapping_sub(2).wrapping_add(more))
    });
    let odd =
        (0..4000).map(|_| random.u64(..) >> (64 - total) | 1 << widths[0]).collect::<Vec<_>>();
    any.into_iter().chain(edges).chain(odd).collect()
}

/// What can be seen of a handle is what its bits say.
fn assert_says<T: Thing>(bits: u64, widths: Widths) -> Handle<T> {
    let handle = Handle::<T>::from_bits(bits);
    let expected = parts(bits, widths);
    let [index, generation, kind] = expected.unwrap_or_default();
    assert_eq!(
        [handle.index(), handle.generation(), handle.kind()],
        [index, generation, kind],
        "{bits:#x}"
    );
    assert_eq!(handle.is_nil(), expected.is_none(), "{bits:#x}");
    assert_eq!(handle == Handle::NIL, expected.is_none(), "{bits:#x}");
    assert_eq!(handle.to_bits(), if expected.is_some() { bits } else { 0 });
    let text = match expected {
        None => "nil".to_owned(),
        Some(_) if widths[2] == 0 => format!("{index}v{generation}"),
        Some(_) => format!("{index}v{generation}k{kind}"),
    };
    assert_eq!([format!("{handle}"), format!("{handle:?}")], [text.clone(), text.clone()]);

    let any = AnyHandle::from(handle);
    assert_eq!((any.to_bits(), any.thing()), (handle.to_bits(), TypeId::of::<T>()));
    assert_eq!(format!("{any:?}"), format!("{text} of {}", type_name::<T>()));
    assert_eq!((any.downcast::<T>(), any.downcast::<Other>()), (Some(handle), None));
    handle
}

#[derive(Thing, Default, Debug)]
struct Other {}

/// Two handles compare as their slots do, then as their generations and kinds, and are hashed by
/// what they are.
fn assert_compare<T: Thing>(a: Handle<T>, b: Handle<T>) {
    let key = |handle: Handle<T>| (handle.index(), handle.kind(), handle.generation());
    assert_eq!(a.cmp(&b), key(a).cmp(&key(b)), "{a} and {b}");
    assert_eq!(a.partial_cmp(&b), Some(key(a).cmp(&key(b))), "{a} and {b}");
    let same = key(a) == key(b);
    #[expect(clippy::clone_on_copy, reason = "`clone` is what is tested")]
    let cloned = b.clone();
    assert_eq!([a == cloned, a.erase() == b.erase()], [same; 2], "{a} and {b}");
    assert_eq!([hash(a) == hash(b), hash(a.erase()) == hash(b.erase())], [same; 2], "{a} and {b}");
    assert_ne!(a.erase(), Handle::<Other>::from_bits(a.to_bits()).erase());
}

fn assert_all<T: Thing>(widths: Widths) {
    let handles: Vec<Handle<T>> =
        samples(widths).into_iter().map(|bits| assert_says(bits, widths)).collect();
    assert!(handles.iter().filter(|handle| !handle.is_nil()).count() > 1000);
    let mut random = Rng::with_seed(1);
    for &a in &handles {
        assert_compare(a, handles[random.usize(..handles.len())]);
        assert_compare(a, a);
    }
    // Neighbours: the same slot, or the same generation.
    for &a in &handles[..500] {
        assert_compare(a, Handle::from_bits(a.to_bits() + 1));
        assert_compare(a, Handle::from_bits(a.to_bits() + (2 << widths[0])));
    }
}

#[test]
fn a_handle_of_any_width_says_what_its_bits_say() {
    assert_all::<Item>([6, 6, 4]);
    assert_all::<Once>([15, 1, 0]);
    assert_all::<Spark>([20, 12, 0]);
    assert_all::<Ship>([32, 32, 0]);
    assert_all::<Brick>([20, 24, 8]);
    (0..1 << 17).for_each(|bits| _ = assert_says::<Item>(bits, [6, 6, 4]));
}

/// A range is the list of its handles, from whichever end.
fn assert_range<T: Thing>(first: Handle<T>, len: u32, random: &mut Rng) {
    let range = HandleRange::new(first, len).unwrap();
    let mut list: VecDeque<Handle<T>> =
        (0..u64::from(len)).map(|i| Handle::from_bits(first.to_bits() + i)).collect();
    assert_eq!((range.len(), range.is_empty()), (len, len == 0));
    assert_eq!(range.first(), list.front().copied().unwrap_or_default());
    assert_eq!(format!("{range:?}"), format!("{}+{len}", range.first()));
    for i in 0..=len + 1 {
        assert_eq!(range.get(i), list.get(i as usize).copied(), "{i} of {range:?}");
    }
    assert_eq!(range.get(u32::MAX), None);
    assert_eq!(
        range.iter().rev().collect::<Vec<_>>(),
        list.iter().rev().copied().collect::<Vec<_>>()
    );
    let mut rest = range.iter();
    loop {
        assert_eq!((rest.len(), rest.size_hint()), (list.len(), (list.len(), Some(list.len()))));
        let (found, expected) = if random.bool() {
            (rest.next(), list.pop_front())
        } else {
            (rest.next_back(), list.pop_back())
        };
        assert_eq!(found, expected, "within {range:?}");
        if found.is_none() {
            break;
        }
    }
    #[expect(clippy::clone_on_copy, reason = "`clone` is what is tested")]
    let cloned = range.clone();
    assert!(cloned == range && hash(cloned) == hash(range));
    for other in [
        HandleRange::new(first, len + 1),
        HandleRange::new(Handle::from_bits(first.to_bits() + 1), len),
    ] {
        let other = other.unwrap();
        assert_eq!(other == range, other.is_empty() && range.is_empty(), "{other:?} and {range:?}");
        assert_eq!(hash(other) == hash(range), other == range, "{other:?} and {range:?}");
    }
}

#[test]
fn a_range_is_the_list_of_its_handles_from_either_end() {
    let mut random = Rng::with_seed(2);
    for len in 0..40 {
        assert_range(
            Handle::<Ship>::from_bits((7 << 32) + 1000 + u64::from(len)),
            len,
            &mut random,
        );
        assert_range(
            Handle::<Item>::from_bits((9 << 12) + (5 << 6) + 1 + u64::from(len % 20)),
            len,
            &mut random,
        );
    }
    assert_eq!(HandleRange::<Ship>::default(), HandleRange::EMPTY);
}
