//! One run: stage by stage, system by system.

use std::collections::BTreeMap;

use super::order::{Node, Plan, Stage};
use super::{ABSURD, Later, PARTS};
use crate::model::Model;
use crate::model::pool::Wrong;
use crate::spec::{Ended, Fixed, Kind, Owner, System, When, name};

/// What a run comes to: what is wrong with what was seen, or how it should have ended.
pub(super) type Ending = Result<Result<(), Ended>, Wrong>;

impl Model {
    /// Runs a plan. `begins` if this is where readers are registered.
    pub(super) fn run_plan(&mut self, plan: &Plan, begins: bool) -> Ending {
        if begins && let Err(ended) = self.make_ready(plan) {
            return Ok(Err(ended));
        }
        if let Some(ended) = self.missing(&plan.nodes) {
            return Ok(Err(ended));
        }
        let mut open = [true; 2];
        let mut queues: BTreeMap<usize, Vec<Later>> = BTreeMap::new();
        let mut result = Ok(());
        for stage in &plan.stages {
            match stage {
                Stage::Apply(list) => {
                    let queues: Vec<_> = list.iter().filter_map(|at| queues.remove(at)).collect();
                    self.apply(queues)?;
                    self.systems.dealt.clear();
                }
                _ if result.is_err() => {}
                Stage::Alone(at) => {
                    let nodes = std::slice::from_ref(&plan.nodes[*at]);
                    result = match self.missing(nodes) {
                        Some(ended) => Err(ended),
                        None => self.run_node(plan, *at, &mut open, &mut queues)?,
                    };
                }
                Stage::Together(list) => {
                    let nodes: Vec<_> = list.iter().map(|at| plan.nodes[*at].clone()).collect();
                    result = self.missing(&nodes).map_or(Ok(()), Err);
                    for at in list {
                        if result.is_ok() {
                            result = self.run_node(plan, *at, &mut open, &mut queues)?;
                        }
                    }
                }
            }
        }
        Ok(result)
    }

    /// Readers are there from now on.
    fn make_ready(&mut self, plan: &Plan) -> Result<(), Ended> {
        let condition = |(when, owner): &(When, Owner)| (*when == When::Heard).then_some(*owner);
        for node in &plan.nodes {
            match node {
                Node::System(system) => {
                    let whens = system.whens.iter().enumerate();
                    let whens =
                        whens.map(|(at, when)| (*when, Owner::Condition(system.number, at)));
                    for owner in whens.filter_map(|pair| condition(&pair)) {
                        self.systems.register(owner);
                    }
                    if matches!(system.kind, Kind::Hear | Kind::Bundle) {
                        self.systems.register(Owner::System(system.number));
                    }
                }
                Node::Gate(_, whens) => {
                    for owner in whens.iter().filter_map(condition) {
                        self.systems.register(owner);
                    }
                }
                _ => {}
            }
        }
        for node in &plan.nodes {
            if let Node::Fixed(fixed, _) = node {
                let plan = Plan::new(&fixed.items, &[])?;
                self.make_ready(&plan)?;
                self.missing(&plan.nodes).map_or(Ok(()), Err)?;
            }
        }
        Ok(())
    }

    /// What is not there, and the first that needs it.
    fn missing(&self, nodes: &[Node]) -> Option<Ended> {
        let seen = &self.systems.seen;
        let system = |node: &Node| match node {
            Node::System(system) => Some(system.clone()),
            _ => None,
        };
        let misses = |system: &System| match system.kind {
            Kind::Needs => seen.rare.is_none(),
            Kind::Pinned => seen.pinned.is_none(),
            _ => false,
        };
        let system = nodes.iter().filter_map(system).find(misses)?;
        Some(Ended::Missing(name(system.number)))
    }

    fn holds(&mut self, when: When, owner: Owner) -> Result<bool, Wrong> {
        let state = &self.systems.state;
        let now = self.systems.seen.state;
        Ok(match when {
            When::Odd(which) => self.systems.seen.r[which] % 2 == 1,
            // Sets have no words for these, and ask another number.
            When::Entering(_) | When::Leaving(_) if matches!(owner, Owner::OfSet(..)) => {
                self.systems.seen.r[3] % 2 == 1
            }
            When::Entering(which) => state.entered && now == which,
            When::Leaving(which) => state.left == Some(which),
            When::In(which) => now == which,
            When::EveryOther => self.systems.local(owner, 0, 1)? % 2 == 1,
            When::Heard => self.systems.hear(owner)? != 0,
        })
    }

    fn run_node(
        &mut self,
        plan: &Plan,
        at: usize,
        open: &mut [bool; 2],
        queues: &mut BTreeMap<usize, Vec<Later>>,
    ) -> Ending {
        match &plan.nodes[at] {
            Node::Barrier => {}
            Node::Gate(set, whens) => {
                open[*set] = true;
                for (when, owner) in whens {
                    open[*set] = self.holds(*when, *owner)?;
                    if !open[*set] {
                        break;
                    }
                }
            }
            Node::Transitions => {
                let (state, now) = (&mut self.systems.state, &mut self.systems.seen.state);
                state.left = None;
                state.entered = !std::mem::replace(&mut state.started, true);
                if let Some(next) = state.next.take() {
                    state.left = Some(std::mem::replace(now, next));
                    state.entered = true;
                }
            }
            Node::Fixed(fixed, clock) => {
                return self.run_steps(fixed, self.systems.first_clock + clock);
            }
            Node::System(system) => {
                if system.set.is_some_and(|set| !open[set]) {
                    return Ok(Ok(()));
                }
                for (place, when) in system.whens.iter().enumerate() {
                    if !self.holds(*when, Owner::Condition(system.number, place))? {
                        return Ok(Ok(()));
                    }
                }
                let start = self.systems.is_known(Owner::System(system.number)).then_some(0);
                if let Some(runs) = self.systems.runs.entry(system.number).or_insert(start) {
                    *runs += 1;
                }
                let lanes = plan.lanes(at);
                let mut later = Vec::new();
                if !self.call(system, lanes, &mut later)? {
                    return Ok(Err(Ended::Failed(name(system.number))));
                }
                queues.insert(at, later);
            }
        }
        Ok(Ok(()))
    }

    /// As many steps as fit into the time that has passed.
    fn run_steps(&mut self, fixed: &Fixed, clock: usize) -> Ending {
        let dt = f32::from_bits(self.systems.seen.dt);
        let step = PARTS / u64::from(fixed.hz);
        let clocks = &mut self.systems.clocks;
        while clocks.len() <= clock {
            clocks.push((0, Some(0)));
        }
        let (left, given_up) = &mut clocks[clock];
        let steps = if dt > ABSURD {
            // What is small is lost beside it.
            (*left, *given_up) = (0, None);
            fixed.limit
        } else {
            *left += (f64::from(dt) * PARTS as f64) as u64;
            let fits = *left / step;
            let steps = fits.min(u64::from(fixed.limit));
            *given_up = given_up.map(|given_up| given_up + (fits - steps) * step);
            *left -= fits * step;
            steps as u32
        };
        let seconds = |parts: u64| parts as f64 / PARTS as f64;
        let alpha = (seconds(*left) / seconds(step)) as f32;
        self.systems.given_up_unknown = given_up.is_none();
        let given_up = given_up.map_or(0.0, seconds).to_bits();
        self.systems.seen.fixed =
            ((seconds(step) as f32).to_bits(), steps, alpha.to_bits(), given_up);
        let before = std::mem::replace(&mut self.systems.seen.dt, (seconds(step) as f32).to_bits());
        let Ok(plan) = Plan::new(&fixed.items, &[]) else {
            return Err("steps without an order".into());
        };
        let mut result = Ok(());
        for _ in 0..steps {
            if result.is_ok() {
                result = self.run_plan(&plan, false)?;
            }
        }
        self.systems.seen.dt = before;
        Ok(result)
    }
}
