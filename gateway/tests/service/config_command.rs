//! `parley config` as it is used.

use std::process::{Command, Output};

fn parley_config(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder for the test");
    std::fs::write(folder.path().join("parley.toml"), "max_matches = 11\nmailbox_length = 12\ndrain_seconds = 13\n")
        .expect("the folder is ours");
    Command::new(env!("CARGO_BIN_EXE_parley"))
        .arg("config")
        .args(arguments)
        .current_dir(folder.path())
        .env("PARLEY_MAILBOX_LENGTH", "14")
        .env("PARLEY_DRAIN_SECONDS", "15")
        .env("PARLEY_ADMIN_TOKEN", "sesame-sesame-sesame")
        .output()
        .expect("the binary starts")
}

#[test]
fn it_prints_what_is_in_effect_and_why() {
    let output = parley_config(&["--drain-seconds", "16"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0));
    for line in [
        "max_matches = 11 # parley.toml, line 1",
        "mailbox_length = 14 # PARLEY_MAILBOX_LENGTH",
        "drain_seconds = 16 # --drain-seconds",
        "listen = \"127.0.0.1:7400\" # default",
        "admin_token = \"(hidden)\" # PARLEY_ADMIN_TOKEN",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
    assert!(!text.contains("sesame"));
}

#[test]
fn it_refuses_in_a_sentence() {
    let output = parley_config(&["--drain-seconds", "soon"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(said, "--drain-seconds: drain_seconds must be a whole number from 0 to 3600\n");
}

#[test]
fn it_prints_the_table() {
    let output = parley_config(&["--table"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(text, parley_gateway::config::table_markdown());
}
