//! How long systems take: always measured, as a table and as a trace. What shows it is compiled
//! with who calls it, as `explain.rs` says.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::error::PlanError;
use crate::node::NodeKind;
use crate::schedule::Schedule;

/// What is known of the time that a system takes.
#[derive(Clone, Debug, Default)]
#[repr(C)] // what every run touches comes first
pub(crate) struct Timing {
    pub(crate) runs: u64,
    /// A running mean, for decisions.
    pub(crate) cost: u64,
    pub(crate) rows: u64,
    samples: u64,
    total: u64,
    last: u64,
    max: u64,
    /// When the last measured run began, in nanoseconds since the schedule was made, and on which
    /// thread.
    pub(crate) began: u64,
    pub(crate) thread: u64,
    /// Whether the last run was measured.
    pub(crate) fresh: bool,
}

/// Systems that take less than this are measured in one run of sixty-four: asking for the time
/// would take longer than they do.
const TINY: u64 = 2_000;

impl Timing {
    /// Whether the system is worth being measured in every run.
    pub(crate) fn is_tiny(&self) -> bool {
        self.cost < TINY
    }

    /// Notes a measured run: how long it took, when it began, and on which thread.
    pub(crate) fn note(&mut self, took: Duration, began: Duration, thread: u64) {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let took = nanoseconds(took);
        self.samples += 1;
        self.total += took;
        self.last = took;
        self.max = self.max.max(took);
        self.cost = if self.samples == 1 { took } else { (3 * self.cost + took) / 4 };
        (self.began, self.thread, self.fresh) = (nanoseconds(began), thread, true);
    }

    pub(crate) fn line(&self, name: Cow<'static, str>) -> ReportLine {
        let mean = self.total.checked_div(self.samples).unwrap_or(0);
        let time = Duration::from_nanos;
        let (last, mean, max) = (time(self.last), time(mean), time(self.max));
        ReportLine { name, runs: self.runs, last, mean, max, rows: self.rows }
    }

    pub(crate) fn last_nanoseconds(&self) -> u64 {
        self.last
    }
}

impl Schedule {
    /// How long each system takes: always measured, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle);
    /// schedule.run(&mut World::new());
    /// println!("{}", schedule.report());
    /// ```
    #[inline]
    pub fn report(&self) -> Report {
        let mut report = Report::default();
        self.report_into(&mut report, "");
        report
    }

    #[inline]
    fn report_into(&self, report: &mut Report, within: &str) {
        let in_order: Vec<u32> = match &self.plan {
            Some(plan) => plan.order.clone(),
            None => (0..self.nodes.len() as u32).collect(),
        };
        for number in in_order {
            let node = &self.nodes[number as usize];
            if node.is_system() {
                report.lines.push(node.timing.line(format!("{within}{}", node.name).into()));
            }
            if let NodeKind::Fixed(fixed) = &node.kind {
                fixed.schedule.report_into(report, &format!("{within}{} / ", node.name));
            }
        }
    }

    /// Forgets the runs that were remembered for [`chrome_trace`](Self::chrome_trace).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// Schedule::new().clear_trace();
    /// ```
    pub fn clear_trace(&mut self) {
        self.trace.clear();
        for node in &mut self.nodes {
            if let NodeKind::Fixed(fixed) = &mut node.kind {
                fixed.schedule.clear_trace();
            }
        }
    }

    /// The systems' names, in the order of the schedule.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{IntoSystem, Schedule};
    /// fn first() {}
    /// fn second() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(second.after(first)).add(first);
    /// assert_eq!(schedule.order()?, ["first", "second"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    #[inline]
    pub fn order(&mut self) -> Result<Vec<String>, PlanError> {
        self.build()?;
        let Some(plan) = &self.plan else { unreachable!("built just now") };
        let systems = plan.order.iter().map(|&number| &self.nodes[number as usize]);
        Ok(systems.filter(|node| node.is_system()).map(|node| node.name.to_string()).collect())
    }
}

/// How long each system of a schedule takes: [`Schedule::report`](crate::Schedule::report). Shown
/// as a table.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// A line for each system, in the order of the schedule.
    pub lines: Vec<ReportLine>,
}

/// One system in a [`Report`].
#[derive(Clone, Debug)]
pub struct ReportLine {
    /// The system's name.
    pub name: Cow<'static, str>,
    /// How often it ran.
    pub runs: u64,
    /// How long it took when it was last measured. Systems that take less than two microseconds are
    /// measured in one run of sixty-four.
    pub last: Duration,
    /// How long it takes on average.
    pub mean: Duration,
    /// The longest that was measured.
    pub max: Duration,
    /// How many things are in the pools that it walked, when it last ran.
    pub rows: u64,
}

impl Report {
    /// The line of a system.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn idle() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(idle);
    /// schedule.run(&mut World::new());
    /// assert_eq!(schedule.report().line("idle").unwrap().runs, 1);
    /// ```
    pub fn line(&self, name: &str) -> Option<&ReportLine> {
        self.lines.iter().find(|line| line.name == name)
    }
}

impl fmt::Display for Report {
    #[inline]
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide =
            self.lines.iter().map(|line| line.name.chars().count()).max().unwrap_or(0).max(6);
        writeln!(
            out,
            "{:wide$} {:>9} {:>10} {:>10} {:>10} {:>9}",
            "system", "runs", "last", "mean", "max", "rows"
        )?;
        for ReportLine { name, runs, last, mean, max, rows } in &self.lines {
            let time = |time: &Duration| format!("{time:.1?}");
            let (last, mean, max) = (time(last), time(mean), time(max));
            writeln!(out, "{name:wide$} {runs:>9} {last:>10} {mean:>10} {max:>10} {rows:>9}")?;
        }
        Ok(())
    }
}

/// One run of one system, as it is remembered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) node: u32,
    pub(crate) began: u64,
    pub(crate) nanoseconds: u64,
    pub(crate) thread: u64,
}

/// The last runs of systems that were measured.
#[derive(Default)]
pub(crate) struct Trace {
    spans: VecDeque<Span>,
}

/// How many runs of systems are remembered.
const KEPT: usize = 4096;

impl Trace {
    pub(crate) fn note(&mut self, span: Span) {
        if self.spans.capacity() < KEPT {
            self.spans.reserve_exact(KEPT);
        }
        if self.spans.len() == KEPT {
            self.spans.pop_front();
        }
        self.spans.push_back(span);
    }

    pub(crate) fn spans(&self) -> impl Iterator<Item = &Span> {
        self.spans.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.spans.clear();
    }
}

/// Text as a JSON string.
#[inline]
pub(crate) fn json(text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            letter if (letter as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", letter as u32)),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A text as it may stand between the quotes of a flowchart.
#[inline]
pub(crate) fn mermaid(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("#quot;"),
            letter => out.push(letter),
        }
    }
    out
}
