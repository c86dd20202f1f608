//! Plays a match as a server would and writes its replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_games::plunder::game::event::Event;
use parley_games::plunder::game::legality::{LegalSheet, Verdict};
use parley_games::plunder::game::order::{Choice, OrderSheet};
use parley_games::plunder::game::rules::Rules;
use parley_games::plunder::game::ruleset::{Game, Question, Step, Workspace};
use parley_games::plunder::game::state::{MatchResult, State};
use parley_games::plunder::wire;
use parley_games::receipt::{Promise, seal};
use parley_games::replay::{FORMAT, seed};
use parley_proto::v1::{self, replay_end, replay_record::Record};
use prost::Message;
use uuid::Uuid;

pub const SECRET: [u8; 32] = [0x5E; 32];
pub const NAMES: [&str; 4] = ["Anna", "Bert", "Cleo", "Dora"];

/// How a seat gives its orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    Locked,
    House,
    AtDeadline,
    Absent,
}

/// A match in the making.
pub struct Recorder {
    pub game: Game,
    pub events: Vec<Vec<Event>>,
    /// What was asked, by turn and by window, each as a replay lists the answers.
    pub asked: Vec<Vec<Vec<Question>>>,
    key: SigningKey,
    id: Uuid,
    last: BTreeMap<PlayerId, Digest>,
    records: Vec<v1::ReplayRecord>,
}

fn bytes(digest: Digest) -> bytes::Bytes {
    digest.as_bytes().to_vec().into()
}

impl Recorder {
    /// Begins a match; the last seat is a house bot's where `house` says so.
    pub fn begin(rules: Arc<Rules>, state: State, house: bool) -> Self {
        let key = SigningKey::from_bytes(&[3; 32]);
        let id = Uuid::from_u128(0x0192_abcd_ef00_7000_8000_0000_0000_0001);
        let count = state.players().len();
        let added = |seat: usize| (seat != 1).then_some([seat as u8 + 1; 32]);
        let seats = (0..count).map(|seat| v1::ReplaySeat {
            seat: seat as u32,
            name: NAMES[seat].to_owned(),
            policy: if house && seat + 1 == count { "raider".to_owned() } else { String::new() },
            added: added(seat).map(|bytes| bytes.to_vec()).unwrap_or_default().into(),
        });
        let grid = state.map().grid();
        let digest = Digest::genesis(&rules, &state);
        let header = v1::ReplayHeader {
            format: FORMAT,
            match_id: id.to_string(),
            name: "A test".to_owned(),
            rules: rules.to_json(),
            rules_hash: bytes(rules.hash()),
            map: Some(v1::ReplayMap {
                width: grid.width(),
                height: grid.height(),
                wrap: grid.wrap(),
                terrain: state.map().terrain_rows().into(),
            }),
            initial_state: state.encode().into(),
            genesis_digest: bytes(digest),
            seats: seats.collect(),
            seed_commitment: bytes(Seed::commitment(&SECRET)),
            receipt_key: key.verifying_key().as_bytes().to_vec().into(),
            created_ms: 1,
            started_ms: 2,
            ruleset: "plunder".to_owned(),
        };
        let records = vec![v1::ReplayRecord { record: Some(Record::Header(header)) }];
        let game = Game::new(rules, state, seed(&SECRET, (0..count).map(added)));
        let (events, asked, last) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { game, events, asked, key, id, last, records }
    }

    pub fn key(&self) -> VerifyingKey {
        self.key.verifying_key()
    }

    /// Judges a sheet as the server does.
    pub fn judge(&self, sheet: &OrderSheet) -> Verdict {
        self.game.judge(sheet)
    }

    fn promise(&mut self, sheet: &OrderSheet, encoded: &[u8]) -> v1::Receipt {
        let previous = self.last.get(&sheet.player).copied().unwrap_or(Seed::commitment(&SECRET));
        let promise = Promise {
            match_id: self.id,
            turn: self.game.turn(),
            seat: sheet.player.get(),
            sheet_hash: Digest::of(encoded),
            previous,
        };
        self.last.insert(sheet.player, promise.hash());
        seal(&[promise], &[self.game.turn() as u8; 32], |root| self.key.sign(root).to_bytes()).remove(0)
    }

    fn take(&mut self, sheet: &OrderSheet, given: Given) -> (v1::ReplaySheet, LegalSheet) {
        let said = v1::sheet::Game::Plunder(wire::said(self.game.rules(), sheet));
        let encoded = if given == Given::Absent { Vec::new() } else { v1::Sheet { game: Some(said) }.encode_to_vec() };
        let receipt = (given == Given::Locked).then(|| self.promise(sheet, &encoded));
        let origin = match given {
            Given::Locked | Given::House => v1::SheetOrigin::Locked,
            Given::AtDeadline => v1::SheetOrigin::AtDeadline,
            Given::Absent => v1::SheetOrigin::Absent,
        };
        let verdict =
            if given == Given::Absent { self.judge(&OrderSheet::empty(sheet.player)) } else { self.judge(sheet) };
        assert!(given == Given::AtDeadline || verdict.faults.is_empty(), "{:?}", verdict.faults);
        let seat = sheet.player.get().into();
        let recorded = v1::ReplaySheet { seat, origin: origin.into(), sheet: encoded.into(), receipt, conceded: false };
        (recorded, verdict.legal)
    }

    /// Plays a turn with a sheet for everybody alive; `None` of `choose` is a player who does not answer.
    pub fn turn(&mut self, sheets: &[(OrderSheet, Given)], mut choose: impl FnMut(&Question) -> Option<Choice>) {
        let turn = self.game.turn();
        let (recorded, legal): (Vec<_>, Vec<_>) = sheets.iter().map(|(sheet, given)| self.take(sheet, *given)).unzip();
        for sheet in legal {
            self.game.lock(sheet).expect("sheets that fit");
        }
        let (mut workspace, mut windows, mut answers) = (Workspace::new(), Vec::new(), Vec::new());
        self.asked.push(Vec::new());
        let outcome = loop {
            match self.game.advance(&mut workspace, &answers).expect("answers that were asked for") {
                Step::Resolved(outcome) => break outcome,
                Step::Asked => {
                    answers.clear();
                    let mut recorded = Vec::new();
                    let mut asked = self.game.questions().to_vec();
                    asked.sort_by_key(|question| (question.seat, question.id()));
                    for question in &asked {
                        let answer =
                            choose(question).map(|choice| question.picking(&choice).expect("it can be chosen"));
                        recorded.push(v1::ReplayAnswer {
                            seat: question.seat.get().into(),
                            question: question.id(),
                            options: answer.as_ref().map_or(vec![0], |answer| answer.options.clone()),
                            defaulted: answer.is_none(),
                        });
                        answers.extend(answer);
                    }
                    windows.push(v1::ReplayWindow { answers: recorded });
                    self.asked.last_mut().expect("the turn has begun").push(asked);
                }
            }
        };
        let (state, digest) = (self.game.state().encode().into(), bytes(self.game.digest()));
        let record = v1::ReplayTurn { turn, sheets: recorded, windows, state, digest, resolved_ms: 3 };
        self.records.push(v1::ReplayRecord { record: Some(Record::Turn(record)) });
        self.events.push(outcome.events);
    }

    /// Ends the match: with its result, or by an administrator.
    pub fn end(mut self) -> Vec<v1::ReplayRecord> {
        let seats = |players: &[PlayerId]| players.iter().map(|id| u32::from(id.get())).collect();
        let end = match self.game.state().result() {
            Some(MatchResult::Winner(winner)) => replay_end::End::Winner(winner.get().into()),
            Some(MatchResult::Draw(players)) => replay_end::End::Draw(replay_end::Draw { seats: seats(players) }),
            None => replay_end::End::Stopped(replay_end::Stopped { reason: "the test is over".to_owned() }),
        };
        let end = v1::ReplayEnd {
            secret: SECRET.to_vec().into(),
            end: Some(end),
            final_digest: bytes(self.game.digest()),
            ended_ms: 4,
        };
        self.records.push(v1::ReplayRecord { record: Some(Record::End(end)) });
        self.records
    }
}
