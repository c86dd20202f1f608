//! What has to be so of a match that was played while servers failed. Each check says what is wrong.

use ed25519_dalek::VerifyingKey;
use parley_games::receipt::Promise;
use parley_games::replay;
use parley_proto::v1;
use parley_proto::v1::replay_record::Record;
use tonic::Status;

use super::caller::Caller;
use super::player::{Answers, Played};
use super::{Client, id_of};

/// The result of a check: the first thing that is wrong, as the error.
pub type Check = Result<(), String>;

/// Something that has to hold.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Nothing was lost or changed of a match: its replay has what was acknowledged and proves itself, and all of it is as
/// in the same match with a server that nobody disturbed.
pub async fn check_played(caller: &mut Caller, played: &Played, quiet_caller: &mut Caller, quiet: &Played) -> Check {
    let records = check_kept(caller, played).await?;
    let quiet_records = replay_of(quiet_caller, &quiet.id()).await;
    check_same(played, quiet, &turns_of(&records), &turns_of(&quiet_records))
}

/// Nothing was lost or changed of a match, whatever it would have been otherwise. Gives its replay.
pub async fn check_kept(caller: &mut Caller, played: &Played) -> Result<Vec<v1::ReplayRecord>, String> {
    let records = replay_of(caller, &played.id()).await;
    let turns = turns_of(&records);
    check_acknowledged(played, &turns)?;
    let digest = turns.last().map(|turn| turn.digest.to_vec()).unwrap_or_default();
    let same = played.logs.iter().all(|log| log.digest == digest);
    ensure(same, || format!("match {} ended otherwise than its players were told", played.number))?;
    check_proof(caller, played, &records).await?;
    check_tokens(caller, played).await?;
    Ok(records)
}

/// The whole replay of a match, from any server.
async fn replay_of(caller: &mut Caller, id: &str) -> Vec<v1::ReplayRecord> {
    loop {
        let picked = caller.pick();
        match read_replay(picked.client.clone(), id).await {
            Ok(records) => return records,
            Err(status) => caller.leave(&picked, &status).await,
        }
    }
}

async fn read_replay(mut client: Client, id: &str) -> Result<Vec<v1::ReplayRecord>, Status> {
    let request = v1::GetReplayRequest { match_id: id.to_owned() };
    let mut stream = client.archive.get_replay(request).await?.into_inner();
    let mut records = Vec::new();
    while let Some(response) = stream.message().await? {
        records.push(response.record.expect("a record"));
    }
    Ok(records)
}

/// The turns of a replay.
fn turns_of(records: &[v1::ReplayRecord]) -> Vec<&v1::ReplayTurn> {
    let mut turns = Vec::new();
    for record in records {
        if let Some(Record::Turn(turn)) = &record.record {
            turns.push(turn);
        }
    }
    turns
}

/// Everything is as it was with a server that nobody disturbed: what was told, and what came of every turn.
fn check_same(played: &Played, quiet: &Played, turns: &[&v1::ReplayTurn], quiet_turns: &[&v1::ReplayTurn]) -> Check {
    let number = played.number;
    for (seat, (log, quiet)) in played.logs.iter().zip(&quiet.logs).enumerate() {
        ensure(log.news == quiet.news, || {
            let same = log.news.iter().zip(&quiet.news).take_while(|(one, other)| one == other).count();
            format!("seat {seat} of match {number} was told something else after cursor {same}")
        })?;
    }
    let digests = |turns: &[&v1::ReplayTurn]| turns.iter().map(|turn| turn.digest.clone()).collect::<Vec<_>>();
    ensure(digests(turns) == digests(quiet_turns), || format!("match {number} has other digests"))
}

/// Everything acknowledged is in the replay, and nothing else.
fn check_acknowledged(played: &Played, turns: &[&v1::ReplayTurn]) -> Check {
    let number = played.number;
    let numbers: Vec<u32> = turns.iter().map(|turn| turn.turn).collect();
    let every = (1..=turns.len() as u32).collect::<Vec<_>>();
    ensure(numbers == every, || format!("match {number} has the turns {numbers:?}"))?;
    let mut sheets = 0;
    for turn in turns {
        let mut locked = 0;
        for (seat, log) in (0..).zip(&played.logs) {
            let Some((said, receipt)) = log.locks.get(&turn.turn) else { continue };
            locked += 1;
            let wrong = |what: &str| format!("match {number} turn {} seat {seat}: {what}", turn.turn);
            let sheet = turn.sheets.iter().find(|sheet| sheet.seat == seat).ok_or_else(|| wrong("no sheet"))?;
            ensure(sheet.origin() == v1::SheetOrigin::Locked, || wrong("the sheet was not locked"))?;
            ensure(sheet.sheet[..] == said[..], || wrong("another sheet was acknowledged"))?;
            let kept = sheet.receipt.as_ref().map(Promise::read);
            ensure(kept == Some(Promise::read(receipt)), || wrong("another receipt was given"))?;
        }
        let lapsed = |sheet: &&v1::ReplaySheet| played.pace.may_lapse() && sheet.origin() == v1::SheetOrigin::Absent;
        let sent = turn.sheets.iter().filter(|sheet| !lapsed(sheet)).count();
        ensure(sent == locked, || format!("match {number} turn {}: sheets that nobody sent", turn.turn))?;
        sheets += sent;
    }
    ensure(sheets == played.locks(), || format!("match {number}: {sheets} sheets for {} locks", played.locks()))?;
    check_answers(played, turns)
}

fn check_answers(played: &Played, turns: &[&v1::ReplayTurn]) -> Check {
    let number = played.number;
    let mut kept = Answers::new();
    for turn in turns {
        for answer in turn.windows.iter().flat_map(|window| &window.answers) {
            let waited = !answer.defaulted || played.pace.may_lapse();
            ensure(waited, || format!("match {number}: somebody was not waited for"))?;
            if answer.defaulted {
                continue;
            }
            let v1::ReplayAnswer { seat, question, options, .. } = answer;
            let answers = kept.entry((turn.turn, *seat)).or_default();
            let first = answers.insert(*question, options.clone()).is_none();
            ensure(first, || format!("match {number}: question {question} of seat {seat} was answered twice"))?;
        }
    }
    ensure(kept == played.answers(), || format!("match {number}: other answers than acknowledged"))
}

/// The server proves with its key that it changed nothing.
async fn check_proof(caller: &mut Caller, played: &Played, records: &[v1::ReplayRecord]) -> Check {
    let request = v1::GetMatchRequest { match_id: played.id() };
    let answer = caller.repeat(async |mut client: Client| client.lobby.get_match(request.clone()).await).await;
    let key: [u8; 32] = answer.receipt_key.as_ref().try_into().expect("a key");
    let key = Some(VerifyingKey::from_bytes(&key).expect("a key"));
    let verdict = replay::verify(records, &replay::Options { key, rules: None });
    let number = played.number;
    ensure(verdict.finding.is_none(), || format!("match {number} is not proved: {:?}", verdict.finding))?;
    let counts = (verdict.turns as usize, verdict.receipts as usize);
    let expected = (turns_of(records).len(), played.locks());
    ensure(counts == expected, || format!("match {number}: {counts:?} turns and receipts, not {expected:?}"))
}

/// Who created a match or took a seat gets the same answer again.
async fn check_tokens(caller: &mut Caller, played: &Played) -> Check {
    let number = played.number;
    let (request, answer) = &played.seated.created;
    let again = caller.repeat(async |mut client: Client| client.lobby.create_match(request.clone()).await).await;
    let same = id_of(&again) == played.id() && again.host_token == answer.host_token;
    ensure(same, || format!("match {number} was created twice"))?;
    for (request, answer) in &played.seated.joined {
        let again = caller.repeat(async |mut client: Client| client.lobby.join_match(request.clone()).await).await;
        let same = (again.seat, &again.player_token) == (answer.seat, &answer.player_token);
        ensure(same, || format!("match {number}: seat {} was taken twice", answer.seat))?;
    }
    Ok(())
}
