//! `Thing`, `View` and `Params` reach the other crates through the facade only.
//!
//! This test crate calls itself `lath` and offers just the names that the macros may use, so it
//! also shows that no others are needed. What the macros accept and refuse is tested in `lath-core`
//! and `lath-schedule`, in `tests/derive.rs`.

#![expect(
    unsafe_code,
    reason = "declares the unsafe traits that the macros implement, and calls what they wrote"
)]
#![expect(
    clippy::missing_safety_doc,
    clippy::undocumented_unsafe_blocks,
    reason = "the traits are explained where they are declared in earnest"
)]

extern crate self as lath;

use lath_derive::{Params, Thing, View};

#[doc(hidden)]
pub mod __private {
    pub mod lath_core {
        pub struct Rows<T>(core::marker::PhantomData<T>);
        pub struct NoTags;

        pub trait Thing: Default + Sized + 'static {
            type Bits;
            const INDEX_BITS: u32;
            const KIND_BITS: u32 = 0;
            type Storage;
            type Tags;
            fn tags(&self) -> Self::Tags {
                unreachable!()
            }
            fn put_tags(&mut self, _: Self::Tags) {}
            fn kind(&self) -> u32 {
                0
            }
        }

        pub unsafe trait Field: 'static {
            type Thing;
            type Value: 'static;
            const INDEX: usize;
        }

        pub struct FieldInfo {
            pub name: &'static str,
            pub offset: usize,
            pub size: usize,
            pub align: usize,
            pub home: Home,
        }

        pub enum Home {
            Column,
            Hot,
            Cold,
        }

        pub unsafe trait Fields: Thing {
            const FIELDS: &'static [FieldInfo];
            const TAGS_FIELD: Option<usize> = None;
            fn visit<V: FieldVisitor<Self>>(visitor: &mut V);
        }

        pub trait FieldVisitor<T: Fields> {
            fn field<F: Field<Thing = T>>(&mut self);
        }

        pub type StorageOf<V> = <<V as View>::Thing as Thing>::Storage;
        pub type PlaceOf<V> = <StorageOf<V> as Storage<<V as View>::Thing>>::Place;

        pub mod derive {
            use super::{Field, FieldInfo, Home, View};

            pub use core as std;

            pub trait TypeAt<Place> {
                type Type;
            }

            pub struct Exactly<V>(core::marker::PhantomData<*mut V>);

            impl<V> Exactly<V> {
                pub fn of(_: &mut V) -> Self {
                    Self(core::marker::PhantomData)
                }
            }

            pub fn is_value_of<F: Field>(_: Exactly<F::Value>) {}

            pub fn are_of_one_thing<V: View, W: View<Thing = V::Thing>>() {}

            pub const fn info<F: Field>(
                name: &'static str,
                offset: usize,
                home: Home,
            ) -> FieldInfo {
                let (size, align) = (size_of::<F::Value>(), align_of::<F::Value>());
                FieldInfo { name, offset, size, align, home }
            }
        }

        pub trait Storage<T> {
            type Place;
        }

        impl<T> Storage<T> for Rows<T> {
            type Place = ();
        }

        pub unsafe trait View: Sized {
            type Thing: Thing<Storage: Storage<Self::Thing>>;
            type Item<'a>;
            const READS: u64;
            const WRITES: u64;
            const WITH: u64 = 0;
            const WITHOUT: u64 = 0;
            type Base: Copy;
            unsafe fn base(
                storage: &<Self::Thing as Thing>::Storage,
                place: <<Self::Thing as Thing>::Storage as Storage<Self::Thing>>::Place,
                index: u32,
            ) -> Self::Base;
            unsafe fn at<'a>(base: Self::Base, row: usize) -> Self::Item<'a>;
        }

        pub unsafe trait Slices: View {
            type Slices<'a>;
            fn dense() -> bool;
            unsafe fn slices<'a>(
                base: Self::Base,
                rows: core::ops::Range<usize>,
            ) -> Self::Slices<'a>;
        }

        unsafe impl<F: Field<Thing: Thing<Storage: Storage<F::Thing>>>> Slices for Ref<'_, F> {
            type Slices<'a> = &'a [F::Value];
            fn dense() -> bool {
                true
            }
            unsafe fn slices<'a>(_: Self::Base, _: core::ops::Range<usize>) -> Self::Slices<'a> {
                &[]
            }
        }

        pub struct Ref<'a, F: Field>(&'a F::Value);

        impl<'a, F: Field> Ref<'a, F> {
            pub fn into_inner(self) -> &'a F::Value {
                self.0
            }
        }

        macro_rules! view {
            ($static:ty, $item:ty) => {
                unsafe impl<F: Field<Thing: Thing<Storage: Storage<F::Thing>>>> View for $static {
                    type Thing = F::Thing;
                    type Item<'a> = $item;
                    const READS: u64 = 1 << F::INDEX;
                    const WRITES: u64 = 0;
                    type Base = ();
                    unsafe fn base(
                        _: &<Self::Thing as Thing>::Storage,
                        _: <<Self::Thing as Thing>::Storage as Storage<Self::Thing>>::Place,
                        _: u32,
                    ) {
                    }
                    unsafe fn at<'a>((): (), _: usize) -> $item {
                        unreachable!()
                    }
                }
            };
        }

        view!(Ref<'_, F>, Ref<'a, F>);
        view!(Option<Ref<'_, F>>, Option<Ref<'a, F>>);
    }

    pub mod lath_soa {
        use super::lath_core::{Field, Fields};

        pub struct Columns<T>(core::marker::PhantomData<T>);

        pub unsafe trait Columnar: Fields {
            type Ref<'a>: Copy;
            type Mut<'a>;
            unsafe fn make_ref<'a, P: Pointers<'a, Self>>(at: P) -> Self::Ref<'a>;
            unsafe fn make_mut<'a, P: Pointers<'a, Self>>(at: P) -> Self::Mut<'a>;
            unsafe fn cold_is_default(field: usize, value: *const u8) -> bool;
            unsafe fn cold_default(field: usize, to: *mut u8);
        }

        pub trait Pointers<'a, T: Fields>: Copy {
            fn get<F: Field<Thing = T>>(self) -> *mut F::Value;
            fn cold<F: Field<Thing = T>>(self) -> Option<*mut F::Value>;
            fn cold_or_default<F: Field<Thing = T>>(self) -> *const F::Value;
        }

        pub trait CloneFields: Columnar {
            fn clone_fields(from: Self::Ref<'_>) -> Self;
        }
    }

    pub mod lath_schedule {
        pub use super::lath_core::derive as __derive;

        pub struct World(pub u32);
        pub struct Missing;
        #[derive(Clone, Copy)]
        pub struct Context<'w>(pub &'w World);

        #[derive(Default)]
        pub struct Access(pub Vec<&'static str>);

        impl Access {
            pub fn ask<P: Param>(&mut self) {
                P::declare(self);
            }
        }

        pub unsafe trait Param: Sized {
            type State: Send + Sync + 'static;
            type Item<'w, 's>: Param<State = Self::State>;
            fn declare(access: &mut Access);
            fn init(world: &mut World) -> Self::State;
            fn check(_: &Self::State, _: &World) -> Result<(), Missing>;
            unsafe fn fetch<'w, 's>(
                state: &'s mut Self::State,
                context: Context<'w>,
            ) -> Self::Item<'w, 's>;
        }
    }
}

use __private::lath_core::{Field, FieldVisitor, Fields, Home, Thing, View};
use __private::lath_schedule::{Access, Context, Missing, Param, World};
use __private::lath_soa::{CloneFields, Columnar, Columns, Pointers};

#[derive(Thing, Default)]
struct Ship;

#[derive(Thing, Default)]
#[thing(rows, handle(bits = 16, kind = 3))]
struct Item {
    #[thing(kind)]
    sort: i8,
    #[thing(cold)]
    name: String,
}

#[derive(View)]
#[view(Item)]
struct Named<'a> {
    name: &'a String,
}

#[derive(View)]
#[view(Item)]
struct PerhapsNamed<'a> {
    name: Option<&'a String>,
}

#[derive(Thing, Default, Clone, Debug, PartialEq)]
#[thing(columns, handle(kind = 1))]
struct Actor<X> {
    pos: X,
    #[thing(kind, cold)]
    sort: bool,
    #[thing(cold)]
    name: String,
}

/// A thing as it is, with or without its cold fields.
#[derive(Clone, Copy)]
struct Whole {
    actor: *mut Actor<f32>,
    default: *const Actor<f32>,
    has_cold: bool,
}

impl Pointers<'_, Actor<f32>> for Whole {
    fn get<F: Field<Thing = Actor<f32>>>(self) -> *mut F::Value {
        self.actor.wrapping_byte_add(Actor::<f32>::FIELDS[F::INDEX].offset).cast()
    }
    fn cold<F: Field<Thing = Actor<f32>>>(self) -> Option<*mut F::Value> {
        self.has_cold.then(|| self.get::<F>())
    }
    fn cold_or_default<F: Field<Thing = Actor<f32>>>(self) -> *const F::Value {
        let actor = if self.has_cold { self.actor } else { self.default };
        actor.wrapping_byte_add(Actor::<f32>::FIELDS[F::INDEX].offset).cast()
    }
}

struct Count(usize);

impl<T: Fields> FieldVisitor<T> for Count {
    fn field<F: Field<Thing = T>>(&mut self) {
        self.0 += 1;
    }
}

#[test]
fn the_facade_finds_every_name_that_it_needs() {
    fn keeps_rows<T: Thing<Bits = B, Storage = __private::lath_core::Rows<T>>, B>() {}
    keeps_rows::<Ship, u64>();
    keeps_rows::<Item, u16>();
    assert_eq!((Ship::INDEX_BITS, Ship::KIND_BITS, Ship.kind()), (32, 0, 0));
    assert_eq!(
        (Item::INDEX_BITS, Item::KIND_BITS, Item { sort: 5, ..Default::default() }.kind()),
        (10, 3, 5)
    );

    let mut count = Count(0);
    Item::visit(&mut count);
    Ship::visit(&mut count);
    assert_eq!((count.0, <item::name as Field>::INDEX), (2, 1));
    assert!(matches!(Item::FIELDS[1].home, Home::Cold));

    let read_name: for<'a> fn(Named<'a>) -> &'a str = |named| named.name;
    assert_eq!((Named::READS, read_name(Named { name: &"Ada".into() })), (2, "Ada"));
    assert_eq!((PerhapsNamed::READS, PerhapsNamed { name: None }.name), (2, None));
}

#[test]
fn cold_fields_have_a_default_to_be_read_and_nothing_to_be_written() {
    fn keeps_columns<T: Thing<Storage = Columns<T>>>() {}
    keeps_columns::<Actor<f32>>();

    let mut actor = Actor { pos: 1.0, sort: true, name: "Ada".to_string() };
    let default = Actor::default();
    let mut at = Whole { actor: &raw mut actor, default: &raw const default, has_cold: true };
    // SAFETY: the pointers are to the two things above, which nobody else uses meanwhile.
    unsafe {
        let look = Actor::make_ref(at);
        assert_eq!((look.pos, look.sort, look.name.as_str()), (&1.0, &true, "Ada"));
        assert_eq!(Actor::clone_fields(look).name, "Ada");

        let ActorMut { pos, sort, name } = Actor::make_mut(at);
        *pos += 1.0;
        name.expect("it has one").push('!');
        assert!(*sort);

        at.has_cold = false;
        let look = Actor::make_ref(at);
        assert_eq!((look.pos, look.sort, look.name.as_str()), (&2.0, &false, ""));
        assert!(Actor::make_mut(at).name.is_none());
    }
    assert_eq!(actor.name, "Ada!");
}

/// Looks at the world's number.
struct Number<'w>(&'w u32);

unsafe impl Param for Number<'_> {
    type State = ();
    type Item<'w, 's> = Number<'w>;
    fn declare(access: &mut Access) {
        access.0.push("number");
    }
    fn init(_: &mut World) {}
    fn check(_: &(), world: &World) -> Result<(), Missing> {
        if world.0 == 0 { Err(Missing) } else { Ok(()) }
    }
    unsafe fn fetch<'w>(_: &mut (), context: Context<'w>) -> Number<'w> {
        Number(&context.0.0)
    }
}

/// Counts, from the number that the world had at first.
struct Own<'s>(&'s mut u32);

unsafe impl Param for Own<'_> {
    type State = u32;
    type Item<'w, 's> = Own<'s>;
    fn declare(access: &mut Access) {
        access.0.push("count");
    }
    fn init(world: &mut World) -> u32 {
        world.0
    }
    fn check(_: &u32, _: &World) -> Result<(), Missing> {
        Ok(())
    }
    unsafe fn fetch<'w, 's>(state: &'s mut u32, _: Context<'w>) -> Own<'s> {
        Own(state)
    }
}

#[derive(Params)]
struct Inner<'w>(Number<'w>);

#[derive(Params)]
struct Counting<'w, 's> {
    inner: Inner<'w>,
    count: Own<'s>,
}

#[test]
fn parameters_are_passed_on_to_the_fields_in_order() {
    let mut access = Access::default();
    Counting::declare(&mut access);
    assert_eq!(access.0, ["number", "count"]);

    let mut world = World(7);
    let mut state = Counting::init(&mut world);
    assert!(Counting::check(&state, &world).is_ok() && Counting::check(&state, &World(0)).is_err());
    for expected in [8, 9] {
        // SAFETY: these parameters ask for nothing.
        let counting = unsafe { Counting::fetch(&mut state, Context(&world)) };
        *counting.count.0 += 1;
        assert_eq!((*counting.inner.0.0, *counting.count.0), (7, expected));
    }
}
