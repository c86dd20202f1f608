//! The subcommands, and how they speak: results on standard output, one line per fault on standard error.
//!
//! Exit status: 0 done, 1 the machine failed (a file cannot be read or written), 2 the input is at fault.

pub(crate) mod admin;
pub(crate) mod cluster;
pub(crate) mod config;
pub(crate) mod doctor;
mod export;
pub(crate) mod health;
pub(crate) mod map;
pub(crate) mod replay;
pub(crate) mod resolve;
pub(crate) mod rules;
mod ruleset;
pub(crate) mod serve;
pub(crate) mod verify;

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// The exit status where the input is at fault.
pub(crate) const REFUSED: u8 = 2;
/// The exit status where the machine failed.
pub(crate) const FAILED: u8 = 1;

/// Says what is wrong and gives the exit status.
pub(crate) fn complain(status: u8, what: impl Display) -> ExitCode {
    // Where standard error is closed there is nobody left to tell.
    let _ = writeln!(io::stderr(), "{what}");
    ExitCode::from(status)
}

/// Prints a result; a reader who has gone away is no fault of ours.
pub(crate) fn print(text: &str) -> ExitCode {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(FAILED, format!("standard output: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Reads a file, or standard input for `-`, but never more than one byte over `limit`.
pub(crate) fn read(path: &Path, limit: usize) -> Result<String, ExitCode> {
    let name = if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() };
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| complain(FAILED, format!("{name}: {error}")))?)
    };
    let mut bytes = Vec::new();
    source
        .take(limit as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| complain(FAILED, format!("{name}: {error}")))?;
    if bytes.len() > limit {
        return Err(complain(REFUSED, format!("{name}: more than {limit} bytes, which is the most that is read")));
    }
    String::from_utf8(bytes).map_err(|_| complain(REFUSED, format!("{name}: not UTF-8 text")))
}
