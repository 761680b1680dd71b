//! Progress on standard error: one line that is written over in a terminal, one line per workload
//! elsewhere.

use std::io::{IsTerminal, Write, stderr};

/// The line of one workload.
pub(crate) struct Progress {
    heading: String,
    terminal: bool,
}

impl Progress {
    /// Announces workload number `place` of `total`.
    pub(crate) fn start(workload: &str, place: usize, total: usize) -> Self {
        let heading = format!("[{place}/{total}] {workload}");
        let terminal = stderr().is_terminal();
        if !terminal {
            eprintln!("{heading}");
        }
        Self { heading, terminal }
    }

    /// Says what is going on right now.
    pub(crate) fn say(&self, what: std::fmt::Arguments<'_>) {
        if self.terminal {
            eprint!("\r\x1b[2K{}: {what}", self.heading);
            // A progress line that cannot be shown is no reason to stop measuring.
            let _ = stderr().flush();
        }
    }

    /// Clears the line for the results.
    pub(crate) fn finish(self) {
        if self.terminal {
            eprint!("\r\x1b[2K");
        }
    }
}
