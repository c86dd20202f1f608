//! What has to be so of a match in the stream of journals, whatever happened to the gateways that wrote it.

use std::collections::{BTreeMap, BTreeSet};

use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{Appended, Entry};
use prost::Message;

use crate::common::checks::{Check, ensure};
use crate::common::player::{Answers, Pace, Played};

/// What was acknowledged of a match.
#[derive(Default)]
pub struct Acknowledged {
    /// The sheets, by turn and seat.
    pub locks: BTreeMap<(u32, u32), Vec<u8>>,
    pub answers: Answers,
}

impl From<&Played> for Acknowledged {
    fn from(played: &Played) -> Self {
        let mut locks = BTreeMap::new();
        for (seat, log) in (0..).zip(&played.logs) {
            locks.extend(log.locks.iter().map(|(turn, (sheet, _))| ((*turn, seat), sheet.clone())));
        }
        Self { locks, answers: played.answers() }
    }
}

/// How many messages were written to take a match over.
pub fn takeovers(journal: &[Appended]) -> usize {
    journal.iter().filter(|appended| appended.records.is_empty()).count()
}

/// How many deadlines passed.
pub fn lapses(journal: &[Appended]) -> usize {
    let records = journal.iter().flat_map(|appended| &appended.records);
    let entries = records.filter_map(|bytes| Entry::decode(bytes.clone()).ok()?.what);
    entries.filter(|what| matches!(what, What::PlanningEnded(_) | What::WindowClosed(_))).count()
}

/// One server after the other wrote: every record has its number once and without gaps, claims never go down, and each
/// belongs to one server.
pub fn check_order(id: &str, journal: &[Appended]) -> Check {
    let mut owners = BTreeMap::new();
    let (mut records, mut claim) = (0, 0);
    for (place, appended) in (1..).zip(journal) {
        let wrong = |what: String| format!("match {id}, message {place} of {}: {what}", journal.len());
        let Appended { after, claim: next, node, .. } = appended;
        ensure(*next >= claim, || wrong(format!("written under claim {next} after claim {claim}")))?;
        claim = *next;
        ensure(*after == records, || wrong(format!("written after {after} records, and there are {records}")))?;
        records += appended.records.len() as u64;
        let owner = owners.entry(claim).or_insert(node);
        ensure(*owner == node, || wrong(format!("claim {claim} has two servers, {owner:?} and {node:?}")))?;
    }
    ensure(records > 0, || format!("match {id} has no records"))
}

/// Everything acknowledged was written once, and nothing else; that a deadline passed only where that may be.
pub fn check_inputs(id: &str, journal: &[Appended], acknowledged: &Acknowledged, pace: Pace) -> Check {
    let lapsed = lapses(journal);
    ensure(lapsed == 0 || pace.may_lapse(), || format!("match {id}: {lapsed} deadlines passed"))?;
    let mut said = Said::default();
    for bytes in journal.iter().flat_map(|appended| &appended.records) {
        let entry = Entry::decode(bytes.clone()).map_err(|error| format!("match {id}: {error}"))?;
        said.hear(entry.what).map_err(|what| format!("match {id}: {what}"))?;
    }
    ensure((said.created, said.started) == (1, 1), || {
        format!("match {id} was created {} times and started {} times", said.created, said.started)
    })?;
    let differ = |written: usize, what: &str, acknowledged: usize| {
        format!("match {id}: {written} {what} were written, {acknowledged} acknowledged, and they are not the same")
    };
    let locks = &acknowledged.locks;
    ensure(said.locks == *locks, || differ(said.locks.len(), "sheets", locks.len()))?;
    let count = |answers: &Answers| answers.values().map(|answers| answers.len()).sum::<usize>();
    let answers = &acknowledged.answers;
    ensure(said.answers == *answers, || differ(count(&said.answers), "answers", count(answers)))
}

/// What a journal says.
#[derive(Default)]
struct Said {
    created: u32,
    started: u32,
    seats: BTreeSet<u32>,
    locks: BTreeMap<(u32, u32), Vec<u8>>,
    answers: Answers,
}

impl Said {
    fn hear(&mut self, what: Option<What>) -> Check {
        match what {
            Some(What::Created(_)) => self.created += 1,
            Some(What::Started(_)) => self.started += 1,
            Some(What::Joined(joined)) => {
                let seat = joined.seat;
                ensure(self.seats.insert(seat), || format!("seat {seat} was taken twice"))?;
            }
            Some(What::Locked(locked)) => {
                let (turn, seat) = (locked.turn, locked.seat);
                let first = self.locks.insert((turn, seat), locked.sheet.to_vec()).is_none();
                ensure(first, || format!("seat {seat} locked in twice in turn {turn}"))?;
            }
            Some(What::Answers(given)) => {
                let (turn, seat) = (given.turn, given.seat);
                let answers = self.answers.entry((turn, seat)).or_default();
                for answer in given.answers {
                    let question = answer.question;
                    let first = answers.insert(question, answer.options).is_none();
                    ensure(first, || format!("seat {seat} answered question {question} of turn {turn} twice"))?;
                }
            }
            Some(What::PlanningEnded(_) | What::WindowClosed(_)) => {}
            other => return Err(format!("nobody asked for {other:?}")),
        }
        Ok(())
    }
}
