//! The rows of the comparison: one file per question, with the bars beside it.

mod build;
mod churn;
mod heap;
mod iterate;
mod iterate_worn;
mod kinds;
mod layout;
mod lookup;
mod matching;
mod outside;
mod scale;
mod snapshot;
mod spawn;
mod systems;
mod tag;
mod tree;

use crate::workload::Workload;

/// Every workload, in the order in which they are shown.
#[must_use]
pub fn all() -> Vec<Workload> {
    [
        iterate::workloads(),
        kinds::workloads(),
        matching::workloads(),
        lookup::workloads(),
        spawn::workloads(),
        churn::workloads(),
        tag::workloads(),
        tree::workloads(),
        systems::workloads(),
        snapshot::workloads(),
        heap::workloads(),
        iterate_worn::workloads(),
        scale::workloads(),
        layout::workloads(),
        outside::workloads(),
        build::workloads(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Those of `all` whose names are among `names` or start with one of them; if there are no names all
/// of them, but for those that have to be named.
///
/// A name that is complete means that workload alone: `lookup` does not bring `lookup-fat` along.
/// `all` means what no names mean. Fails on a name that means nothing.
pub(crate) fn matching(all: Vec<Workload>, names: &[String]) -> Result<Vec<Workload>, String> {
    let is_complete = |name: &String| all.iter().any(|workload| workload.name == *name);
    let chooses = |name: &String, workload: &Workload| match name.as_str() {
        "all" => !workload.only_when_named,
        _ if is_complete(name) => workload.name == *name,
        start => workload.name.starts_with(start),
    };
    if let Some(unknown) =
        names.iter().find(|name| !all.iter().any(|workload| chooses(name, workload)))
    {
        return Err(format!("no workload is called `{unknown}`; --list shows them all"));
    }
    let is_chosen = |workload: &Workload| match names {
        [] => !workload.only_when_named,
        names => names.iter().any(|name| chooses(name, workload)),
    };
    let chosen: Vec<bool> = all.iter().map(is_chosen).collect();
    Ok(all
        .into_iter()
        .zip(chosen)
        .filter_map(|(workload, chosen)| chosen.then_some(workload))
        .collect())
}

/// Mixes the next value into an answer: order matters.
#[inline]
fn mix(answer: u64, value: u64) -> u64 {
    (answer.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{BEST, BEST_ECS};

    fn names(request: &[&str]) -> Vec<String> {
        let request: Vec<_> = request.iter().map(|name| name.to_string()).collect();
        matching(all(), &request).unwrap().into_iter().map(|workload| workload.name).collect()
    }

    #[test]
    fn a_complete_name_means_that_workload_alone() {
        assert_eq!(names(&["lookup"]), ["lookup"]);
    }

    #[test]
    fn the_start_of_names_means_all_of_them() {
        assert_eq!(names(&["lookup-"]), ["lookup-stale", "lookup-fat"]);
    }

    #[test]
    fn builds_are_measured_only_when_asked_for() {
        assert_eq!(names(&["build"]), ["build"]);
        assert!(!names(&[]).contains(&"build".to_string()));
        assert_eq!(names(&["all"]), names(&[]));
        assert_eq!(names(&["all", "build"]).len(), all().len());
    }

    #[test]
    fn a_name_that_means_nothing_is_refused() {
        assert!(matching(all(), &["lokup".to_string()]).err().unwrap().contains("`lokup`"));
    }

    #[test]
    fn no_two_workloads_and_no_two_candidates_of_one_have_the_same_name() {
        let twice = |mut names: Vec<String>| {
            names.sort();
            names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
        };
        assert_eq!(twice(all().into_iter().map(|workload| workload.name).collect()), None);
        for workload in all() {
            let names =
                workload.candidates.iter().map(|candidate| candidate.name.to_string()).collect();
            assert_eq!(twice(names), None, "{}", workload.name);
        }
    }

    #[test]
    fn every_workload_has_raw_first_and_bars_for_those_who_take_part() {
        for workload in all() {
            let candidates: Vec<_> =
                workload.candidates.iter().map(|candidate| candidate.name).collect();
            // The layouts are compared with each other, and builds with that of hecs.
            let is_other = workload.name.starts_with("layout") || workload.name == "build";
            assert_eq!(candidates[0] == "raw", !is_other, "{}", workload.name);
            for bar in workload.bars {
                let is_best = [BEST, BEST_ECS].contains(&bar.against);
                let is_known = is_best || candidates.contains(&bar.against);
                assert!(is_known, "{}: {bar:?}", workload.name);
                assert!(candidates.contains(&bar.candidate), "{}: {bar:?}", workload.name);
            }
        }
    }
}
