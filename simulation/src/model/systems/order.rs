//! The order of systems: the order of addition, but for what `before`, `after`, chains, sets and
//! barriers say.

use crate::spec::{Ended, Fixed, Item, Kind, OfSet, Owner, SETS, System, When, name};

/// One entry, as it is run.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// A system.
    System(System),
    /// What asks the conditions of a set.
    Gate(usize, Vec<(When, Owner)>),
    /// Commands are applied.
    Barrier,
    /// The state changes.
    Transitions,
    /// Steps at a fixed rate, with this of the clocks.
    Fixed(Fixed, usize),
}

impl Node {
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::System(system) => Some(system.kind),
            _ => None,
        }
    }

    fn is_alone(&self) -> bool {
        matches!(self, Self::Fixed(..)) || self.kind().is_some_and(Kind::is_alone)
    }

    /// The set that it belongs to.
    fn set(&self) -> Option<usize> {
        match self {
            Self::System(system) => system.set,
            Self::Gate(set, _) => Some(*set),
            _ => None,
        }
    }

    /// The name by which the order tells it.
    fn told(&self) -> Option<String> {
        match self {
            Self::System(system) => Some(name(system.number)),
            Self::Gate(set, _) => Some(format!("condition of set {}", SETS[*set])),
            _ => None,
        }
    }

    /// Whether a name means it.
    fn is_meant(&self, label: &str) -> bool {
        matches!(self, Self::System(system) if name(system.number) == label)
            || self.set().is_some_and(|set| SETS[set] == label)
    }
}

/// What is done, one after the other.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// As if one after another.
    Together(Vec<usize>),
    /// By itself.
    Alone(usize),
    /// The commands of these are applied.
    Apply(Vec<usize>),
}

/// A schedule that can be run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// In the order of addition.
    pub nodes: Vec<Node>,
    /// In the order that is the meaning.
    pub order: Vec<String>,
    /// What is done.
    pub stages: Vec<Stage>,
}

impl Plan {
    /// Puts entries in order.
    pub(super) fn new(items: &[Item], of_sets: &[OfSet]) -> Result<Self, Ended> {
        let (mut nodes, mut links, mut clocks) = (Vec::new(), Vec::new(), 0);
        for item in items {
            match item {
                Item::Systems(systems) | Item::Chain(systems) => {
                    for (place, system) in systems.iter().enumerate() {
                        if place > 0 && matches!(item, Item::Chain(_)) {
                            links.push((systems[place - 1].number, system.number));
                        }
                        nodes.push(Node::System(system.clone()));
                    }
                }
                Item::Barrier => nodes.push(Node::Barrier),
                Item::Transitions => nodes.push(Node::Transitions),
                Item::Fixed(fixed) => {
                    if fixed.hz == 0 {
                        return Err(Ended::Rate);
                    }
                    Self::new(&fixed.items, &[])?;
                    nodes.push(Node::Fixed(fixed.clone(), clocks));
                    clocks += 1;
                }
            }
        }
        for set in 0..SETS.len() {
            let whens = of_sets.iter().filter(|said| said.set == set);
            let whens: Vec<_> = whens.filter_map(|said| Some((said.when?, said.owner()))).collect();
            let first = nodes.iter().position(|node| node.set() == Some(set));
            if let Some(first) = first.filter(|_| !whens.is_empty()) {
                nodes.insert(first, Node::Gate(set, whens));
            }
        }
        let edges = edges(&nodes, &links, of_sets)?;
        let line = line(nodes.len(), &edges).ok_or(Ended::Circle)?;
        let order = line.iter().filter_map(|at| nodes[*at].told()).collect();
        let stages = stages(&nodes, &line);
        Ok(Self { nodes, order, stages })
    }
}

impl Plan {
    /// How many systems that give commands there are until those of this one are applied.
    pub(super) fn lanes(&self, at: usize) -> usize {
        let with_it = |stage: &&Stage| matches!(stage, Stage::Apply(list) if list.contains(&at));
        match self.stages.iter().find(with_it) {
            Some(Stage::Apply(list)) => list.len(),
            _ => 0,
        }
    }
}

/// Who must come before whom.
fn edges(
    nodes: &[Node],
    links: &[(u32, u32)],
    of_sets: &[OfSet],
) -> Result<Vec<(usize, usize)>, Ended> {
    let mut edges = Vec::new();
    let is = |at: usize, number| matches!(&nodes[at], Node::System(s) if s.number == number);
    for (one, other) in (0..nodes.len()).flat_map(|one| (0..nodes.len()).map(move |two| (one, two)))
    {
        let between_barriers = one < other
            && (matches!(nodes[one], Node::Barrier) || matches!(nodes[other], Node::Barrier));
        let linked = links.iter().any(|(before, after)| is(one, *before) && is(other, *after));
        let opens = matches!(&nodes[one], Node::Gate(set, _)
            if matches!(&nodes[other], Node::System(system) if system.set == Some(*set)));
        if between_barriers || linked || opens {
            edges.push((one, other));
        }
    }
    for (at, node) in nodes.iter().enumerate() {
        let (mut before, mut after) = match node {
            Node::System(system) => (system.before.clone(), system.after.clone()),
            _ => Default::default(),
        };
        let said = of_sets.iter().filter(|said| said.after_other && node.set() == Some(said.set));
        after.extend(said.map(|said| SETS[1 - said.set].to_owned()));
        let labels = before.drain(..).map(|label| (label, true));
        for (label, is_before) in labels.chain(after.into_iter().map(|label| (label, false))) {
            let others: Vec<usize> = (0..nodes.len())
                .filter(|other| *other != at && nodes[*other].is_meant(&label))
                .collect();
            let is_known = of_sets.iter().any(|said| SETS[said.set] == label);
            if others.is_empty() && !is_known {
                return Err(Ended::Unknown);
            }
            for other in others {
                let is_own_gate =
                    matches!(nodes[other], Node::Gate(set, _) if node.set() == Some(set));
                if !is_own_gate {
                    edges.push(if is_before { (at, other) } else { (other, at) });
                }
            }
        }
    }
    Ok(edges)
}

/// Always the first in the order of addition that nobody else must come before.
fn line(count: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut line = Vec::new();
    while !left.is_empty() {
        let waits = |at: usize| edges.iter().any(|(one, two)| *two == at && left.contains(one));
        let next = left.iter().position(|at| !waits(*at))?;
        line.push(left.remove(next));
    }
    Some(line)
}

fn stages(nodes: &[Node], line: &[usize]) -> Vec<Stage> {
    let (mut stages, mut together, mut giving) = (Vec::new(), Vec::new(), Vec::new());
    let close = |stages: &mut Vec<Stage>, together: &mut Vec<usize>| {
        if !together.is_empty() {
            stages.push(Stage::Together(std::mem::take(together)));
        }
    };
    let apply = |stages: &mut Vec<Stage>, giving: &mut Vec<usize>| {
        if !giving.is_empty() {
            stages.push(Stage::Apply(std::mem::take(giving)));
        }
    };
    for &at in line {
        let node = &nodes[at];
        if matches!(node, Node::Barrier) || node.is_alone() {
            close(&mut stages, &mut together);
            apply(&mut stages, &mut giving);
        }
        if matches!(node, Node::Barrier) {
            continue;
        }
        if node.kind().is_some_and(Kind::commands) {
            giving.push(at);
        }
        if node.is_alone() || node.kind().is_some_and(Kind::is_pinned) {
            close(&mut stages, &mut together);
            stages.push(Stage::Alone(at));
        } else {
            together.push(at);
        }
    }
    close(&mut stages, &mut together);
    apply(&mut stages, &mut giving);
    stages
}
