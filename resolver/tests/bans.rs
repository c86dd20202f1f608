//! The ban list bites: what would make outcomes differ between machines is refused by clippy in this crate.

#![allow(clippy::disallowed_methods, reason = "the test writes a small crate and runs clippy on it")]

use std::path::Path;
use std::process::Command;

/// Something banned, and the words clippy must use for it.
const SINS: &[(&str, &str)] = &[
    ("pub fn a() -> std::collections::HashMap<u8, u8> { Default::default() }", "std::collections::HashMap"),
    ("pub fn b() -> std::collections::HashSet<u8> { Default::default() }", "std::collections::HashSet"),
    ("pub fn c() -> std::time::Instant { std::time::Instant::now() }", "std::time::Instant"),
    ("pub fn d() -> std::time::SystemTime { std::time::SystemTime::now() }", "std::time::SystemTime"),
    ("pub fn e() -> std::hash::RandomState { std::hash::RandomState::new() }", "RandomState"),
    ("pub fn f(x: u8) -> u8 { (f64::from(x) * 1.5) as u8 }", "floating-point arithmetic"),
    ("pub fn g() -> f32 { 0.0 }", "f32"),
    ("pub fn h() { std::thread::spawn(|| ()); }", "std::thread::spawn"),
    ("pub fn i() -> Option<String> { std::env::var(\"X\").ok() }", "std::env::var"),
    ("pub fn j() -> Option<Vec<u8>> { std::fs::read(\"x\").ok() }", "std::fs::read"),
];

#[test]
#[ignore = "runs cargo clippy, which is a program of its own; .ci/run does"]
fn the_ban_list_bites() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("parley-bans-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("src")).expect("a writable temporary folder");
    std::fs::copy(home.join("clippy.toml"), folder.join("clippy.toml")).expect("the ban list");
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"bans\"\nedition = \"2024\"\n[workspace]\n")
        .expect("written");
    let library = std::fs::read_to_string(home.join("src/lib.rs")).expect("the crate's own lints");
    let lints: Vec<&str> = library.lines().filter(|line| line.starts_with("#![deny(clippy::")).collect();
    assert!(!lints.is_empty(), "lib.rs denies the banned things in one line");
    let sins: Vec<&str> = SINS.iter().map(|&(code, _)| code).collect();
    let source = format!("#![allow(missing_docs)]\n{}\n{}\n", lints.join("\n"), sins.join("\n"));
    std::fs::write(folder.join("src/lib.rs"), source).expect("written");
    let output = Command::new(env!("CARGO")).arg("clippy").current_dir(&folder).output().expect("cargo clippy runs");
    std::fs::remove_dir_all(&folder).expect("removed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "clippy let everything pass:\n{said}");
    for (line, (code, word)) in (3..).zip(SINS) {
        let place = format!("src/lib.rs:{line}:");
        let named = said.split("\n\n").any(|complaint| complaint.contains(&place) && complaint.contains(word));
        assert!(named, "not refused: {code}\n{said}");
    }
}
