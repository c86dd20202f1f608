//! `parley verify`: does a replay prove that nobody's order, answer or die was changed?

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use ed25519_dalek::VerifyingKey;
use parley_games::plunder::game::rules::{MAX_RULES_BYTES, Rules};
use parley_games::replay::{Options, Verdict, verify};

use super::replay::load;
use super::{complain, print, read};

/// The exit status where a replay was read and is not proven.
const UNPROVEN: u8 = 1;
/// The exit status where something could not be read.
const UNREADABLE: u8 = 2;

/// What to verify. Exit status: 0 every replay is proven, 1 one is not, 2 one cannot be read.
#[derive(Args)]
pub(crate) struct Verify {
    /// The replay files, or - for standard input.
    #[arg(required = true, value_name = "REPLAY")]
    replays: Vec<PathBuf>,
    /// The server's public key as 64 hex digits; without it the one in each replay is used, and a note says so.
    #[arg(long, value_name = "HEX")]
    key: Option<String>,
    /// Play each match again under these rules too, and say what would first have come otherwise.
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
}

impl Verify {
    pub(crate) fn run(self) -> ExitCode {
        let options = match self.options() {
            Ok(options) => options,
            Err(status) => return status,
        };
        let mut status = 0;
        for file in &self.replays {
            status = status.max(judge(file, &options));
        }
        ExitCode::from(status)
    }

    fn options(&self) -> Result<Options, ExitCode> {
        let refuse = |reason: String| complain(UNREADABLE, reason);
        let key = self.key.as_deref().map(key).transpose().map_err(refuse)?;
        let rules = match &self.rules {
            None => None,
            Some(file) => {
                // The reader has said why; only the status is another one here.
                let text = read(file, MAX_RULES_BYTES).map_err(|_| ExitCode::from(UNREADABLE))?;
                let rules = Rules::from_yaml(&text);
                Some(Arc::new(rules.map_err(|error| refuse(format!("{}: {error}", file.display())))?))
            }
        };
        Ok(Options { key, rules })
    }
}

/// A public key from hex digits.
fn key(text: &str) -> Result<VerifyingKey, String> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes = (text.len() == 64).then(|| text.as_bytes().chunks(2).map(pair).collect::<Option<Vec<u8>>>()).flatten();
    let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let key = bytes.and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok());
    key.ok_or_else(|| "--key: an Ed25519 public key has 64 hex digits, and this is none".to_owned())
}

fn judge(file: &Path, options: &Options) -> u8 {
    let name = file.display();
    let records = match load(file) {
        Ok(records) => records,
        Err(reason) => {
            complain(UNREADABLE, reason);
            return UNREADABLE;
        }
    };
    let verdict = verify(&records, options);
    let Verdict { turns, receipts, digest, notes, divergence, finding, match_id } = verdict;
    match &finding {
        None => {
            let id = match_id.map(|id| id.to_string()).unwrap_or_default();
            let digest = digest.map(|digest| digest.to_string()).unwrap_or_default();
            print(&format!("{name}: proven: match {id}, {turns} turns, {receipts} receipts, digest {digest}"));
            for note in notes {
                print(&format!("{name}: note: {note}"));
            }
        }
        Some(finding) => {
            complain(UNPROVEN, format!("{name}: not proven: {finding}"));
        }
    }
    match divergence {
        None => {}
        Some(None) => {
            print(&format!("{name}: under the other rules all {turns} turns are the same"));
        }
        Some(Some(finding)) => {
            print(&format!("{name}: under the other rules the first divergence is {finding}"));
        }
    }
    if finding.is_some() { UNPROVEN } else { 0 }
}
