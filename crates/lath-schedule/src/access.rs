//! What a system touches, and whether two systems get in each other's way.

use std::any::{TypeId, type_name};
use std::fmt;

use lath_core::{Fields, Relation, Thing};

use crate::missing::{as_written, joined, short_name};
use crate::world::World;

/// Something that systems can touch, as its own kind of conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// The fields of the things of a type: a bit each.
    Fields(TypeId),
    /// Which things of a type there are.
    Slots(TypeId),
    /// The links of a relation among the things of a type.
    Links(TypeId, TypeId),
    /// A resource, or the events of a type.
    Resource(TypeId),
    /// The commands of a system: its own.
    Commands,
    /// Whether a set is to run.
    Gate(u32),
}

/// One thing that a system touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) key: Key,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    /// The type of the parameter that it is touched through.
    pub(crate) param: &'static str,
    pub(crate) name: TouchName,
}

impl Touch {
    /// The bits that two systems cannot both use at the same time.
    pub(crate) fn clash(&self, other: &Self) -> u64 {
        if self.key != other.key {
            return 0;
        }
        self.writes & (other.reads | other.writes) | self.reads & other.writes
    }
}

/// What events are called, before the name of their type.
pub(crate) const EVENTS: &str = "events of type";

/// How something that is touched is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchName {
    what: &'static str,
    of: &'static str,
    field: fn(u32) -> Option<&'static str>,
}

impl TouchName {
    /// Whether it is events of some type.
    pub(crate) fn is_of_events(self) -> bool {
        self.what == EVENTS
    }

    /// In words: "field `pos` of `Actor`".
    pub(crate) fn say(self, bits: u64) -> Said {
        Said { name: self, bits }
    }
}

/// [`TouchName::say`].
pub(crate) struct Said {
    name: TouchName,
    bits: u64,
}

impl fmt::Display for Said {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its `write!` is a call; that of a `Formatter` is copied to each place.
        let out: &mut dyn fmt::Write = out;
        let TouchName { what, of, field } = self.name;
        let fields: Vec<_> =
            (0..64).filter(|bit| self.bits >> bit & 1 != 0).filter_map(field).collect();
        match fields.as_slice() {
            [] => write!(out, "{what} `{}`", short_name(of)),
            [one] => write!(out, "field `{one}` of `{}`", short_name(of)),
            [first, .., last] if fields.len() > 3 => {
                write!(
                    out,
                    "{} fields of `{}`, `{first}` to `{last}`",
                    fields.len(),
                    short_name(of)
                )
            }
            several => write!(out, "fields `{}` of `{}`", joined(several, "`, `"), short_name(of)),
        }
    }
}

/// What a system touches: filled by its parameters when the system is made.
#[derive(Clone, Debug, Default)]
pub struct Access {
    pub(crate) touches: Vec<Touch>,
    /// Needs the whole world, after all commands so far have been applied.
    pub(crate) alone: Option<&'static str>,
    /// Gives commands.
    pub(crate) commands: bool,
    /// Must run on the thread that runs the schedule.
    pub(crate) pinned: bool,
    /// The first two parameters that get in each other's way.
    pub(crate) conflict: Option<Conflict>,
    /// What is to be made ready before every run.
    pub(crate) prepare: Vec<fn(&mut World)>,
    /// The parameter that is being asked.
    param: &'static str,
}

/// Two parameters of one system that cannot be had together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one parameter.
    pub first: &'static str,
    /// The other one.
    pub second: &'static str,
    /// What both of them use, one of them mutably.
    pub what: String,
}

impl fmt::Display for Conflict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its `write!` is a call; that of a `Formatter` is copied to each place.
        let out: &mut dyn fmt::Write = out;
        let what = &self.what;
        let (first, second) = (as_written(self.first), as_written(self.second));
        write!(
            out,
            "its parameters `{first}` and `{second}` both use {what}, and one of them mutably: "
        )?;
        write!(out, "merge them into one parameter, or split the system in two")?;
        // Tags that exclude each other do not help: what is lent out is the field.
        if what.starts_with("field ") || what.starts_with(|letter: char| letter.is_ascii_digit()) {
            write!(
                out,
                "; to change one thing beside a look at others there is `Query::each_with_rest`"
            )?;
        }
        Ok(())
    }
}

impl Access {
    /// What a parameter touches, on its own.
    pub(crate) fn of<P: crate::param::Param>() -> Self {
        let mut access = Self::default();
        access.ask::<P>();
        access
    }

    /// Asks a parameter what it touches, and notes if that is in the way of those before it.
    pub fn ask<P: crate::param::Param>(&mut self) {
        let before = std::mem::replace(&mut self.param, type_name::<P>());
        P::declare(self);
        self.param = before;
    }

    /// All of another's, whatever is in the way: what a condition touches before its system runs.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.touches.extend(&other.touches);
        self.pinned |= other.pinned;
        self.alone = self.alone.or(other.alone);
        self.commands |= other.commands;
        self.prepare.extend(&other.prepare);
    }

    fn touch(&mut self, key: Key, reads: u64, writes: u64, name: TouchName) {
        let touch = Touch { key, reads, writes, param: self.param, name };
        if self.conflict.is_none() {
            let clash = self
                .touches
                .iter()
                .map(|other| (touch.clash(other), other))
                .find(|&(bits, _)| bits != 0);
            if let Some((bits, other)) = clash {
                let what = name.say(bits).to_string();
                self.conflict = Some(Conflict { first: other.param, second: self.param, what });
            }
        }
        self.check_alone(None);
        self.touches.push(touch);
    }

    /// The whole world, or all of a pool, must not be asked for beside anything else of it.
    fn check_alone(&mut self, alone: Option<&'static str>) {
        let earlier = self.touches.first().map(|touch| touch.param);
        let pair = match (self.alone, alone) {
            (Some(world), _) if world == WORLD => Some((world, self.param)),
            (_, Some(world)) if world == WORLD => {
                self.alone.or(earlier).map(|first| (first, world))
            }
            _ => None,
        };
        if let (Some((first, second)), None) = (pair, &self.conflict) {
            self.conflict = Some(Conflict { first, second, what: "the whole world".into() });
        }
    }

    /// Has something made ready before every run, with exclusive access to the world.
    pub(crate) fn prepare(&mut self, f: fn(&mut World)) {
        self.prepare.push(f);
    }

    /// Reads or writes some fields of things.
    pub(crate) fn fields<T: Fields>(&mut self, reads: u64, writes: u64) {
        let field = |bit: u32| T::FIELDS.get(bit as usize).map(|field| field.name);
        let name = TouchName { what: "things of type", of: type_name::<T>(), field };
        self.touch(Key::Fields(TypeId::of::<T>()), reads, writes, name);
        self.slots::<T>(false);
    }

    /// Needs things to stay where they are, or puts in and takes out things.
    pub(crate) fn slots<T: Thing>(&mut self, write: bool) {
        let name = TouchName { what: "the pool of", of: type_name::<T>(), field: |_| None };
        self.touch(Key::Slots(TypeId::of::<T>()), 1, u64::from(write), name);
    }

    /// Reads or writes links.
    pub(crate) fn links<T: Thing, R: Relation>(&mut self, write: bool) {
        let name = TouchName { what: "the tree of", of: type_name::<T>(), field: |_| None };
        self.touch(Key::Links(TypeId::of::<T>(), TypeId::of::<R>()), 1, u64::from(write), name);
        self.slots::<T>(false);
    }

    /// Reads or writes a resource.
    pub(crate) fn resource<R: 'static>(
        &mut self,
        what: &'static str,
        name: &'static str,
        write: bool,
    ) {
        let name = TouchName { what, of: name, field: |_| None };
        self.touch(Key::Resource(TypeId::of::<R>()), 1, u64::from(write), name);
    }

    /// Gives commands.
    pub(crate) fn give_commands(&mut self) {
        let name = TouchName { what: "the commands of", of: "the system", field: |_| None };
        self.touch(Key::Commands, 0, 1, name);
        self.commands = true;
        self.check_structural();
    }

    /// Needs all of a pool, to put in and take out things: alone, between barriers.
    pub(crate) fn whole_pool<T: Thing>(&mut self) {
        self.slots::<T>(true);
        self.alone = self.alone.or(Some(self.param));
        self.check_structural();
    }

    /// Commands promise handles out of the free slots of pools, so they cannot be had beside a pool
    /// that is changed directly.
    fn check_structural(&mut self) {
        let commands =
            self.touches.iter().find(|touch| touch.key == Key::Commands).map(|touch| touch.param);
        if let (Some(first), Some(second), None) = (commands, self.alone, &self.conflict) {
            let what = "the free slots of the pool".into();
            self.conflict = Some(Conflict { first, second, what });
        }
    }

    /// Needs the whole world.
    pub(crate) fn world(&mut self) {
        self.check_alone(Some(WORLD));
        self.alone = Some(WORLD);
    }

    /// Waits until it is known whether a set is to run, or says so.
    pub(crate) fn gate(&mut self, number: u32, set: &'static str, write: bool) {
        let name = TouchName { what: "the condition of set", of: set, field: |_| None };
        self.touch(Key::Gate(number), 1, u64::from(write), name);
    }

    /// Whether it waits until it is known whether a set is to run, or says so.
    pub(crate) fn has_gate(&self, number: u32) -> bool {
        self.touches.iter().any(|touch| touch.key == Key::Gate(number))
    }

    /// The first thing that both touch and one of them writes.
    pub(crate) fn clash(&self, other: &Self) -> Option<(Touch, u64)> {
        let mine = self.touches.iter().filter(|touch| touch.key != Key::Commands);
        mine.flat_map(|mine| other.touches.iter().map(move |theirs| (*mine, mine.clash(theirs))))
            .find(|&(_, bits)| bits != 0)
    }
}

const WORLD: &str = "&mut World";
