//! A program: calls as data, made from a seed or from the bytes of a fuzzer, and printed as Rust.

use std::fmt;

/// Declares the calls, each with how often it is drawn.
macro_rules! calls {
    ($($(#[$doc:meta])* $call:ident: $weight:expr,)*) => {
        /// What is called. The other numbers of a [`Step`] say on what.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Call { $($(#[$doc])* $call,)* }

        impl Call {
            /// All of them, and how often each is drawn.
            pub const ALL: &[(Self, u32)] = &[$((Self::$call, $weight),)*];
        }
    };
}

calls! {
    // Things come.
    /// `Pool::try_spawn`, and `spawn` where there is room.
    Spawn: 40,
    /// `World::try_spawn`, of which hooks hear.
    WorldSpawn: 12,
    /// `Pool::spawn_many`, `extend`.
    SpawnMany: 12,
    /// `Pool::spawn_range`.
    SpawnRange: 8,
    /// `Pool::spawn_at`, at a handle that is old, made up, reserved, or far from all others.
    SpawnAt: 14,
    /// `Pool::stage`.
    Stage: 14,
    /// `Pool::stage` from several threads at once.
    StageFromThreads: 2,
    /// `Pool::reserve`, `reserve_kind`.
    Reserve: 10,
    /// `Pool::commit`.
    Commit: 8,
    // Things go.
    /// `Pool::despawn`.
    Despawn: 24,
    /// `World::despawn`, of which hooks hear.
    WorldDespawn: 10,
    /// `Pool::despawn_many`.
    DespawnMany: 6,
    /// `Pool::despawn_with`.
    DespawnWith: 6,
    /// `Pool::despawn_after`.
    DespawnAfter: 8,
    /// `Pool::reap`.
    Reap: 6,
    /// `Pool::take`.
    Take: 8,
    /// `Pool::take_tree`, and `graft` or `into_things`.
    Graft: 4,
    /// `Pool::retain`.
    Retain: 4,
    /// `Pool::extract_if`, looked at in part.
    ExtractIf: 4,
    /// `Pool::clear`.
    Clear: 1,
    /// `Pool::reclaim_retired`, after which old handles of those slots are forgotten.
    Reclaim: 1,
    // One thing, or a few.
    /// `get`, `read`, `check`, `contains`, `has`, `tags`, `view`, of the world and of the pool.
    Ask: 10,
    /// `Pool::edit`.
    Edit: 14,
    /// `World::get_mut`, `Pool::get_mut`.
    GetMut: 6,
    /// `Pool::set` of a number.
    SetField: 6,
    /// `Pool::set` of a cold field.
    SetRare: 6,
    /// `Pool::view_mut`.
    ViewMut: 6,
    /// `Pool::get_disjoint_mut`.
    Disjoint: 6,
    /// `Pool::split`, with something staged beside.
    Split: 6,
    /// `SideMut::insert`, `get_mut`, `remove`, of a table beside the pool.
    Beside: 12,
    /// `Pool::set_tags`, `insert_tags`, `remove_tags`.
    Tags: 12,
    /// `World::set_tags`, of which hooks hear.
    WorldTags: 6,
    // All things.
    /// `Pool::iter_mut`.
    IterMut: 3,
    /// `each`, `par_each`, `iter_mut` of a view: the number of each thing changes.
    Each: 8,
    /// `slices`, `par_slices`.
    Runs: 4,
    /// `Pool::each_with_rest`, and that of a view.
    EachWithRest: 4,
    /// `Pool::view` and its `get`, `get_many`, `iter`, `count`: nothing changes.
    LookAtMany: 6,
    // The pool itself.
    /// `Pool::clone` takes the place of the pool.
    CloneOver: 2,
    /// `World::remove_pool` and `add_pool`.
    MoveOut: 1,
    /// `Pool::set_reuse`.
    SetReuse: 1,
    /// `Pool::shrink_to_fit`.
    Shrink: 2,
    /// `Pool::track_changes`.
    TrackChanges: 1,
    /// `Pool::next_tick`.
    NextTick: 4,
    /// `Pool::changed_since`.
    ChangedSince: 3,
    // Trees.
    /// `TreeMut::attach`, `attach_first`, `attach_before`, `attach_after`.
    Attach: 40,
    /// `TreeMut::detach`.
    Detach: 6,
    /// `TreeMut::move_children`.
    MoveChildren: 4,
    /// `TreeMut::swap`.
    SwapPlaces: 4,
    /// `TreeMut::sort_children`.
    SortChildren: 3,
    /// `Pool::spawn_child`.
    SpawnChild: 10,
    /// `Pool::spawn_tree`.
    SpawnTree: 4,
    /// `TreeMut::mark`, `reserve`.
    Mark: 3,
    /// `Sweep::down`, `par_down`, of a pool.
    Cascade: 4,
    /// `Sweep::down_dirty`, `par_down_dirty`.
    CascadeDirty: 3,
    /// `Sweep::up`, `par_up`.
    Gather: 3,
    /// A `Cursor` walks a subtree; `Pool::tree_and_things` changes children.
    WalkTree: 4,
    // Copies of the world.
    /// A resource that is saved comes, changes or goes.
    Note: 4,
    /// `Snapshot::take`, `take_into`, `take_mut`.
    TakeSnapshot: 6,
    /// `Snapshot::restore`, into this world or another one.
    RestoreSnapshot: 5,
    /// `History::push`.
    PushHistory: 5,
    /// `History::restore`, `forget_from`.
    RestoreHistory: 3,
    /// `Delta::since` and the like bring a snapshot up to date.
    BringUpToDate: 4,
    /// `Delta::between` two snapshots.
    Between: 3,
    // Saves.
    /// `Write::to_bytes`, compressed or not.
    Save: 5,
    /// `Load::from_bytes`, into this world or one of the other layout.
    Load: 5,
    /// `Load::ignore_unknown` by a world that saves a part, and `Load` of what that saves.
    LoadPart: 3,
    /// `Snapshot::to_text`.
    WriteText: 3,
    /// `Load::from_text`.
    ReadText: 3,
    /// A save is read by another version of the program, whose save is read again.
    AcrossVersions: 3,
    /// `Write::to_file`; a step of it fails, or is the last that the process does.
    SaveFile: 5,
    /// `Load::from_file`.
    LoadFile: 4,
    /// Saves and texts that somebody has damaged.
    Garbage: 4,
    // Prefabs.
    /// `Prefab::of`, written as text and read.
    MakePrefab: 5,
    /// `spawn_prefab`, of a prefab that may override another.
    SpawnPrefab: 6,
    // The inspector.
    /// `GET world`, `things`, `tree`, `thing`.
    AskInspector: 4,
    /// `POST edit`.
    InspectorEdits: 6,
    /// `POST spawn`.
    InspectorSpawns: 4,
    /// `POST despawn`.
    InspectorDespawns: 4,
    /// `POST attach`, `detach`.
    InspectorLinks: 5,
    /// `POST undo`.
    InspectorUndoes: 8,
    /// Requests that mean nothing, or are damaged.
    InspectorIsTold: 2,
    // Faults.
    /// `try_spawn`, `try_stage`, `try_reserve_kind`, `spawn_at` while memory is refused, in worlds
    /// that faults are played in.
    WithoutMemory: 10,
    // Systems.
    /// `Schedule::add` of one system, with conditions, sets, `before`, `after`.
    AddSystem: 40,
    /// `Schedule::add` of a tuple, `chain`.
    AddSystems: 8,
    /// `Schedule::barrier`, `transitions`, `fixed_limit`.
    AddToOrder: 8,
    /// `Schedule::try_add` of systems that cannot be.
    AddConflict: 1,
    /// `Set::run_if`, `after`.
    SaySet: 4,
    /// `Schedule::new`, in place of the old one.
    NewSchedule: 3,
    /// `Schedule::try_run`, `run_serial`; another state was asked for before, perhaps.
    RunSchedule: 40,
    /// `World::run_once`.
    RunOnce: 10,
    /// `World::send`, `insert`, `try_resource_mut`, `remove`, `insert_pinned`, `pinned_mut`,
    /// `Events::set_cap`, `clear`, `State::set`.
    TellWorld: 18,
    /// `World::on_spawn`, `on_despawn`, `on_tags`.
    AddHook: 3,
}

impl Call {
    /// Whether the answer is about ticks and marks of changes, which no copy keeps.
    pub fn is_about_ticks(self) -> bool {
        matches!(self, Self::TrackChanges | Self::NextTick | Self::ChangedSince)
    }

    /// Whether it leaves something behind outside of the world, or is about what was left: it is
    /// not undone and made again.
    pub fn is_outside_of_the_world(self) -> bool {
        self.can_be_repeated()
            || self.is_noted_by_the_inspector()
            || matches!(self, Self::SpawnPrefab)
    }

    /// Whether a call that has panicked can be made again, and then does all that it should have
    /// done at first.
    pub fn can_be_repeated(self) -> bool {
        matches!(
            self,
            Self::Note
                | Self::TakeSnapshot
                | Self::RestoreSnapshot
                | Self::PushHistory
                | Self::RestoreHistory
                | Self::BringUpToDate
                | Self::Between
                | Self::Save
                | Self::Load
                | Self::LoadPart
                | Self::WriteText
                | Self::ReadText
                | Self::AcrossVersions
                | Self::SaveFile
                | Self::LoadFile
                | Self::Garbage
                | Self::MakePrefab
                | Self::AskInspector
                | Self::InspectorIsTold
        )
    }

    /// Whether it changes the world by the inspector, which remembers that.
    pub fn is_noted_by_the_inspector(self) -> bool {
        matches!(
            self,
            Self::InspectorEdits
                | Self::InspectorSpawns
                | Self::InspectorDespawns
                | Self::InspectorLinks
                | Self::InspectorUndoes
        )
    }

    /// Whether it makes copies of worlds, or is about such: those are not played beside systems.
    pub fn is_of_copies(self) -> bool {
        self.is_outside_of_the_world()
    }

    /// Whether it is about a schedule, or what is beside the pools.
    pub fn is_of_systems(self) -> bool {
        matches!(
            self,
            Self::AddSystem
                | Self::AddSystems
                | Self::AddToOrder
                | Self::AddConflict
                | Self::SaySet
                | Self::NewSchedule
                | Self::RunSchedule
                | Self::RunOnce
                | Self::TellWorld
                | Self::AddHook
        )
    }
}

/// One call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What is called.
    pub call: Call,
    /// On which pool.
    pub pool: u8,
    /// Which thing.
    pub a: u16,
    /// Which other thing, or which way.
    pub b: u16,
    /// Which value.
    pub v: u16,
}

/// So many bytes make a step.
pub const STEP: usize = 8;

impl Step {
    /// The step that some bytes stand for.
    pub fn from_bytes(bytes: [u8; STEP]) -> Self {
        let total: u32 = Call::ALL.iter().map(|(_, weight)| weight).sum();
        let mut drawn = u32::from(u16::from_le_bytes([bytes[0], bytes[1] >> 4])) % total;
        let call = Call::ALL.iter().find(|(_, weight)| match drawn.checked_sub(*weight) {
            Some(rest) => {
                drawn = rest;
                false
            }
            None => true,
        });
        let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let call = call.expect("less than the total").0;
        Self { call, pool: bytes[1] & 15, a: two(2), b: two(4), v: two(6) }
    }

    /// The step with everything a little simpler, or `None` if it is as simple as can be.
    pub fn simpler(self) -> impl Iterator<Item = Self> {
        let less = |n: u16| [0, n / 2, n.saturating_sub(1)];
        let a = less(self.a).map(|a| Self { a, ..self });
        let b = less(self.b).map(|b| Self { b, ..self });
        let v = less(self.v).map(|v| Self { v, ..self });
        let pool = [Self { pool: 0, ..self }];
        a.into_iter().chain(b).chain(v).chain(pool).filter(move |simpler| *simpler != self)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, pool, a, b, v } = self;
        write!(out, "step({call:?}, {pool}, {a}, {b}, {v})")
    }
}

/// A step, as printed programs write it.
pub const fn step(call: Call, pool: u8, a: u16, b: u16, v: u16) -> Step {
    Step { call, pool, a, b, v }
}

/// Of a [`Call::SpawnAt`] whose `b` is this, or more by a multiple of 4, the handle is far from all
/// others. Memory has gaps then, sets of tags have groups of their own, and loops are shared out
/// among threads.
pub const FAR: u16 = 1;

/// The program that a seed stands for: of systems if it is odd, of copies of the world if it is even,
/// and of pools and trees in any case.
pub fn from_seed(seed: u64, steps: usize) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let other = |step: &Step| match seed % 2 {
        0 => step.call.is_of_systems(),
        _ => step.call.is_of_copies(),
    };
    // Most programs are about two pools, in which more happens, then.
    let (are_all, two) = (random.u8(..4) == 0, [random.u8(..16), random.u8(..16)]);
    let pool = |drawn: u8| if are_all { drawn } else { two[usize::from(drawn % 2)] };
    let far: Vec<Step> = (0..random.u16(..12))
        .map(|_| step(Call::SpawnAt, pool(random.u8(..16)), random.u16(..), FAR, random.u16(..)))
        .collect();
    let mut draw = || Step::from_bytes(random.u64(..).to_le_bytes());
    let drawn = std::iter::from_fn(|| Some(draw())).filter(|step| !other(step));
    let drawn = drawn.map(|step| Step { pool: pool(step.pool), ..step });
    far.into_iter().chain(drawn).take(steps).collect()
}

/// The program that the bytes of a fuzzer stand for.
pub fn from_bytes(bytes: &[u8]) -> Vec<Step> {
    bytes
        .chunks_exact(STEP)
        .map(|step| Step::from_bytes(step.try_into().expect("a whole step")))
        .collect()
}

/// The program as the text of a test.
pub fn to_rust(program: &[Step], call: &str, failure: &str) -> String {
    let mut text = String::from("#[test]\nfn name_what_is_wrong() {\n");
    for line in failure.lines() {
        text += &format!("    // {line}\n");
    }
    text += &format!("    {call}(&[\n");
    for step in program {
        text += &format!("        {step:?},\n");
    }
    text + "    ]);\n}\n"
}
