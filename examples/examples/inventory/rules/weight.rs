//! Weights: of a stack with all that is inside, and what a container bears.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

use lath::prelude::*;

use super::{Inside, Inventory, Item, Refusal, item};

/// A weight. Sums stop at the largest one, which nothing weighs and places bear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grams(pub u64);

impl Inventory {
    /// Sums the weights up, from the innermost items to the places: after every change of links or
    /// counts.
    pub(super) fn weigh(&mut self) {
        type Stack<'a> = (Mut<'a, item::total>, Ref<'a, item::weight>, Ref<'a, item::count>);
        self.items.tree_of_mut::<Inside>().sweep::<Ref<item::total>, Stack>().up(
            |inside, (mut total, weight, count)| {
                *total = *weight * *count + inside.map(|item| *item).sum();
            },
        );
    }

    /// Whether `into`, and all that it is inside of, would bear `more`. What has `item` inside
    /// already bears it now.
    pub(super) fn bears(
        &self,
        item: Handle<Item>,
        more: Grams,
        into: Handle<Item>,
    ) -> Result<(), Refusal> {
        let tree = self.items.tree_of::<Inside>();
        for container in std::iter::once(into).chain(tree.ancestors(into)) {
            if tree.is_ancestor(container, item) {
                break;
            }
            let (load, bears) = (self.items[container].load(), self.items[container].bears);
            if load + more > bears {
                return Err(Refusal::TooHeavy {
                    container: self.name(container),
                    load,
                    more,
                    bears,
                });
            }
        }
        Ok(())
    }
}

impl Add for Grams {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Grams {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<u32> for Grams {
    type Output = Self;
    fn mul(self, count: u32) -> Self {
        Self(self.0.saturating_mul(count.into()))
    }
}

impl Sum for Grams {
    fn sum<I: Iterator<Item = Self>>(weights: I) -> Self {
        weights.fold(Self(0), Self::add)
    }
}

impl fmt::Display for Grams {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            grams @ ..1000 => write!(out, "{grams} g"),
            grams if grams % 1000 == 0 => write!(out, "{} kg", grams / 1000),
            grams => write!(out, "{:.1} kg", grams as f64 / 1000.0),
        }
    }
}
