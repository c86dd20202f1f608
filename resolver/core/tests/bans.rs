//! The ban list bites: what would make outcomes differ between machines is refused by clippy in the core and in each
//! game.

#![allow(clippy::disallowed_methods, reason = "the test writes a small crate and runs clippy on it")]

use std::path::Path;
use std::process::Command;

/// The folders of the crates whose outcomes must not differ, beside this crate's own.
const CRATES: [&str; 3] = ["core", "plunder", "games"];

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

/// The lines with which a crate denies what is banned.
fn lints(crate_folder: &Path) -> Vec<String> {
    let library = std::fs::read_to_string(crate_folder.join("src/lib.rs")).expect("a crate has a library");
    library.lines().filter(|line| line.starts_with("#![deny(clippy::")).map(str::to_owned).collect()
}

#[test]
#[ignore = "runs cargo clippy, which is a program of its own; .ci/run does"]
fn the_ban_list_bites() {
    for name in CRATES {
        bites_in(name);
    }
}

/// Runs clippy on a small crate that has a crate's lints and the ban list that clippy reads for it, and all the sins.
fn bites_in(name: &str) {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    let above = std::env::temp_dir().join(format!("parley-bans-{name}-{}", std::process::id()));
    let folder = above.join(name);
    std::fs::create_dir_all(folder.join("src")).expect("a writable temporary folder");
    // The lists lie as they do here, because clippy takes the one in a crate's own folder or the nearest above it.
    for list in ["clippy.toml", "../clippy.toml"].into_iter().filter(|list| home.join(list).exists()) {
        std::fs::copy(home.join(list), folder.join(list)).expect("the ban list is copied");
    }
    std::fs::write(folder.join("Cargo.toml"), "[package]\nname = \"bans\"\nedition = \"2024\"\n[workspace]\n")
        .expect("written");
    let lints = lints(&home);
    assert!(!lints.is_empty(), "lib.rs denies the banned things in one line");
    let sins: Vec<&str> = SINS.iter().map(|&(code, _)| code).collect();
    let source = format!("#![allow(missing_docs)]\n{}\n{}\n", lints.join("\n"), sins.join("\n"));
    std::fs::write(folder.join("src/lib.rs"), source).expect("written");
    let output = Command::new(env!("CARGO")).arg("clippy").current_dir(&folder).output().expect("cargo clippy runs");
    std::fs::remove_dir_all(&above).expect("removed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{name}: clippy let everything pass:\n{said}");
    for (line, (code, word)) in (3..).zip(SINS) {
        let place = format!("src/lib.rs:{line}:");
        let named = said.split("\n\n").any(|complaint| complaint.contains(&place) && complaint.contains(word));
        assert!(named, "{name}: not refused: {code}\n{said}");
    }
}
