//! Why something cannot be done: what, to what, and what to do instead.

use std::fmt;

use lath::prelude::*;

use super::{Grams, Kind};

/// Why a call was refused. Nothing has changed then.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The handle names nothing (any more).
    Gone(HandleError),
    /// The links could not be made.
    Link(LinkError),
    /// People, hands and places are not moved.
    Fixed { item: String, kind: Kind },
    /// There are not so many.
    Count { item: String, asked: u32, has: u32 },
    /// Nothing, or everything, would be split off.
    Split { item: String, asked: u32, has: u32 },
    /// A container cannot be inside itself.
    IntoItself { item: String, container: String },
    /// Nothing can be inside.
    NoContainer { item: String },
    /// It is there.
    AlreadyThere { item: String, container: String },
    /// It is not in anything.
    NotThere { item: String },
    /// All places are taken.
    Full { container: String, places: u32, fits: u32 },
    /// It would not bear the weight.
    TooHeavy { container: String, load: Grams, more: Grams, bears: Grams },
    /// Only what lies on the floor can be smashed.
    NotOnTheFloor { item: String, container: String },
    /// Only hands hold things.
    NoHand { item: String },
    /// A hand holds one thing.
    HandFull { hand: String, held: String },
    /// No hand holds it.
    NotHeld { item: String },
    /// Hands hold what their owner carries.
    NotCarried { item: String, owner: String },
    /// Parts of a recipe are missing: so many of each.
    Parts { item: String, missing: Vec<(&'static str, u32)> },
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(error) => write!(out, "that is gone: {error}"),
            Self::Link(error) => write!(out, "that cannot be linked: {error}"),
            Self::Fixed { item, kind: Kind::Place } => {
                write!(out, "{item} stays where it is: it is around everything")
            }
            Self::Fixed { item, kind: Kind::Hand } => {
                write!(out, "{item} stays where it is: it is part of somebody")
            }
            Self::Fixed { item, .. } => {
                write!(out, "{item} cannot be moved like a thing: move what is carried")
            }
            Self::Count { item, asked, has } => {
                write!(out, "{asked} × {item} cannot be had: take 1 to {has}")
            }
            Self::Split { item, has: 1, .. } => {
                write!(out, "there is one {item} only, which cannot be split")
            }
            Self::Split { item, asked, has } => {
                write!(out, "{asked} cannot be split off {has} × {item}: take 1 to {}", has - 1)
            }
            Self::IntoItself { item, container } if item == container => {
                write!(out, "{item} cannot be put into itself: put it into something else")
            }
            Self::IntoItself { item, container } => {
                write!(
                    out,
                    "{item} cannot be put into {container}, which is inside {item}: take that out first"
                )
            }
            Self::NoContainer { item } => {
                write!(out, "nothing can be put into {item}: it is no container")
            }
            Self::AlreadyThere { item, container } => {
                write!(out, "{item} is in {container} already")
            }
            Self::NotThere { item } => {
                write!(out, "{item} is not inside of anything: put it somewhere first")
            }
            Self::Full { container, places, fits: 0 } => {
                write!(
                    out,
                    "all {places} places in {container} are taken: take something out first"
                )
            }
            Self::Full { container, places, fits } => {
                write!(
                    out,
                    "all {places} places in {container} are taken: only {fits} more fit, beside those that are there"
                )
            }
            Self::TooHeavy { container, load, more, bears } => write!(
                out,
                "{more} more is too heavy for {container}: the load is {load} of {bears}, so there is {} left",
                *bears - *load
            ),
            Self::NotOnTheFloor { item, container } => {
                write!(
                    out,
                    "{item} is in {container}: drop it first, so that what is inside has room to fall"
                )
            }
            Self::NoHand { item } => write!(out, "{item} is no hand, and holds nothing"),
            Self::HandFull { hand, held } => write!(out, "{hand} holds {held}: unequip that first"),
            Self::NotHeld { item } => write!(out, "no hand holds {item}"),
            Self::NotCarried { item, owner } => {
                write!(out, "{item} is not carried by {owner}: take it first")
            }
            Self::Parts { item, missing } => {
                let missing: Vec<_> =
                    missing.iter().map(|(name, count)| format!("{count} × {name}")).collect();
                write!(out, "a {item} needs more: {}", missing.join(", "))
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl From<HandleError> for Refusal {
    fn from(error: HandleError) -> Self {
        Self::Gone(error)
    }
}

impl From<LinkError> for Refusal {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}
