//! `lath save-info FILE`, as a user meets it.

#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output};

fn lath(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lath")).args(arguments).output().unwrap()
}

#[cfg(target_endian = "little")]
#[test]
fn it_says_what_is_in_a_save() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saves/v1.lath");
    let output = lath(&["save-info", path.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for part in ["format 1", "pool Ship: 3 live", "    hull: u16, 6 bytes, plain", "resource Score"]
    {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
}

#[test]
fn it_says_what_is_wrong() {
    let output = lath(&["save-info", "no/such/file.lath"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no/such/file.lath"));
    let output = lath(&["save-info", file!()]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lath(&[]).status.code(), Some(2));
    assert!(lath(&["--help"]).status.success());
}
