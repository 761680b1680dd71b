//! A thousand bodies written to memory and read back into a new world: as text (RON), and in
//! binary (postcard, and what lath has). Who has no saves of its own, serde writes by its means.

#[cfg(feature = "ecs")]
mod hecs;

use lath_core::Thing;
use lath_schedule::{Resident, World};
use lath_snapshot::{Load, Save, SaveWorld, Snapshot, Write};
use serde::{Deserialize, Serialize};
use slotmap::{DefaultKey, SlotMap};

use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THINGS: u32 = 1_000;

const TEXT: &[Bar] = &[Bar::to_best("lath-rows", 1.0), Bar::to_best("lath-columns", 1.0)];
const BINARY: &[Bar] = &[Bar::to_best("lath-rows", 0.7), Bar::to_best("lath-columns", 0.7)];

pub(super) fn workloads() -> Vec<Workload> {
    let text = format!("{THINGS} bodies to RON and back");
    let binary = format!("{THINGS} bodies to bytes and back");
    vec![
        everybody::<Text>(Workload::new("outside-text", text, TEXT)),
        everybody::<Binary>(Workload::new("outside-binary", binary, BINARY)),
    ]
}

fn everybody<F: Form>(workload: Workload) -> Workload {
    let workload = workload
        .with("raw", Saves::<F, Vec<Body>>::new)
        .with("slotmap", Saves::<F, SlotMap<DefaultKey, Body>>::new);
    #[cfg(feature = "ecs")]
    let workload = workload.with("hecs", Saves::<F, hecs::Hecs>::new);
    workload
        .with("lath-rows", Saves::<F, Lath<Body>>::new)
        .with("lath-columns", Saves::<F, Lath<ColumnBody>>::new)
}

macro_rules! body {
    ($name:ident, $layout:ident) => {
        /// 100 bytes in four parts.
        #[derive(Thing, Save, Clone, Copy, Default, Serialize, Deserialize)]
        #[thing($layout)]
        struct $name {
            transform: [f32; 16],
            position: [f32; 3],
            rotation: [f32; 3],
            velocity: [f32; 3],
        }
    };
}

body!(Body, rows);
body!(ColumnBody, columns);

impl Body {
    fn number(n: u32) -> Self {
        let x = n as f32 + 0.125;
        Self { transform: [x; 16], position: [x; 3], rotation: [1.0; 3], velocity: [0.5; 3] }
    }

    fn bits(&self) -> u64 {
        let Self { transform, position, rotation, velocity } = self;
        let all = transform.iter().chain(position).chain(rotation).chain(velocity);
        all.fold(0, |answer, lane| mix(answer, u64::from(lane.to_bits())))
    }
}

impl From<Body> for ColumnBody {
    fn from(Body { transform, position, rotation, velocity }: Body) -> Self {
        Self { transform, position, rotation, velocity }
    }
}

/// A world that can be written and read.
trait Saved: Sized + 'static {
    /// With the bodies of these numbers in it.
    fn new(count: u32) -> Self;

    fn to_text(&self) -> String;
    fn from_text(text: &str) -> Self;

    fn to_bytes(&self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;

    /// The bits of all bodies, added up.
    fn sum(&mut self) -> u64;
}

/// What a world is written as.
trait Form: 'static {
    fn there_and_back<W: Saved>(world: &W) -> W;
}

struct Text;

impl Form for Text {
    fn there_and_back<W: Saved>(world: &W) -> W {
        W::from_text(&world.to_text())
    }
}

struct Binary;

impl Form for Binary {
    fn there_and_back<W: Saved>(world: &W) -> W {
        W::from_bytes(&world.to_bytes())
    }
}

struct Saves<F, W> {
    world: W,
    read: Option<W>,
    _form: std::marker::PhantomData<F>,
}

impl<F: Form, W: Saved> Saves<F, W> {
    fn new() -> Self {
        Self { world: W::new(THINGS), read: None, _form: std::marker::PhantomData }
    }
}

impl<F: Form, W: Saved> Trial for Saves<F, W> {
    fn run(&mut self) {
        self.read = Some(F::there_and_back(&self.world));
    }

    fn answer(&mut self) -> u64 {
        self.read.take().map_or(0, |mut world| world.sum())
    }
}

/// What serde can write as it is.
macro_rules! by_serde {
    () => {
        fn to_text(&self) -> String {
            ron::to_string(self).expect("plain data")
        }

        fn from_text(text: &str) -> Self {
            ron::from_str(text).expect("was written so")
        }

        fn to_bytes(&self) -> Vec<u8> {
            postcard::to_stdvec(self).expect("plain data")
        }

        fn from_bytes(bytes: &[u8]) -> Self {
            postcard::from_bytes(bytes).expect("was written so")
        }
    };
}

impl Saved for Vec<Body> {
    fn new(count: u32) -> Self {
        (0..count).map(Body::number).collect()
    }

    by_serde!();

    fn sum(&mut self) -> u64 {
        self.iter().map(Body::bits).fold(0, u64::wrapping_add)
    }
}

impl Saved for SlotMap<DefaultKey, Body> {
    fn new(count: u32) -> Self {
        let mut map = Self::new();
        for n in 0..count {
            map.insert(Body::number(n));
        }
        map
    }

    by_serde!();

    fn sum(&mut self) -> u64 {
        self.values().map(Body::bits).fold(0, u64::wrapping_add)
    }
}

/// A body in either layout.
trait Plain: Save + Resident + From<Body> {
    fn bits(world: &World) -> u64;
}

impl Plain for Body {
    fn bits(world: &World) -> u64 {
        world.pool::<Self>().iter().map(|(_, body)| body.bits()).fold(0, u64::wrapping_add)
    }
}

impl Plain for ColumnBody {
    fn bits(world: &World) -> u64 {
        let bits = |body: lath_core::ThingRef<'_, Self>| {
            let (transform, position) = (*body.transform, *body.position);
            Body { transform, position, rotation: *body.rotation, velocity: *body.velocity }.bits()
        };
        world.pool::<Self>().iter().map(|(_, body)| bits(body)).fold(0, u64::wrapping_add)
    }
}

struct Lath<T> {
    world: World,
    _body: std::marker::PhantomData<T>,
}

impl<T: Plain> Lath<T> {
    fn empty() -> Self {
        let mut world = World::new();
        world.saves::<T>();
        Self { world, _body: std::marker::PhantomData }
    }
}

impl<T: Plain> Saved for Lath<T> {
    fn new(count: u32) -> Self {
        let mut saved = Self::empty();
        for n in 0..count {
            saved.world.spawn(T::from(Body::number(n)));
        }
        saved
    }

    fn to_text(&self) -> String {
        let snapshot = Snapshot::take(&self.world).expect("the world saves something");
        snapshot.to_text().expect("plain data")
    }

    fn from_text(text: &str) -> Self {
        let mut saved = Self::empty();
        Load::new().from_text(&mut saved.world, text).expect("was written so");
        saved
    }

    fn to_bytes(&self) -> Vec<u8> {
        let snapshot = Snapshot::take(&self.world).expect("the world saves something");
        Write::new().to_bytes(&snapshot).expect("plain data")
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut saved = Self::empty();
        Load::new().from_bytes(&mut saved.world, bytes).expect("was written so");
        saved
    }

    fn sum(&mut self) -> u64 {
        T::bits(&self.world)
    }
}
