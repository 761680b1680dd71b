//! One order of all systems out of the order of addition, `before`, `after` and barriers.

use crate::config::Label;
use crate::error::PlanError;
use crate::missing::closest;
use crate::node::Node;
use crate::set::Set;

/// The systems that a label means.
pub(crate) fn meant(nodes: &[Node], label: &Label) -> impl Iterator<Item = u32> {
    let is_meant =
        move |node: &Node| node.is_system() && label.means(&node.name, node.path, &node.sets);
    (0..).zip(nodes).filter(move |(_, node)| is_meant(node)).map(|(number, _)| number)
}

/// Who must come before whom, whatever they touch.
pub(crate) fn constraints(nodes: &[Node], sets: &[Set]) -> Result<Vec<(u32, u32)>, PlanError> {
    let mut edges = Vec::new();
    let mut last_barrier = None;
    for (number, node) in (0..).zip(nodes) {
        let of_sets = sets.iter().filter(|set| node.sets.contains(&set.name));
        let before = node.before.iter().chain(of_sets.clone().flat_map(|set| &set.before));
        let after = node.after.iter().chain(of_sets.flat_map(|set| &set.after));
        for (label, is_before) in
            before.map(|label| (label, true)).chain(after.map(|label| (label, false)))
        {
            let mut known = false;
            for other in meant(nodes, label).filter(|&other| other != number) {
                known = true;
                if nodes[other as usize].is_gate()
                    && nodes[other as usize].sets.iter().all(|set| node.sets.contains(set))
                {
                    continue; // its own
                }
                edges.push(if is_before { (number, other) } else { (other, number) });
            }
            must_be_known(nodes, sets, node, label, known)?;
        }
        for label in &node.unordered {
            let known = meant(nodes, label).any(|other| other != number);
            must_be_known(nodes, sets, node, label, known)?;
        }
        if node.is_gate() {
            let is_member = |other: &Node| {
                !other.is_gate() && node.sets.iter().all(|set| other.sets.contains(set))
            };
            let members = (0..).zip(nodes).filter(|(_, other)| is_member(other));
            edges.extend(members.map(|(other, _)| (number, other)));
        }
        if node.is_system() {
            edges.extend(last_barrier.map(|barrier| (barrier, number)));
        } else {
            let since = last_barrier.map_or(0, |barrier| barrier + 1);
            edges.extend((since..number).map(|before| (before, number)));
            edges.extend(last_barrier.map(|barrier| (barrier, number)));
            last_barrier = Some(number);
        }
    }
    Ok(edges)
}

fn must_be_known(
    nodes: &[Node],
    sets: &[Set],
    node: &Node,
    label: &Label,
    known: bool,
) -> Result<(), PlanError> {
    // A set without members is known all the same.
    if known || matches!(label, Label::Name(name) if sets.iter().any(|set| set.name == *name)) {
        return Ok(());
    }
    Err(PlanError::Unknown {
        system: node.system_name(),
        label: label.text().to_owned(),
        suggestion: suggestion(nodes, label.text()),
    })
}

/// The name that was probably meant.
pub(crate) fn suggestion(nodes: &[Node], name: &str) -> Option<String> {
    let systems = nodes.iter().filter(|node| node.is_system());
    let mut names = systems
        .flat_map(|node| std::iter::once(&*node.name).chain(node.sets.iter().map(|set| &**set)));
    closest(name, &mut names).map(str::to_owned).filter(|meant| meant != name)
}

/// All entries in order: always the first in the order of addition that nobody else must come
/// before.
pub(crate) fn in_order(nodes: &[Node], edges: &[(u32, u32)]) -> Result<Vec<u32>, PlanError> {
    let mut waits = vec![0u32; nodes.len()];
    let mut followers = vec![Vec::new(); nodes.len()];
    for &(before, after) in edges {
        waits[after as usize] += 1;
        followers[before as usize].push(after);
    }
    // Those that wait for nobody, the first one last.
    let mut ready: Vec<u32> =
        (0..nodes.len() as u32).rev().filter(|&number| waits[number as usize] == 0).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(number) = ready.pop() {
        order.push(number);
        for &after in &followers[number as usize] {
            waits[after as usize] -= 1;
            if waits[after as usize] == 0 {
                ready.insert(ready.partition_point(|&other| other > after), after);
            }
        }
    }
    if order.len() == nodes.len() { Ok(order) } else { Err(cycle(nodes, edges, &waits)) }
}

/// The shortest way to say why there is no order: entries that are left over, each of which must
/// come before the next.
fn cycle(nodes: &[Node], edges: &[(u32, u32)], waits: &[u32]) -> PlanError {
    let left = |number: u32| waits[number as usize] > 0;
    // From an entry that is left over, backwards along entries that are left over, until one comes
    // again.
    let before =
        |number: u32| edges.iter().find(|edge| edge.1 == number && left(edge.0)).map(|edge| edge.0);
    let mut path: Vec<u32> =
        (0..nodes.len() as u32).find(|&number| left(number)).into_iter().collect();
    while let Some(earlier) = path.last().and_then(|&last| before(last)) {
        if let Some(start) = path.iter().position(|&number| number == earlier) {
            path.drain(..start);
            break;
        }
        path.push(earlier);
    }
    path.reverse();
    PlanError::Cycle {
        systems: path.into_iter().map(|number| nodes[number as usize].system_name()).collect(),
    }
}
