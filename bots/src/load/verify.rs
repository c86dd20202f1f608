//! Whether a run was played as it was said: everything that the seats hold is held against the replays.
//!
//! Nothing of a replay is believed. Its rules are the ones that were asked for, its sheets are the ones that were sent,
//! its turns are resolved again, and its last digest is the one that every seat was told. Every receipt that a seat was
//! given is one for its sheet, follows the one before, and is signed.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use ed25519_dalek::VerifyingKey;
use futures_util::{StreamExt, stream};
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_games::plunder::wire;
use parley_games::receipt::{Checker, Promise};
use parley_plunder::map::Map;
use parley_plunder::rules::Rules;
use parley_plunder::ruleset::{Game, Step, Workspace};
use parley_plunder::state::State;
use parley_proto::v1;
use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::lobby_client::LobbyClient;
use parley_proto::v1::replay_record::Record;
use prost::Message;
use tonic::Request;
use tonic::transport::Channel;

use super::seat::SeatLog;
use super::seating::{SeatedMatch, patiently};
use super::{LoadError, Watcher};
use crate::arms::Arms;

/// How many replays are fetched and played at once.
const AT_ONCE: usize = 4;
/// The longest record of a replay.
const MAX_RECORD_BYTES: usize = 64 << 20;
/// How many sentences about what is not true are kept.
const MAX_FAULTS: usize = 20;

/// What was found to be true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many matches were found whose every digest is the resolver's.
    pub matches: u32,
    /// How many turns these matches had.
    pub turns: u64,
    /// How many receipts were found to hold.
    pub receipts: u64,
    /// How many matches or receipts something speaks against.
    pub failures: u64,
    /// Sentences about some of them.
    pub faults: Vec<String>,
}

impl Verified {
    fn failed(&mut self, fault: String) {
        self.failures += 1;
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// A match of a run that was played to its end.
pub(super) struct Finished {
    pub(super) table: SeatedMatch,
    /// The logs of the seats, by seat.
    pub(super) logs: Vec<SeatLog>,
}

/// Fetches the replays of matches and checks everything.
pub(super) async fn verify(
    channel: &Channel,
    rules: &Arc<Rules>,
    finished: Vec<Finished>,
    watcher: &mut dyn Watcher,
) -> Result<Verified, LoadError> {
    let mut verified = Verified::default();
    let Some(first) = finished.first() else { return Ok(verified) };
    let key = key(channel, &first.table).await?;
    let all = finished.len() as u32;
    let finished: Vec<Arc<Finished>> = finished.into_iter().map(Arc::new).collect();
    let checks = finished.clone().into_iter().map(|finished| {
        let (channel, rules) = (channel.clone(), Arc::clone(rules));
        async move {
            let records = fetch(channel, &finished.table).await?;
            let checked = tokio::task::spawn_blocking(move || check(&rules, &finished, &records));
            checked.await.map_err(|error| LoadError::Machine(error.to_string()))
        }
    });
    let mut checks = stream::iter(checks).buffer_unordered(AT_ONCE);
    while let Some(checked) = checks.next().await {
        match checked? {
            Ok(turns) => {
                verified.matches += 1;
                verified.turns += u64::from(turns);
            }
            Err(fault) => verified.failed(fault),
        }
        watcher.verified(verified.matches, all);
    }
    drop(checks);
    let signed = tokio::task::spawn_blocking(move || signatures(&finished, key, verified));
    signed.await.map_err(|error| LoadError::Machine(error.to_string()))
}

/// The key that receipts are signed with, from the server itself.
async fn key(channel: &Channel, table: &SeatedMatch) -> Result<VerifyingKey, LoadError> {
    let lobby = LobbyClient::new(channel.clone());
    let found = patiently(0, || {
        let (mut lobby, request) =
            (lobby.clone(), asking(table, v1::GetMatchRequest { match_id: table.match_id.clone() }));
        async move { Ok(lobby.get_match(request).await?.into_inner()) }
    });
    let key = found.await?.receipt_key;
    let key = <&[u8; 32]>::try_from(key.as_ref()).ok().and_then(|key| VerifyingKey::from_bytes(key).ok());
    key.ok_or_else(|| LoadError::UnexpectedAnswer("the key of receipts is none".to_owned()))
}

/// A request of the first seat.
fn asking<T>(table: &SeatedMatch, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(token) =
        table.tokens.first().and_then(|token| tonic::metadata::MetadataValue::try_from(token.as_bytes()).ok())
    {
        request.metadata_mut().insert("authorization", token);
    }
    request
}

async fn fetch(channel: Channel, table: &SeatedMatch) -> Result<Vec<v1::ReplayRecord>, LoadError> {
    let archive = ArchiveClient::new(channel).max_decoding_message_size(MAX_RECORD_BYTES);
    let records = patiently(table.number, || {
        let request = asking(table, v1::GetReplayRequest { match_id: table.match_id.clone() });
        let mut archive = archive.clone();
        async move {
            let mut records = Vec::new();
            let mut stream = archive.get_replay(request).await?.into_inner();
            while let Some(response) = stream.message().await? {
                records.extend(response.record);
            }
            Ok(records)
        }
    });
    records.await
}

/// Plays a match again; the answer is how many turns it had, or what speaks against it.
fn check(rules: &Arc<Rules>, finished: &Finished, records: &[v1::ReplayRecord]) -> Result<u32, String> {
    replayed(rules, finished, records).map_err(|fault| format!("match {}: {fault}", finished.table.match_id))
}

fn replayed(rules: &Arc<Rules>, finished: &Finished, records: &[v1::ReplayRecord]) -> Result<u32, String> {
    let records: Vec<&Record> = records.iter().filter_map(|record| record.record.as_ref()).collect();
    let (Some(Record::Header(header)), Some(Record::End(end))) = (records.first(), records.last()) else {
        return Err("the replay has no beginning or no end".to_owned());
    };
    let table = &finished.table;
    if header.match_id != table.match_id || header.seed_commitment != table.commitment.as_bytes()[..] {
        return Err("the replay is of another match".to_owned());
    }
    if header.rules != rules.to_json() {
        return Err("the replay has other rules than were asked for".to_owned());
    }
    let map = header.map.as_ref().ok_or("the replay has no map")?;
    let map = Map::from_terrain(rules, map.width, map.height, map.wrap, &map.terrain).map_err(|e| e.to_string())?;
    let state = State::decode(rules, &Arc::new(map), &header.initial_state).map_err(|e| e.to_string())?;
    let secret: [u8; 32] = end.secret.as_ref().try_into().map_err(|_| "the secret is none")?;
    if Seed::commitment(&secret) != table.commitment {
        return Err("the secret is not the one that was promised".to_owned());
    }
    if header.seats.iter().any(|seat| !seat.added.is_empty()) {
        return Err("somebody added to the seed".to_owned());
    }
    let turns = records.len() - 2;
    if let Some(log) = finished.logs.iter().find(|log| log.receipts.len() != turns) {
        return Err(format!("seat {} has {} receipts for {turns} turns", log.number, log.receipts.len()));
    }
    let mut game = Game::new(Arc::clone(rules), state, Seed::derive(&secret, &[]));
    let mut workspace = Workspace::default();
    let mut chains: Vec<Digest> = vec![table.commitment; finished.logs.len()];
    for (record, number) in records[1..records.len() - 1].iter().zip(1..) {
        let Record::Turn(turn) = record else { return Err("something stands between the turns".to_owned()) };
        let wrong = |what: &str| format!("turn {number}: {what}");
        if turn.turn != number || turn.sheets.len() != finished.logs.len() || !turn.windows.is_empty() {
            return Err(wrong("it is not the turn that was played"));
        }
        for ((log, sheet), chain) in finished.logs.iter().zip(&turn.sheets).zip(&mut chains) {
            *chain = check_sheet(table, log, number, sheet, *chain).map_err(|fault| wrong(&fault))?;
        }
        lock(&mut game, &turn.sheets).map_err(|fault| wrong(&fault))?;
        let Ok(Step::Resolved(outcome)) = game.advance(&mut workspace, &[]) else {
            return Err(wrong("somebody was asked something"));
        };
        if turn.digest != game.digest().as_bytes()[..] || turn.state != game.state().encode() {
            return Err(wrong(&format!("the resolver comes to {}", game.digest())));
        }
        workspace.reclaim(*outcome);
    }
    let digest = game.digest();
    if end.final_digest != digest.as_bytes()[..] {
        return Err("the last digest is another one".to_owned());
    }
    for log in &finished.logs {
        if log.digest != digest {
            return Err(format!("seat {} was told another digest", log.number));
        }
    }
    Ok(turns as u32)
}

/// Checks that a sheet of a replay is the one that the seat sent, and that its receipt is for it; the answer is the
/// hash that the next receipt has to name.
fn check_sheet(
    table: &SeatedMatch,
    log: &SeatLog,
    turn: u32,
    sheet: &v1::ReplaySheet,
    previous: Digest,
) -> Result<Digest, String> {
    let wrong = |what: &str| format!("seat {}: {what}", log.number);
    let last = turn as usize == log.receipts.len();
    let sent: &Bytes = if last { &log.last_sheet } else { &log.sheets[turn as usize % 2] };
    if sheet.seat != log.number || sheet.origin != v1::SheetOrigin::Locked as i32 || sheet.sheet != *sent {
        return Err(wrong("this is not the sheet that was locked in"));
    }
    let receipt = turn.checked_sub(1).and_then(|place| log.receipts.get(place as usize));
    let receipt = receipt.ok_or_else(|| wrong("there is no receipt"))?;
    let receipt = v1::Receipt::decode(receipt.as_ref()).map_err(|error| wrong(&error.to_string()))?;
    let promise = Promise::read(&receipt).map_err(|error| wrong(&format!("the receipt: {error}")))?;
    let said = (promise.match_id.to_string(), promise.turn, u32::from(promise.seat));
    if said != (table.match_id.clone(), turn, log.number) {
        return Err(wrong("the receipt is for something else"));
    }
    if promise.sheet_hash != Digest::of(sent) {
        return Err(wrong("the receipt is for another sheet"));
    }
    if promise.previous != previous {
        return Err(wrong("the receipt does not follow the one before"));
    }
    Ok(promise.hash())
}

/// Locks the sheets of a turn, all of which have to be legal as a whole.
fn lock(game: &mut Game, sheets: &[v1::ReplaySheet]) -> Result<(), String> {
    for sheet in sheets {
        let player = PlayerId::new(sheet.seat.into()).ok_or("there is no such seat")?;
        let said = v1::Sheet::decode(sheet.sheet.clone()).map_err(|error| error.to_string())?;
        let said = said.into_plunder().ok_or("this is a sheet of another game")?;
        let (orders, faults) = wire::sheet(game.rules(), player, &said);
        let verdict = game.judge(&orders);
        if let Some(fault) = faults.first() {
            return Err(fault.text.clone());
        }
        if let Some(fault) = verdict.faults.first() {
            return Err(fault.to_string());
        }
        game.lock(verdict.legal).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Checks the signatures of all receipts. Those that were signed together come one after the other.
fn signatures(finished: &[Arc<Finished>], key: VerifyingKey, mut verified: Verified) -> Verified {
    let logs: Vec<&SeatLog> = finished.iter().flat_map(|finished| &finished.logs).collect();
    let mut places: Vec<([u8; 8], u32, u32)> = Vec::new();
    for (place, log) in (0..).zip(&logs) {
        for (turn, receipt) in (0..).zip(&log.receipts) {
            let signature = v1::Receipt::decode(receipt.as_ref()).unwrap_or_default().signature;
            let known = signature.first_chunk().copied().unwrap_or_default();
            places.push((known, place, turn));
        }
    }
    places.sort_unstable();
    let mut checker = Checker::new(key);
    for (_, place, turn) in places {
        let log = logs[place as usize];
        let receipt = v1::Receipt::decode(log.receipts[turn as usize].as_ref()).unwrap_or_default();
        match checker.check(&receipt) {
            Ok(_) => verified.receipts += 1,
            Err(error) => {
                let id = &receipt.match_id;
                verified.failed(format!("match {id}, turn {}, seat {}: a receipt: {error}", turn + 1, log.number));
            }
        }
    }
    verified
}
