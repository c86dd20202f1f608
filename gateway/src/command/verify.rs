//! `parley verify`: does a replay prove that nobody's order, answer or die was changed?

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use ed25519_dalek::VerifyingKey;
use parley_games::hosted::{Games, MAX_RULES_BYTES, SharedRules};
use parley_games::replay::{Options, Verdict};

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
        let (key, rules) = match self.options() {
            Ok(options) => options,
            Err(status) => return status,
        };
        let games = Games::default();
        let mut status = 0;
        for file in &self.replays {
            let judged = judge(&games, file, key, rules.as_deref().zip(self.rules.as_deref()));
            status = status.max(judged.unwrap_or_else(|reason| {
                complain(UNREADABLE, reason);
                UNREADABLE
            }));
        }
        ExitCode::from(status)
    }

    /// The key, and the text of the other rules, which are read as those of the game that a replay is of.
    fn options(&self) -> Result<(Option<VerifyingKey>, Option<String>), ExitCode> {
        let key = self.key.as_deref().map(key).transpose().map_err(|reason| complain(UNREADABLE, reason))?;
        // The reader has said why; only the status is another one here.
        let read = |file: &PathBuf| read(file, MAX_RULES_BYTES).map_err(|_| ExitCode::from(UNREADABLE));
        Ok((key, self.rules.as_ref().map(read).transpose()?))
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

/// Says what a replay proves, and gives the exit status for it; or says what cannot be read.
fn judge(games: &Games, file: &Path, key: Option<VerifyingKey>, rules: Option<(&str, &Path)>) -> Result<u8, String> {
    let name = file.display();
    let records = load(file)?;
    // A replay of a game that is not known is refused below, with or without other rules.
    let rules = rules.zip(games.of_replay(&records).ok()).map(|((text, from), (game, _))| {
        let rules: Result<SharedRules, String> = game.rules_of_file(text);
        rules.map_err(|error| format!("{}: {error}", from.display()))
    });
    let verdict = games.verify(&records, &Options { key, rules: rules.transpose()? });
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
    Ok(if finding.is_some() { UNPROVEN } else { 0 })
}
