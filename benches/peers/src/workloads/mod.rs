//! The rows of the comparison: one file per question, with the bars beside it.

mod churn;
mod heap;
mod iterate;
mod iterate_worn;
mod kinds;
mod layout;
mod lookup;
mod matching;
mod scale;
mod snapshot;
mod spawn;
mod systems;
mod tag;
mod tree;

use crate::workload::Workload;

/// Every workload, in the order in which they are shown.
pub(crate) fn all() -> Vec<Workload> {
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
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The workloads whose names are among `names` or start with one of them; all of them if there are no names.
///
/// A name that is complete means that workload alone: `lookup` does not bring `lookup-fat` along. Fails on a name that
/// means nothing.
pub(crate) fn matching(names: &[String]) -> Result<Vec<Workload>, String> {
    let all = all();
    let is_complete = |name: &String| all.iter().any(|workload| workload.name == *name);
    let chooses = |name: &String, workload: &Workload| {
        if is_complete(name) { workload.name == *name } else { workload.name.starts_with(name.as_str()) }
    };
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|workload| chooses(name, workload))) {
        return Err(format!("no workload is called `{unknown}`; --list shows them all"));
    }
    let chosen: Vec<bool> =
        all.iter().map(|workload| names.is_empty() || names.iter().any(|name| chooses(name, workload))).collect();
    Ok(all.into_iter().zip(chosen).filter_map(|(workload, chosen)| chosen.then_some(workload)).collect())
}

/// Mixes the next value into an answer: order matters.
#[inline]
fn mix(answer: u64, value: u64) -> u64 {
    (answer.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(request: &[&str]) -> Vec<String> {
        let request: Vec<_> = request.iter().map(|name| name.to_string()).collect();
        matching(&request).unwrap().into_iter().map(|workload| workload.name).collect()
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
    fn every_workload_has_raw_first_and_bars_for_those_who_take_part() {
        for workload in all() {
            let candidates: Vec<_> = workload.candidates.iter().map(|candidate| candidate.name).collect();
            // The layouts are compared with each other.
            assert_eq!(candidates[0] == "raw", !workload.name.starts_with("layout"), "{}", workload.name);
            for bar in workload.bars {
                assert!(candidates.contains(&bar.against), "{}: {bar:?}", workload.name);
                assert!(candidates.contains(&bar.candidate), "{}: {bar:?}", workload.name);
            }
        }
    }
}
