//! The order and why: in words, as a drawing, as a trace.
//!
//! All of it is `#[inline]`, as in `outline.rs` and `report.rs`: compiled with who calls it, and
//! most programs call little or nothing of it.

use std::fmt::Write;

use crate::access::{Key, Touch};
use crate::config::Label;
use crate::error::PlanError;
use crate::missing::joined;
use crate::node::{Node, NodeKind};
use crate::plan::order::{meant, suggestion};
use crate::plan::{Plan, Stage};
use crate::report::{json, mermaid};
use crate::schedule::Schedule;

/// Events that somebody has declared to send and nobody to read: in words, with the names of the
/// senders.
#[inline]
fn unread(nodes: &[Node]) -> Vec<(Key, String, Vec<&str>)> {
    fn gather<'n>(nodes: &'n [Node], touches: &mut Vec<(&'n Touch, &'n str)>) {
        for node in nodes {
            let events = node.access.touches.iter().filter(|touch| touch.name.is_of_events());
            touches.extend(events.map(|touch| (touch, &*node.name)));
            if let NodeKind::Fixed(fixed) = &node.kind {
                gather(&fixed.schedule.nodes, touches);
            }
        }
    }
    let mut touches = Vec::new();
    gather(nodes, &mut touches);
    let mut found: Vec<(Key, String, Vec<&str>)> = Vec::new();
    for (touch, sender) in &touches {
        if touches.iter().any(|(other, _)| other.key == touch.key && other.writes == 0) {
            continue; // somebody reads
        }
        match found.iter_mut().find(|(key, ..)| *key == touch.key) {
            Some((_, _, senders)) if senders.contains(sender) => {}
            Some((_, _, senders)) => senders.push(sender),
            None => found.push((touch.key, touch.name.say(0).to_string(), vec![sender])),
        }
    }
    found
}

impl Schedule {
    pub(crate) fn planned(&mut self) -> Result<(&Plan, &[Node]), PlanError> {
        self.build()?;
        match &self.plan {
            Some(plan) => Ok((plan, &self.nodes)),
            None => unreachable!("built just now"),
        }
    }

    /// The order in words: stage by stage, what runs, what may run at the same time, and what each
    /// system waits for and why. At the end, events that systems may send and no system of this
    /// schedule reads; those that are sent by commands are not known here.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{Res, ResMut, Schedule};
    /// struct Wind(f32);
    /// fn blow(mut wind: ResMut<Wind>) { wind.0 += 1.0 }
    /// fn sail(wind: Res<Wind>) { assert!(wind.0 > 0.0) }
    /// let mut schedule = Schedule::new();
    /// schedule.add(blow).add(sail);
    /// assert_eq!(
    ///     schedule.explain()?,
    ///     "stage 1, on several threads where it saves time:\n\
    ///      \x20 blow\n\
    ///      \x20 sail, after blow (resource `Wind`)\n"
    /// );
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[inline]
    pub fn explain(&mut self) -> Result<String, PlanError> {
        let (plan, nodes) = self.planned()?;
        let mut text = String::new();
        for (number, stage) in plan.stages.iter().enumerate() {
            let number = number + 1;
            // Writing to a string does not fail.
            let _ = match stage {
                Stage::Together(graph) => {
                    let _ =
                        writeln!(text, "stage {number}, on several threads where it saves time:");
                    for (at, &member) in (0..).zip(&graph.members) {
                        let _ = write!(text, "  {}", nodes[member as usize].name);
                        let before =
                            (0..at).filter(|&earlier| graph.followers(earlier).contains(&at));
                        for (place, earlier) in before.enumerate() {
                            let earlier = &nodes[graph.members[earlier as usize] as usize];
                            let _ = write!(
                                text,
                                ", {}{}",
                                if place == 0 { "after " } else { "" },
                                earlier.name
                            );
                            let _ = write!(text, " ({})", why(earlier, &nodes[member as usize]));
                        }
                        for other in graph.apart_from(at) {
                            let other = &nodes[graph.members[other as usize] as usize].name;
                            let _ = write!(
                                text,
                                ", not at the same time as {other}, in whatever order"
                            );
                        }
                        text.push('\n');
                    }
                    Ok(())
                }
                Stage::Alone(member) => {
                    let node = &nodes[*member as usize];
                    let reason = match node.access.alone {
                        Some(param) => format!("alone, since it needs `{param}`"),
                        None if node.access.pinned => {
                            "on the thread that runs the schedule".to_owned()
                        }
                        None => "alone, between barriers".to_owned(),
                    };
                    writeln!(text, "stage {number}, {reason}:\n  {}", node.name)
                }
                Stage::Apply(list) => {
                    let names: Vec<_> =
                        list.iter().map(|&member| &*nodes[member as usize].name).collect();
                    writeln!(
                        text,
                        "stage {number}: the commands of {} are applied",
                        joined(&names, ", ")
                    )
                }
            };
        }
        for (_, name, senders) in unread(nodes) {
            let _ = writeln!(
                text,
                "{name} are sent by {}, and no system here reads them",
                joined(&senders, ", ")
            );
        }
        Ok(text)
    }

    /// Why one system waits for another, or why not, in words. Systems are named by function or by
    /// name.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); and [`PlanError::NoSuchSystem`] if there is no such system.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Mut, Ref, Thing};
    /// # use lath_schedule::{Query, Schedule};
    /// # #[derive(Thing, Default)] struct Actor { pos: f32, hp: f32, mana: f32 }
    /// fn integrate(_: Query<Mut<actor::pos>>) {}
    /// fn collide(_: Query<(Ref<actor::pos>, Mut<actor::hp>)>) {}
    /// fn heal(_: Query<Mut<actor::hp>>) {}
    /// fn brew(_: Query<Mut<actor::mana>>) {}
    /// let mut schedule = Schedule::new();
    /// schedule.add((integrate, collide, heal, brew));
    /// assert_eq!(
    ///     schedule.explain_pair("collide", "integrate")?,
    ///     "`collide` waits for `integrate`, which was added before it: \
    ///      both use field `pos` of `Actor`, and one of them writes it"
    /// );
    /// assert_eq!(
    ///     schedule.explain_pair("heal", "integrate")?,
    ///     "`heal` waits for `integrate` by way of `collide`"
    /// );
    /// assert_eq!(
    ///     schedule.explain_pair("integrate", "brew")?,
    ///     "`integrate` and `brew` may run at the same time: \
    ///      neither writes anything that the other uses"
    /// );
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[inline]
    pub fn explain_pair(&mut self, a: &str, b: &str) -> Result<String, PlanError> {
        let (plan, nodes) = self.planned()?;
        let find = |name: &str| {
            let label = Label::Name(name.to_owned().into());
            let found = meant(nodes, &label).next();
            found.ok_or_else(|| PlanError::NoSuchSystem {
                name: name.to_owned(),
                suggestion: suggestion(nodes, name),
            })
        };
        let (a, b) = (find(a)?, find(b)?);
        let (first, second) = if plan.place(a) <= plan.place(b) { (a, b) } else { (b, a) };
        let (one, two) = (&nodes[first as usize], &nodes[second as usize]);
        let stage = |number: u32| plan.stages.iter().position(|stage| stage.has(number));
        let (one_name, two_name) = (&one.name, &two.name);
        let apart = plan.stages.iter().any(|stage| stage.keeps_apart(first, second));
        Ok(match one.access.clash(&two.access) {
            _ if first == second => format!("`{one_name}` is one system"),
            _ if apart => format!(
                "`{one_name}` and `{two_name}` do not run at the same time, but in whatever order"
            ),
            _ if stage(first) != stage(second) => format!(
                "`{two_name}` waits for `{one_name}`: between them commands are applied, \
                 or one of them runs alone or on the thread that runs the schedule"
            ),
            Some((touch, bits)) => format!(
                "`{two_name}` waits for `{one_name}`, which {} before it: \
                 both use {}, and one of them writes it",
                if first < second { "was added" } else { "was ordered" },
                touch.name.say(bits)
            ),
            None => match plan.way(first, second).as_deref() {
                Some([]) => {
                    format!(
                        "`{two_name}` comes after `{one_name}` \
                         because `before`, `after` or a chain say so"
                    )
                }
                Some(between) => {
                    let names: Vec<_> =
                        between.iter().map(|&number| &*nodes[number as usize].name).collect();
                    format!(
                        "`{two_name}` waits for `{one_name}` by way of `{}`",
                        joined(&names, "`, `")
                    )
                }
                None => format!(
                    "`{}` and `{}` may run at the same time: \
                     neither writes anything that the other uses",
                    nodes[a as usize].name, nodes[b as usize].name
                ),
            },
        })
    }

    /// The order as a graph, in the language of Graphviz.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle);
    /// assert!(schedule.dot()?.starts_with("digraph schedule {"));
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[inline]
    pub fn dot(&mut self) -> Result<String, PlanError> {
        let (plan, nodes) = self.planned()?;
        let mut text = String::from("digraph schedule {\n  rankdir=LR;\n  node [shape=box];\n");
        for &number in plan.order.iter().filter(|&&number| nodes[number as usize].is_system()) {
            let _ = writeln!(text, "  s{number} [label={}];", json(&nodes[number as usize].name));
        }
        plan.edges(&mut |before, after| {
            let reason = why(&nodes[before as usize], &nodes[after as usize]);
            let _ = writeln!(text, "  s{before} -> s{after} [label={}];", json(&reason));
        });
        text.push_str("}\n");
        Ok(text)
    }

    /// The order as a graph, in the language of Mermaid.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle);
    /// assert_eq!(schedule.mermaid()?, "flowchart LR\n  s0[\"idle\"]\n");
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[inline]
    pub fn mermaid(&mut self) -> Result<String, PlanError> {
        let (plan, nodes) = self.planned()?;
        let mut text = String::from("flowchart LR\n");
        for &number in plan.order.iter().filter(|&&number| nodes[number as usize].is_system()) {
            let _ = writeln!(text, "  s{number}[\"{}\"]", mermaid(&nodes[number as usize].name));
        }
        plan.edges(&mut |before, after| {
            let reason = why(&nodes[before as usize], &nodes[after as usize]);
            let _ = writeln!(text, "  s{before} -->|\"{}\"| s{after}", mermaid(&reason));
        });
        Ok(text)
    }

    /// The last runs of systems that were measured, as a trace that Chrome (`chrome://tracing`) and
    /// Perfetto show.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle).measure_all(true);
    /// schedule.run(&mut World::new());
    /// let trace = schedule.chrome_trace();
    /// assert!(trace.starts_with("{\"traceEvents\":[{\"name\":\"idle\",\"ph\":\"X\""), "{trace}");
    /// ```
    #[inline]
    pub fn chrome_trace(&self) -> String {
        let mut text = String::from("{\"traceEvents\":[");
        for (place, span) in self.trace.spans().enumerate() {
            let name = self.nodes.get(span.node as usize).map_or("(removed)", |node| &node.name);
            let (began, took) = (span.began as f64 / 1000.0, span.nanoseconds as f64 / 1000.0);
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}{{\"name\":{},\"ph\":\"X\",\"pid\":1,\"tid\":{},\
                 \"ts\":{began:.3},\"dur\":{took:.3}}}",
                json(name),
                span.thread
            );
        }
        text.push_str("]}");
        text
    }
}

/// Why one system waits for another, in a few words.
#[inline]
pub(crate) fn why(before: &Node, after: &Node) -> String {
    match before.access.clash(&after.access) {
        Some((touch, bits)) => touch.name.say(bits).to_string(),
        None => "ordered".to_owned(),
    }
}

impl Stage {
    #[inline]
    pub(crate) fn has(&self, number: u32) -> bool {
        match self {
            Self::Together(graph) => graph.members.contains(&number),
            Self::Alone(member) => *member == number,
            Self::Apply(_) => false,
        }
    }

    #[inline]
    fn keeps_apart(&self, one: u32, other: u32) -> bool {
        let Self::Together(graph) = self else { return false };
        let place = |number| {
            graph.members.iter().position(|&member| member == number).map(|place| place as u32)
        };
        match (place(one), place(other)) {
            (Some(one), Some(other)) => graph.apart_from(one).any(|apart| apart == other),
            _ => false,
        }
    }
}

impl Plan {
    /// Calls `f` for every system that waits directly for another, in one stage or from one to the
    /// next.
    #[inline]
    pub(crate) fn edges(&self, f: &mut dyn FnMut(u32, u32)) {
        let mut last: Vec<u32> = Vec::new();
        for stage in &self.stages {
            match stage {
                Stage::Together(graph) => {
                    for (at, &member) in (0..).zip(&graph.members) {
                        graph
                            .followers(at)
                            .iter()
                            .for_each(|&after| f(member, graph.members[after as usize]));
                    }
                    for &root in &graph.roots {
                        last.iter().for_each(|&before| f(before, graph.members[root as usize]));
                    }
                    let ends =
                        (0..).zip(&graph.members).filter(|&(at, _)| graph.followers(at).is_empty());
                    last = ends.map(|(_, &member)| member).collect();
                }
                Stage::Alone(member) => {
                    last.iter().for_each(|&before| f(before, *member));
                    last = vec![*member];
                }
                Stage::Apply(_) => {}
            }
        }
    }

    /// The systems between one and another that waits for it, directly (nobody is between them) or
    /// not; `None` if it does not.
    #[inline]
    fn way(&self, first: u32, second: u32) -> Option<Vec<u32>> {
        // Who was reached, and from whom.
        let mut reached = vec![(first, first)];
        let mut next = 0;
        while let Some(&(from, _)) = reached.get(next) {
            self.edges(&mut |before, after| {
                if before == from && !reached.iter().any(|&(one, _)| one == after) {
                    reached.push((after, before));
                }
            });
            next += 1;
        }
        let came_from =
            |number: u32| reached.iter().find(|&&(one, _)| one == number).map(|&(_, from)| from);
        let mut between = Vec::new();
        let mut at = came_from(second)?;
        while at != first {
            between.push(at);
            at = came_from(at)?;
        }
        between.reverse();
        Some(between)
    }
}
