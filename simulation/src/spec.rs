//! What schedules are made of, as data: the world builds systems of it, and the model does what
//! they say.

use std::collections::{BTreeMap, VecDeque};

use crate::answer::{Answer, Ask};
use crate::body::{Body, Id};
use crate::program::Call;

/// Scrambles a number.
pub fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 27
}

/// A body as a number.
pub fn digest(body: &Body) -> u64 {
    let text = body.text.bytes().chain(body.rare.bytes()).fold(0, |sum, b| mix(sum ^ u64::from(b)));
    let plain = [body.n, u32::from(body.tags), body.heat, body.kind];
    plain.into_iter().fold(mix(text ^ body.link), |sum, n| mix(sum ^ u64::from(n)))
}

/// Declares the kinds of systems, each with how often it is drawn.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident: $weight:expr,)*) => {
        /// What a system does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $($(#[$doc])* $kind,)* }

        impl Kind {
            const ALL: &[(Self, u64)] = &[$((Self::$kind, $weight),)*];
        }
    };
}

kinds! {
    // Resources.
    /// `Res` and `ResMut`: numbers are mixed into numbers.
    Mix: 6,
    /// A `Local` counts the runs.
    Count: 4,
    /// `ResMut` of a sum, to which another system adds as well, in either order.
    Add: 1,
    /// `Option<Res>` of what is not always there.
    Maybe: 3,
    /// `Res` of what is not always there.
    Needs: 1,
    /// `PinnedMut` or `PinnedRes`, where something pinned may be missing.
    Pinned: 2,
    /// `System::local`, which owns what is not `Send`.
    OneThread: 1,
    /// A struct of parameters with `#[derive(Params)]`, beside a tuple of some.
    Bundle: 3,
    /// `ResMut<State>` asks for a change of state.
    SetState: 4,
    /// A timer, a cooldown and `Res<Time>`.
    Tick: 4,
    // Things.
    /// `Query` of a number of each thing, which changes: `each`, loops, `par_each`, `slices`.
    Each: 6,
    /// `Query` folds handles and numbers.
    Fold: 4,
    /// `Query::get`, `get_mut`, `get_many`, `contains`, `count` by handle.
    Lookup: 4,
    /// `Query::each_with_rest`.
    Rest: 3,
    /// `Query` of a view that filters by tags.
    Marked: 6,
    /// Queries of two pools.
    TwoPools: 4,
    /// `PoolRef` looks at all.
    Read: 3,
    /// `PoolMut` makes a call on the pool.
    Alone: 4,
    /// `&mut World` makes a call on the world.
    World: 5,
    // Links.
    /// `Tree` folds parents and children.
    LookAtTree: 3,
    /// `TreeMut` attaches, detaches, swaps.
    ChangeTree: 4,
    /// `Sweep`, down and up.
    Cascade: 4,
    // Commands.
    /// Things come, each attached to the one before.
    Launch: 8,
    /// Things go, told in a loop on one thread or several.
    Sweep: 4,
    /// Things come, change tags and numbers, and are detached, told by `Commands::par_each`.
    Divide: 5,
    /// Commands about certain handles.
    Order: 6,
    /// A closure makes a call on the world.
    Close: 6,
    /// A closure spawns before the things come that the system was promised handles for.
    Overtake: 4,
    /// A resource is put in or taken out.
    Put: 4,
    // Events.
    /// `EventWriter`.
    Send: 5,
    /// `Commands::send`, in a loop on several threads.
    SendLater: 3,
    /// `EventReader`.
    Hear: 7,
    // Errors.
    /// A system that runs alone returns an error if a number is odd.
    Fail: 3,
    /// So does one between two barriers.
    FailBetween: 3,
}

impl Kind {
    fn drawn(number: u64) -> Self {
        let total: u64 = Self::ALL.iter().map(|(_, weight)| weight).sum();
        let mut left = number % total;
        for (kind, weight) in Self::ALL {
            match left.checked_sub(*weight) {
                Some(less) => left = less,
                None => return *kind,
            }
        }
        unreachable!("less than the total")
    }

    /// Whether a system of this kind has a stage of its own, before which commands are applied.
    pub fn is_alone(self) -> bool {
        matches!(self, Self::Alone | Self::World | Self::Fail)
    }

    /// Whether it runs by itself on the thread that runs the schedule.
    pub fn is_pinned(self) -> bool {
        matches!(self, Self::Pinned | Self::OneThread)
    }

    /// Whether it gives commands.
    pub fn commands(self) -> bool {
        matches!(
            self,
            Self::Launch
                | Self::Sweep
                | Self::Divide
                | Self::Order
                | Self::Close
                | Self::Overtake
                | Self::Put
                | Self::SendLater
                | Self::FailBetween
        )
    }

    /// Whether it asks for what may be missing.
    fn may_miss(self) -> bool {
        matches!(self, Self::Needs | Self::Pinned)
    }
}

/// When a system runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// If this of the four numbers is odd.
    Odd(usize),
    /// When a state was entered.
    Entering(u8),
    /// When a state was left.
    Leaving(u8),
    /// While in a state.
    In(u8),
    /// Every other time that it is asked.
    EveryOther,
    /// If there are events that it has not heard of yet.
    Heard,
}

impl When {
    fn drawn(number: u64) -> Self {
        let which = number / 8;
        match number % 8 {
            0..3 => Self::Odd(which as usize % 4),
            3 => Self::Entering((which % 3) as u8),
            4 => Self::Leaving((which % 3) as u8),
            5 => Self::In((which % 3) as u8),
            6 => Self::EveryOther,
            _ => Self::Heard,
        }
    }
}

/// The sets that systems can be in.
pub const SETS: [&str; 2] = ["red", "blue"];

/// One system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// Its number among all that there ever were.
    pub number: u32,
    /// What it does.
    pub kind: Kind,
    /// With which pool.
    pub pool: usize,
    /// With which value.
    pub salt: u64,
    /// With which things.
    pub who: [Id; 4],
    /// Which way.
    pub way: u16,
    /// Its conditions.
    pub whens: Vec<When>,
    /// The set that it is in.
    pub set: Option<usize>,
    /// What it comes before.
    pub before: Vec<String>,
    /// What it comes after.
    pub after: Vec<String>,
    /// With which system it has no order.
    pub unordered: Option<u32>,
}

/// What a system is called.
pub fn name(number: u32) -> String {
    format!("s{number}")
}

impl System {
    /// The system that a question stands for.
    pub fn new(ask: &Ask, number: u32) -> Self {
        let drawn = mix(u64::from(ask.v) << 16 | u64::from(ask.b) ^ (ask.pool as u64) << 40);
        Self {
            number,
            kind: Kind::drawn(u64::from(ask.v)),
            pool: ask.pool,
            salt: drawn,
            who: ask.who,
            way: ask.b,
            whens: Vec::new(),
            set: None,
            before: Vec::new(),
            after: Vec::new(),
            unordered: None,
        }
    }

    /// The call that a system makes which can make any.
    pub fn call(&self) -> Ask {
        const CALLS: &[Call] = &[
            Call::WorldSpawn,
            Call::WorldDespawn,
            Call::WorldTags,
            Call::Spawn,
            Call::SpawnAt,
            Call::SpawnRange,
            Call::Stage,
            Call::Reserve,
            Call::Commit,
            Call::Despawn,
            Call::DespawnMany,
            Call::DespawnAfter,
            Call::Reap,
            Call::Take,
            Call::Graft,
            Call::Retain,
            Call::ExtractIf,
            Call::Ask,
            Call::Edit,
            Call::SetField,
            Call::SetRare,
            Call::Disjoint,
            Call::Split,
            Call::Tags,
            Call::Beside,
            Call::IterMut,
            Call::Each,
            Call::EachWithRest,
            Call::LookAtMany,
            Call::CloneOver,
            Call::Attach,
            Call::MoveChildren,
            Call::SpawnChild,
            Call::Cascade,
            Call::Gather,
        ];
        let call = CALLS[(self.salt >> 8) as usize % CALLS.len()];
        // A pool alone knows nothing of hooks.
        let call = match call {
            Call::WorldSpawn if self.kind == Kind::Alone => Call::Spawn,
            Call::WorldDespawn if self.kind == Kind::Alone => Call::Despawn,
            Call::WorldTags if self.kind == Kind::Alone => Call::Tags,
            call => call,
        };
        Ask { call, pool: self.pool, who: self.who, b: self.way, v: (self.salt >> 20) as u16 }
    }
}

/// Systems that run in every step make pools no more crowded than this.
pub const CROWD: usize = 60;

impl System {
    /// What the closure of a system asks that [overtakes](Kind::Overtake) its own things.
    pub fn overtaking(&self) -> Ask {
        let v = (self.salt >> 24) as u16;
        Ask { call: Call::WorldSpawn, pool: self.pool, who: self.who, b: self.way, v }
    }

    /// The things that it is promised handles for.
    pub fn overtaken(&self) -> impl Iterator<Item = Body> {
        let (salt, link) = (self.salt, self.who[1]);
        (0..2).map(move |n| Body::new((salt >> 40) as u16 + n, link))
    }
}

/// What a system asks of a tree.
pub fn tree_ask(spec: &System) -> Ask {
    let calls = [
        Call::Attach,
        Call::Attach,
        Call::Attach,
        Call::Detach,
        Call::MoveChildren,
        Call::SwapPlaces,
    ];
    let call = calls[spec.salt as usize % calls.len()];
    Ask { call, pool: spec.pool, who: spec.who, b: spec.way, v: (spec.salt >> 16) as u16 }
}

/// One entry of a schedule, in the order of addition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Systems that are added by one call.
    Systems(Vec<System>),
    /// Systems of which each waits for the one before.
    Chain(Vec<System>),
    /// Commands are applied.
    Barrier,
    /// The state changes.
    Transitions,
    /// Steps at a fixed rate.
    Fixed(Fixed),
}

/// Steps at a fixed rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// In a second: a power of two, or what is refused.
    pub hz: u32,
    /// In a run.
    pub limit: u32,
    /// What is done in a step.
    pub items: Vec<Item>,
}

/// The state that is asked for before a run, if any is.
pub fn asked_state(ask: &Ask) -> Option<u8> {
    (ask.b % 8 == 5).then_some((ask.v / 8 % 3) as u8)
}

/// The first clock of the fixed steps of a new schedule.
pub fn first_clock(ask: &Ask) -> usize {
    usize::from(ask.v % 3)
}

/// What is said about a schedule by one call.
pub fn items(ask: &Ask, next: &mut u32) -> Vec<Item> {
    let mut system = |ask: &Ask, kind: Option<Kind>| {
        let mut system = System::new(ask, *next);
        system.kind = kind.unwrap_or(system.kind);
        *next += 1;
        system
    };
    let nth = |n: u16| Ask { v: ask.v.wrapping_mul(31).wrapping_add(n * 7 + 1), ..ask.clone() };
    match ask.call {
        Call::AddSystem => {
            let drawn = mix(u64::from(ask.b) ^ u64::from(ask.v) << 20);
            let mut one = system(ask, None);
            if one.kind == Kind::Add {
                let mut other = system(ask, Some(Kind::Add));
                other.unordered = Some(one.number);
                return vec![Item::Systems(vec![one, other])];
            }
            if one.kind == Kind::FailBetween {
                return vec![Item::Barrier, Item::Systems(vec![one]), Item::Barrier];
            }
            if !one.kind.may_miss() {
                let whens = if drawn % 4 == 0 { 1 + drawn / 4 % 2 } else { 0 };
                one.whens = (0..whens).map(|n| When::drawn(mix(drawn ^ n))).collect();
                one.set = (drawn >> 8 & 3 == 0).then_some((drawn >> 10) as usize % 2);
            }
            let number = one.number;
            let earlier = |back: u64| name(number.saturating_sub(back as u32));
            match drawn >> 16 & 31 {
                0..3 => one.after.push(earlier(1 + (drawn >> 24 & 3))),
                3 => one.after.push(SETS[(drawn >> 24) as usize % 2].into()),
                // What lies right before it: to cross more is a known failure.
                4 => one.before.push(earlier(1)),
                5 if drawn >> 24 & 3 == 0 => one.before.push(name(number + 1)),
                _ => {}
            }
            let is_of_states =
                one.whens.iter().any(|when| matches!(when, When::Entering(_) | When::Leaving(_)));
            match is_of_states && drawn >> 32 & 1 == 0 {
                // Else nobody might ever enter or leave one.
                true => vec![Item::Transitions, Item::Systems(vec![one])],
                false => vec![Item::Systems(vec![one])],
            }
        }
        Call::AddSystems => {
            let few = (0..2 + ask.b % 3).map(|n| loop_free(system(&nth(n), None))).collect();
            vec![if ask.b % 2 == 0 { Item::Chain(few) } else { Item::Systems(few) }]
        }
        Call::AddToOrder => match ask.b % 6 {
            0 | 1 => vec![Item::Barrier],
            2 => vec![Item::Transitions],
            _ => {
                let few = |from: u16, count: u16, system: &mut dyn FnMut(&Ask) -> System| {
                    (from..from + count)
                        .map(|n| Item::Systems(vec![loop_free(system(&nth(n)))]))
                        .collect::<Vec<_>>()
                };
                let mut plain = |ask: &Ask| system(ask, None);
                let mut items = few(0, 1 + ask.v % 3, &mut plain);
                if ask.v % 5 == 0 {
                    items.push(Item::Barrier);
                    items.extend(few(3, 2, &mut plain));
                }
                let hz = match ask.b / 6 % 32 {
                    0 => 0,
                    drawn => 1 << (drawn % 7),
                };
                let limit = if ask.v % 4 == 0 { u32::from(ask.v / 4 % 4) } else { 8 };
                vec![Item::Fixed(Fixed { hz, limit, items })]
            }
        },
        _ => Vec::new(),
    }
}

/// The same kind of system wherever order by names and barriers would get in the way.
fn loop_free(mut system: System) -> System {
    if matches!(system.kind, Kind::Add | Kind::FailBetween) {
        system.kind = Kind::Mix;
    }
    system
}

/// What is said about a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfSet {
    /// Which.
    pub set: usize,
    /// A condition.
    pub when: Option<When>,
    /// Whether it comes after the other one.
    pub after_other: bool,
    /// A number that nothing else has.
    pub place: usize,
}

impl OfSet {
    /// What a question says.
    pub fn new(ask: &Ask, next: &mut u32) -> Self {
        let when = (ask.v % 8 != 0).then(|| When::drawn(mix(u64::from(ask.v))));
        let place = *next as usize;
        *next += 1;
        let after_other = ask.v % 8 == 0 && ask.b % 2 == 1;
        Self { set: usize::from(ask.b % 2), when, after_other, place }
    }
}

/// A function that hears of things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// Its number among all.
    pub number: u32,
    /// Of which pool.
    pub pool: usize,
    /// Of things that come, go, or change their tags.
    pub on: u16,
    /// What it does besides listening.
    pub act: u16,
    /// With which value.
    pub salt: u16,
}

impl Hook {
    /// The hooks that a question stands for: two that hear of the same, in this order.
    pub fn pair(ask: &Ask, next: &mut u32) -> [Self; 2] {
        [ask.b / 3, ask.b / 12].map(|act| {
            let number = *next;
            *next += 1;
            Self { number, pool: ask.pool, on: ask.b % 3, act: act % 4, salt: ask.v }
        })
    }
}

/// How much time a run stands for, in parts of 64 of a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jump {
    /// So many parts.
    By(u64),
    /// So much that sums lose what is small.
    Far(f32),
    /// What is no time.
    Wrong(f32),
}

impl Jump {
    /// The jump that a number stands for.
    pub fn new(number: u16) -> Self {
        let way = u64::from(number / 32);
        match number % 32 {
            0 => Self::By(1 << 46),
            1 => Self::By((1 << 16) + way),
            2 => Self::Far([f32::MAX, 1e30, (1u128 << 100) as f32][way as usize % 3]),
            3 => Self::Wrong([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0][way as usize % 4]),
            4..8 => Self::By(0),
            8..20 => Self::By(way % 16),
            _ => Self::By(way % 256),
        }
    }

    /// In seconds.
    pub fn seconds(self) -> f32 {
        match self {
            Self::By(parts) => parts as f32 / 64.0,
            Self::Far(seconds) | Self::Wrong(seconds) => seconds,
        }
    }
}

/// Who notes something down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A system.
    System(u32),
    /// The condition of a system, by its place.
    Condition(u32, usize),
    /// A condition of a set, by its place.
    OfSet(usize, usize),
    /// Closures that a system gives as commands.
    Closure(u32),
    /// A hook.
    Hook(u32),
}

impl Owner {
    /// The number of the system, or of what was said of a set, that notes.
    pub fn number(self) -> u32 {
        match self {
            Self::System(number) | Self::Condition(number, _) => number,
            Self::Closure(number) | Self::Hook(number) => number,
            Self::OfSet(_, place) => place as u32,
        }
    }
}

/// What is noted down while systems run, since nobody could guess it or see it afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// What a call answered.
    Answered(Answer),
    /// What a `Local` says.
    Local(u64),
    /// The events that were read, and how many were missed.
    Heard(Vec<u64>, u64),
    /// How often a timer has fired, and whether a cooldown was over.
    Fired(u32, bool),
}

/// All notes of a call, each owner's in order.
pub type Notes = BTreeMap<Owner, VecDeque<Note>>;

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Systems wait for each other in a circle.
    Circle,
    /// A name that nobody has.
    Unknown,
    /// A rate that is none.
    Rate,
    /// A number of threads that cannot be had.
    Threads,
    /// A time that is none.
    Time,
    /// This system misses something.
    Missing(String),
    /// This system has returned an error.
    Failed(String),
    /// This system has panicked.
    Panicked(String, String),
}

/// How a run went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The systems and the conditions of sets in the order that is the meaning.
    pub order: Vec<String>,
    /// How often each system has run so far.
    pub runs: Vec<(String, u64)>,
    /// Why it ended early.
    pub ended: Option<Ended>,
}

/// What can be seen of a world besides its pools. Floats are compared by their bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemsLook {
    /// The four numbers.
    pub r: [u64; 4],
    /// The sum of what was added in any order.
    pub sum: u64,
    /// What is not always there.
    pub rare: Option<u64>,
    /// What is pinned.
    pub pinned: Option<u64>,
    /// What hooks have heard.
    pub heard: u64,
    /// The state.
    pub state: u8,
    /// How far the timer is, whether the cooldown is over, and whether the other timer is done.
    pub clock: (u32, bool, bool),
    /// `Time::dt`.
    pub dt: u32,
    /// The step of `FixedTime`, how many there were, how far it is to the next, and the time that
    /// was given up.
    pub fixed: (u32, u32, u32, u64),
    /// What is left on each clock, and what it has given up.
    pub clocks: Vec<(u64, u64)>,
    /// The events that are kept.
    pub events: Vec<u64>,
    /// How many were dropped.
    pub dropped: u64,
    /// How many commands did something, and how many did not.
    pub commands: (u64, u64),
}

impl OfSet {
    /// Who notes down what a condition sees.
    pub fn owner(&self) -> Owner {
        Owner::OfSet(self.set, self.place)
    }
}
