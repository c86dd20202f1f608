//! Finished matches as files that prove themselves (R13.3, R13.4).
//!
//! A replay holds what was promised before the match, what everybody said in it, and what the server says came of it.
//! [`verify`] plays it again and believes nothing; [`account`] tells what happened in sentences. `replay.proto` describes the
//! messages, [`file`](mod@file) the bytes around them, [`receipt`](crate::receipt) what a player is given for locking in.
//!
//! Which game a replay is of, its header says by name, and [`Games`] knows it or not. Everything here is for any game; what
//! only a game can say is in its [`RecordedRuleset`].

pub mod account;
pub(crate) mod course;
pub(crate) mod divergence;
pub mod file;
mod finding;
pub(crate) mod opening;
mod recorded;
pub(crate) mod verify;

use parley_core::dice::Seed;
use parley_proto::v1::{ReplayEnd, ReplayHeader, ReplayRecord, ReplayTurn, replay_record};
use uuid::Uuid;

use crate::hosted::{AnyGame, Games};
use account::Account;

pub use file::FORMAT;
pub use finding::Finding;
pub use recorded::RecordedRuleset;
pub use verify::{Options, Verdict};

/// Plays a replay of a game of the house again and holds everything against what was recorded.
pub fn verify(records: &[ReplayRecord], options: &Options) -> Verdict {
    Games::default().verify(records, options)
}

impl Games {
    /// Plays a replay again and holds everything against what was recorded.
    pub fn verify(&self, records: &[ReplayRecord], options: &Options) -> Verdict {
        let mut verdict = Verdict::default();
        let checked = self.of_replay(records).map(|(game, replay)| {
            let divergence = options.rules.as_ref().map(|rules| game.diverges(&replay, rules).err());
            (game.verify(&replay, options, &mut verdict), divergence)
        });
        (verdict.finding, verdict.divergence) = match checked {
            Ok((checked, divergence)) => (checked.err(), divergence),
            Err(finding) => (Some(finding.clone()), options.rules.as_ref().map(|_| Some(finding))),
        };
        verdict
    }

    /// Plays a match again and tells it, or one turn of it. A replay that cannot be played again as it was recorded cannot
    /// be told; whether what comes of it is also what the server recorded is for [`Games::verify`] to say. The service names
    /// its traces, so that the caller says which one is that of a turn of a match.
    pub fn account(
        &self,
        records: &[ReplayRecord],
        only: Option<u32>,
        trace_of: impl Fn(Uuid, u32) -> [u8; 16],
    ) -> Result<Account, Finding> {
        let (game, replay) = self.of_replay(records)?;
        game.account(&replay, only, &trace_of)
    }

    /// The records of a replay in their places, and the game that it is of.
    pub fn of_replay<'a>(&self, records: &'a [ReplayRecord]) -> Result<(&'static dyn AnyGame, Replay<'a>), Finding> {
        let replay = Replay::arrange(records)?;
        let named = self.named(&replay.header.ruleset);
        let game = named.map_err(|error| Finding::new("header", "ruleset", error.to_string()))?;
        Ok((game, replay))
    }
}

/// The seed of a match: the server's secret and what the players added, in seat order (R13.4). A player who added
/// nothing adds no bytes.
pub fn seed(secret: &[u8; 32], added: impl Iterator<Item = Option<[u8; 32]>>) -> Seed {
    let added: Vec<[u8; 32]> = added.flatten().collect();
    Seed::derive(secret, &added)
}

/// The records of a replay in their places.
#[derive(Clone, Copy, Debug)]
pub struct Replay<'a> {
    pub(crate) header: &'a ReplayHeader,
    turns: &'a [ReplayRecord],
    end: Option<&'a ReplayEnd>,
}

impl<'a> Replay<'a> {
    /// Finds header, turns and end, or says which record is out of place.
    pub(crate) fn arrange(records: &'a [ReplayRecord]) -> Result<Self, Finding> {
        use replay_record::Record;
        let Some((Some(Record::Header(header)), rest)) = records.split_first().map(|(r, rest)| (&r.record, rest))
        else {
            return Err(Finding::new("file", "header", "the first record is not a header"));
        };
        let (end, turns) = match rest.split_last() {
            Some((ReplayRecord { record: Some(Record::End(end)) }, turns)) => (Some(end), turns),
            _ => (None, rest),
        };
        match turns.iter().position(|record| !matches!(record.record, Some(Record::Turn(_)))) {
            None => Ok(Self { header, turns, end }),
            Some(place) => Err(Finding::new(
                "file",
                "records",
                format!("record {} is no turn, though it stands among them", place + 2),
            )),
        }
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = &'a ReplayTurn> + use<'a> {
        self.turns.iter().filter_map(|record| match &record.record {
            Some(replay_record::Record::Turn(turn)) => Some(turn),
            _ => None,
        })
    }

    /// The end, which holds the secret that all dice come from.
    pub(crate) fn end(&self) -> Result<&'a ReplayEnd, Finding> {
        self.end.ok_or_else(|| {
            let last = self.turns().last().map(|turn| turn.turn);
            let reason = "the end is missing: without the server's secret no die can be checked";
            Finding { turn: last, ..Finding::new("file", "end", reason) }
        })
    }
}

/// The bytes as an array, if there are thirty-two of them.
pub(crate) fn hash(bytes: &[u8]) -> Option<[u8; 32]> {
    bytes.try_into().ok()
}

/// The match id of a text, if it is written in the one usual way.
fn match_id(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|id| id.to_string() == text)
}
