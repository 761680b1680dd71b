//! How it went: what is printed at the end, and how long ticks took.

use std::fmt::Write as _;
use std::time::Duration;

use crate::colony::Colony;
use crate::tally::News;

/// How long ticks took.
#[derive(Default)]
pub(crate) struct Times {
    /// In microseconds, one for each tick of the session.
    taken: Vec<u32>,
}

impl Times {
    pub(crate) fn note(&mut self, time: Duration) {
        self.taken.push(time.as_micros().min(u128::from(u32::MAX)) as u32);
    }

    /// The mean and the longest of the last ticks, in milliseconds.
    pub(crate) fn lately(&self) -> (f32, f32) {
        let last = &self.taken[self.taken.len().saturating_sub(60)..];
        let mean = last.iter().map(|&time| f64::from(time)).sum::<f64>() / last.len().max(1) as f64;
        (mean as f32 / 1000.0, last.iter().copied().max().unwrap_or(0) as f32 / 1000.0)
    }

    /// The median, 99 of 100, and the longest, in milliseconds.
    fn overall(&self) -> [f32; 3] {
        let mut sorted = self.taken.clone();
        sorted.sort_unstable();
        let at = |part: usize| {
            sorted.get((sorted.len() * part / 100).min(sorted.len().saturating_sub(1)))
        };
        [at(50), at(99), at(100)].map(|time| time.copied().unwrap_or(0) as f32 / 1000.0)
    }
}

/// How it went: printed at the end.
pub(crate) fn summary(colony: &Colony, times: &Times, elapsed: Duration) -> String {
    let (tally, clock, charter) = (colony.tally(), colony.clock(), colony.charter());
    let of = |news| tally.of(news);
    let (objects, offers) = (colony.objects().stats(), colony.offers().stats());
    let ((day, hour), [median, most, longest]) = (clock.day_and_hour(), times.overall());
    let mut out = String::new();
    let mut add = |what: &str, text: String| {
        let _ = writeln!(out, "{what:<16} {text}");
    };
    add(
        "colony",
        format!(
            "seed {}, founded with {} things; tick {}: day {day}, {hour:02}:00",
            charter.seed, charter.things, clock.tick
        ),
    );
    add(
        "things",
        format!(
            "{} live, {} at the most at once; slots were used again {} times",
            objects.live,
            objects.high_water,
            of(News::Reused)
        ),
    );
    add(
        "goods",
        format!(
            "mined {}, stored {}, eaten {}, used {}, rotten {}",
            of(News::Mined),
            of(News::Stored),
            of(News::Eaten),
            of(News::Used),
            of(News::Rotten)
        ),
    );
    add(
        "trade",
        format!(
            "bought {}, sold {}; {} offers open, slots of offers retired: {}",
            of(News::Bought),
            of(News::Sold),
            offers.live,
            offers.retired
        ),
    );
    add(
        "life",
        format!(
            "born {}, died {}, carts built {}, crashed {}, bags torn {}, things found {}",
            of(News::Born),
            of(News::Died),
            of(News::Built),
            of(News::Crashed),
            of(News::Torn),
            of(News::Fetched)
        ),
    );
    add(
        "stale handles",
        format!(
            "noticed {}: {} targets, {} offers, {} riders; {} came too late",
            stale(colony),
            of(News::StaleTargets),
            of(News::StaleOffers),
            of(News::StaleRiders),
            of(News::TooLate)
        ),
    );
    add(
        "good handles",
        format!(
            "{} led to the thing that was meant, {} to another",
            of(News::Confirmed),
            of(News::Mistaken)
        ),
    );
    add(
        "invariants",
        colony.check().map_or_else(|broken| format!("BROKEN: {broken}"), |()| "hold".into()),
    );
    add(
        "time",
        format!(
            "{:.2} s; a tick takes {median:.2} ms, 99 of 100 at most {most:.2}, the longest took {longest:.2}",
            elapsed.as_secs_f64()
        ),
    );
    add("checksum", format!("{:016x}", colony.checksum()));
    out
}

/// How many handles turned out to be stale.
pub(crate) fn stale(colony: &Colony) -> u64 {
    [News::StaleTargets, News::StaleOffers, News::StaleRiders]
        .map(|news| colony.tally().of(news))
        .into_iter()
        .sum()
}
