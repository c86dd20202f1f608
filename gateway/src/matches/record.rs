//! A match as a replay: everything that was said, and what came of it.

use std::collections::BTreeMap;

use parley_bots::receipt::Promise;
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::v1;
use parley_resolver::digest::Digest;
use parley_resolver::event::EncounterKind;
use parley_resolver::state::MatchResult;
use prost::Message;

use super::Matches;
use super::history::{Past, PastError};
use crate::journal::MatchId;
use crate::table::{Audience, Happening, Nonsense, Place, Sheet, Table};
use crate::work::Customer;

/// Writes a match down as the records of a replay.
pub struct Recorder {
    matches: Matches,
    /// The records that are complete.
    pub records: Vec<v1::ReplayRecord>,
    /// The sheets of the turn that is being played.
    sheets: Vec<v1::ReplaySheet>,
    windows: Vec<v1::ReplayWindow>,
    /// The promises of the receipts, in the order in which they were given.
    promises: Vec<Promise>,
    at_ms: u64,
}

impl Recorder {
    /// A recorder that has recorded nothing yet.
    pub fn new(matches: Matches) -> Self {
        Self { matches, records: Vec::new(), sheets: Vec::new(), windows: Vec::new(), promises: Vec::new(), at_ms: 0 }
    }

    /// The whole replay of a match that is over.
    pub async fn record(
        matches: &Matches,
        customer: Customer,
        id: MatchId,
    ) -> Result<Vec<v1::ReplayRecord>, PastError> {
        let mut recorder = Self::new(matches.clone());
        let record = move |past: &mut Past| {
            for bytes in std::mem::take(&mut past.rest) {
                let nonsense = |what| PastError::Nonsense { record: past.records + 1, what };
                let entry = Entry::decode(bytes).map_err(|error| nonsense(Nonsense(error.to_string())))?;
                recorder.at_ms = entry.at_ms;
                recorder.note(&past.table, &entry);
                past.table.apply(entry, &mut recorder).map_err(nonsense)?;
                past.records += 1;
            }
            recorder.end(&past.table);
            recorder.sign();
            Ok(recorder.records)
        };
        // Without a snapshot: a replay begins at the beginning.
        Past::with(matches, customer, id, |_| false, record).await.map(|(_, records)| records)
    }

    /// Notes what was said, before it happens.
    fn note(&mut self, table: &Table, entry: &Entry) {
        match &entry.what {
            Some(What::Locked(locked)) => {
                let hash = Digest::of(&locked.sheet);
                let previous = table.seats[locked.seat as usize].receipt;
                let seat = locked.seat as u8;
                let promise =
                    Promise { match_id: table.setup.id.0, turn: locked.turn, seat, sheet_hash: hash, previous };
                self.promises.push(promise);
                let origin = v1::SheetOrigin::Locked.into();
                let sheet = locked.sheet.clone();
                self.sheets.push(v1::ReplaySheet { seat: locked.seat, origin, sheet, ..v1::ReplaySheet::default() });
            }
            Some(What::PlanningEnded(ended)) => {
                let origin = v1::SheetOrigin::AtDeadline.into();
                self.sheets.extend(ended.staged.iter().map(|staged| v1::ReplaySheet {
                    seat: staged.seat,
                    origin,
                    sheet: staged.sheet.clone(),
                    ..v1::ReplaySheet::default()
                }));
            }
            Some(What::Conceded(conceded)) if !conceded.sheet.is_empty() => self.sheets.push(v1::ReplaySheet {
                seat: conceded.seat,
                origin: v1::SheetOrigin::AtDeadline.into(),
                sheet: conceded.sheet.clone(),
                conceded: true,
                ..v1::ReplaySheet::default()
            }),
            Some(What::Decided(decided)) => {
                let window = self.window(decided.tick);
                window.decisions.extend(decided.decisions.iter().map(|decision| v1::ReplayDecision {
                    unit: decision.unit,
                    choice: decision.choice,
                    defaulted: false,
                }));
            }
            Some(What::WindowEnded(ended)) => self.note_defaults(table, ended.tick),
            _ => {}
        }
    }

    fn window(&mut self, tick: u32) -> &mut v1::ReplayWindow {
        let place = self.windows.iter().position(|window| window.tick == tick).unwrap_or_else(|| {
            self.windows.push(v1::ReplayWindow { tick, decisions: Vec::new() });
            self.windows.len() - 1
        });
        &mut self.windows[place]
    }

    /// Notes the decisions that nobody gave: whoever was asked and did not answer proceeded or yielded (R7.2).
    fn note_defaults(&mut self, table: &Table, tick: u32) {
        let Some(window) = table.game.as_ref().and_then(|game| game.window.as_ref()) else { return };
        let noted = self.window(tick);
        for encounter in &window.awaiting {
            let choice = match encounter.kind {
                EncounterKind::Passing => v1::Choice::Proceed,
                EncounterKind::Entry => v1::Choice::Yield,
            };
            for participant in encounter.participants.iter().filter(|participant| participant.asked) {
                let unit = participant.unit.get();
                if !noted.decisions.iter().any(|decision| decision.unit == unit) {
                    noted.decisions.push(v1::ReplayDecision { unit, choice: choice.into(), defaulted: true });
                }
            }
        }
    }

    fn header(&self, table: &Table) -> Option<v1::ReplayHeader> {
        let setup = &table.setup;
        let game = table.game.as_ref()?;
        let grid = setup.map.grid();
        let seat = |(number, seat): (usize, &crate::table::Seat)| v1::ReplaySeat {
            seat: number as u32,
            name: seat.name.clone(),
            policy: seat.house_bot.clone(),
            added: seat.added().map(|added| added.to_vec().into()).unwrap_or_default(),
        };
        Some(v1::ReplayHeader {
            format: crate::replay::FORMAT,
            match_id: setup.id.0.to_string(),
            name: setup.settings.name.clone(),
            rules: setup.rules.to_json(),
            rules_hash: setup.rules.hash().as_bytes().to_vec().into(),
            map: Some(v1::ReplayMap {
                width: grid.width(),
                height: grid.height(),
                wrap: grid.wrap(),
                terrain: setup.map.terrain_rows().into(),
            }),
            initial_state: encoded(table),
            genesis_digest: game.digest.as_bytes().to_vec().into(),
            seats: table.seats.iter().enumerate().map(seat).collect(),
            seed_commitment: setup.commitment.as_bytes().to_vec().into(),
            receipt_key: self.matches.keyring.receipt_public_key().to_vec().into(),
            created_ms: setup.created_ms,
            started_ms: self.at_ms,
        })
    }

    /// The record of the turn that has just been resolved.
    fn turn(&mut self, table: &Table, before: &parley_resolver::state::State) -> v1::ReplayTurn {
        let mut sheets = std::mem::take(&mut self.sheets);
        for player in before.players().iter().filter(|player| player.alive) {
            let seat = u32::from(player.id.get());
            if !sheets.iter().any(|sheet| sheet.seat == seat) {
                sheets.push(v1::ReplaySheet {
                    seat,
                    origin: v1::SheetOrigin::Absent.into(),
                    ..v1::ReplaySheet::default()
                });
            }
        }
        sheets.sort_by_key(|sheet| sheet.seat);
        let mut windows = std::mem::take(&mut self.windows);
        windows.iter_mut().for_each(|window| window.decisions.sort_by_key(|decision| decision.unit));
        v1::ReplayTurn {
            turn: before.turn(),
            sheets,
            windows,
            state: encoded(table),
            digest: table.game.as_ref().map(|game| game.digest.as_bytes().to_vec().into()).unwrap_or_default(),
            resolved_ms: self.at_ms,
        }
    }

    /// Puts the receipts to their sheets.
    fn sign(&mut self) {
        let receipts = self.matches.sealer.seal(&self.promises);
        let mut receipts: BTreeMap<(u32, u32), v1::Receipt> =
            receipts.into_iter().map(|receipt| ((receipt.turn, receipt.seat), receipt)).collect();
        for record in &mut self.records {
            let Some(v1::replay_record::Record::Turn(turn)) = &mut record.record else { continue };
            for sheet in turn.sheets.iter_mut().filter(|sheet| sheet.origin() == v1::SheetOrigin::Locked) {
                sheet.receipt = receipts.remove(&(turn.turn, sheet.seat));
            }
        }
    }

    fn end(&mut self, table: &Table) {
        use v1::replay_end::{Draw, End, Stopped};
        let result = table.game.as_ref().and_then(|game| game.state.result());
        let end = match (result, &table.stopped) {
            (Some(MatchResult::Winner(player)), _) => End::Winner(player.get().into()),
            (Some(MatchResult::Draw(players)), _) => {
                End::Draw(Draw { seats: players.iter().map(|player| player.get().into()).collect() })
            }
            (None, Some(reason)) => End::Stopped(Stopped { reason: reason.clone() }),
            (None, None) => return,
        };
        let record = v1::replay_record::Record::End(v1::ReplayEnd {
            secret: table.setup.secret.0.to_vec().into(),
            end: Some(end),
            final_digest: table.game.as_ref().map(|game| game.digest.as_bytes().to_vec().into()).unwrap_or_default(),
            ended_ms: self.at_ms,
        });
        self.records.push(v1::ReplayRecord { record: Some(record) });
    }
}

impl Audience for Recorder {
    fn tell(&mut self, table: &Table, place: Place, _: u64, happening: &Happening<'_>) {
        use v1::replay_record::Record;
        if place != Place::Spectators {
            return;
        }
        let record = match happening {
            Happening::Opened => self.header(table).map(Record::Header),
            Happening::Resolved { before, .. } => Some(Record::Turn(self.turn(table, before))),
            _ => None,
        };
        if let Some(record) = record {
            self.records.push(v1::ReplayRecord { record: Some(record) });
        }
        // Who has given up is played by nobody: the table itself has frozen those sheets for the turn that begins.
        if let (Happening::Opened | Happening::Resolved { .. }, Some(game)) = (happening, table.game.as_ref()) {
            let frozen = (0..).zip(&game.sheets).filter_map(|(seat, sheet)| match sheet {
                Sheet::Locked(said) => Some((seat, said.clone())),
                _ => None,
            });
            let origin = v1::SheetOrigin::AtDeadline.into();
            self.sheets.extend(frozen.map(|(seat, sheet)| v1::ReplaySheet {
                seat,
                origin,
                sheet,
                conceded: true,
                ..v1::ReplaySheet::default()
            }));
        }
    }
}

fn encoded(table: &Table) -> bytes::Bytes {
    table.game.as_ref().map(|game| game.state.encode().into()).unwrap_or_default()
}

/// The receipts of a match, of one seat or of all, by turn and seat.
pub async fn receipts(
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    of: Option<u8>,
) -> Result<Vec<v1::Receipt>, PastError> {
    let signing = matches.clone();
    let collect = move |past: &mut Past| {
        let mut last = vec![past.table.setup.commitment; past.table.seats.len()];
        let mut promises = Vec::new();
        for bytes in std::mem::take(&mut past.rest) {
            let Ok(Entry { what: Some(What::Locked(locked)), .. }) = Entry::decode(bytes) else { continue };
            let (seat, hash) = (locked.seat as u8, Digest::of(&locked.sheet));
            let previous = last[usize::from(seat)];
            let promise = Promise { match_id: id.0, turn: locked.turn, seat, sheet_hash: hash, previous };
            last[usize::from(seat)] = promise.hash();
            if of.is_none_or(|of| of == seat) {
                promises.push(promise);
            }
        }
        promises.sort_by_key(|promise| (promise.turn, promise.seat));
        Ok(signing.sealer.seal(&promises))
    };
    Past::with(matches, customer, id, |_| false, collect).await.map(|(_, receipts)| receipts)
}
