//! The plan: from the order of addition to stages, and within a stage who waits for whom.
//!
//! 1. [`order`]: one after the other. The order of addition, but where `before`, `after` and
//!    barriers say otherwise.
//! 2. Stages: the order is cut where commands are applied, and around systems that run alone or on
//!    the caller's thread.
//! 3. [`graph`]: within a stage a system waits for an earlier one if both touch the same and one of
//!    them writes.

pub(crate) mod graph;
pub(crate) mod order;

use crate::error::PlanError;
use crate::node::Node;
use crate::set::Set;
use graph::Graph;

/// What is done, one after the other.
pub(crate) struct Plan {
    /// All entries, in the order that is the meaning.
    pub(crate) order: Vec<u32>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) has_pinned: bool,
}

pub(crate) enum Stage {
    /// Systems, at the same time where nothing conflicts.
    Together(Box<Graph>),
    /// One system that needs a pool or the world, or the caller's thread.
    Alone(u32),
    /// The commands of these systems are applied.
    Apply(Vec<u32>),
}

impl Plan {
    pub(crate) fn new(nodes: &mut [Node], sets: &[Set]) -> Result<Self, PlanError> {
        let constraints = order::constraints(nodes, sets)?;
        let order = order::in_order(nodes, &constraints)?;
        let mut stages = Vec::new();
        let mut together = Vec::new();
        let mut giving = Vec::new();
        for &number in &order {
            let node = &nodes[number as usize];
            let barrier = !node.is_system();
            if barrier || node.is_alone() {
                close(&mut stages, &mut together, nodes, &constraints);
                apply(&mut stages, &mut giving, nodes);
            }
            let node = &nodes[number as usize];
            if barrier {
                continue;
            }
            if node.access.commands {
                giving.push(number);
            }
            if node.is_alone() || node.access.pinned {
                close(&mut stages, &mut together, nodes, &constraints);
                stages.push(Stage::Alone(number));
            } else {
                together.push(number);
            }
            if nodes[number as usize].is_alone() {
                apply(&mut stages, &mut giving, nodes);
            }
        }
        close(&mut stages, &mut together, nodes, &constraints);
        apply(&mut stages, &mut giving, nodes);
        let has_pinned = nodes.iter().any(Node::is_pinned);
        Ok(Self { order, stages, has_pinned })
    }

    /// Where a system is in the order.
    pub(crate) fn place(&self, number: u32) -> usize {
        self.order.iter().position(|&other| other == number).unwrap_or(usize::MAX)
    }
}

fn close(
    stages: &mut Vec<Stage>,
    together: &mut Vec<u32>,
    nodes: &[Node],
    constraints: &[(u32, u32)],
) {
    if !together.is_empty() {
        stages.push(Stage::Together(Box::new(Graph::new(
            std::mem::take(together),
            nodes,
            constraints,
        ))));
    }
}

/// Ends a stretch between two barriers: every system in it that gives commands gets a share of the
/// free slots.
fn apply(stages: &mut Vec<Stage>, giving: &mut Vec<u32>, nodes: &mut [Node]) {
    let count = giving.len() as u32;
    for (lane, &number) in giving.iter().enumerate() {
        nodes[number as usize].buffer.set_lane(lane as u32, count);
    }
    if count > 0 {
        stages.push(Stage::Apply(std::mem::take(giving)));
    }
}
