//! How long a clean build takes, and how many crates it builds. Only when it is asked for: it takes
//! minutes.

use crate::build_cost::{Build, Library};
use crate::workload::{Bar, Unit, Workload};

const BARS: &[Bar] = &[Bar { candidate: "lath", against: "hecs", at_most: 3.0 }];

/// Peers with their default features. The versions are those of the workspace.
const PEERS: &[(&str, &str)] = &[
    ("hecs", "hecs = \"0.11\""),
    ("slotmap", "slotmap = \"1.1\""),
    ("thunderdome", "thunderdome = \"0.6\""),
    ("sparsey", "sparsey = \"0.13\""),
    ("evenio", "evenio = \"0.6\""),
    ("shipyard", "shipyard = \"0.11\""),
    (
        "bevy_ecs trimmed",
        "bevy_ecs = { version = \"0.20\", default-features = false, features = [\"std\"] }",
    ),
    ("bevy_ecs", "bevy_ecs = \"0.20\""),
];

/// The one workload.
pub(super) fn workloads() -> Vec<Workload> {
    let about = "clean release build: processor time of all compilers, ÷ hecs";
    let workload =
        Workload::new("build", about, BARS).counting(Unit::BuildSeconds).only_when_named();
    let peers = PEERS.iter().fold(workload, |workload, &(name, line)| {
        workload.with(name, move || Build::new(name, Library::Peer(line)))
    });
    vec![peers.with("lath", || Build::new("lath", Library::Lath))]
}
