//! Messages that nobody means: random bytes, and good requests that were bent, cut, joined and framed wrongly.

use std::time::Duration;

use bytes::Bytes;
use parley_proto::v1;
use prost::Message;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Code;

use super::siege::Aim;
use super::unread::{bots_on, creation, large_match};
use super::wire::{Line, Tally, frame, framed, request_id};
use crate::common::script::mixed;

/// How many call at a time.
const AT_ONCE: usize = 16;
/// How long an answer may take. A stream of news that goes on is an answer too.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long the longest of random messages is.
const LONGEST: u64 = 200;

/// A method of the API, and a good request for it.
#[derive(Clone)]
struct Method {
    name: &'static str,
    good: Vec<u8>,
    decodes: fn(&[u8]) -> bool,
}

fn method<T: Message + Default>(name: &'static str, good: T) -> Method {
    Method { name, good: good.encode_to_vec(), decodes: |bytes| T::decode(bytes).is_ok() }
}

/// Every method of the API. Requests are about a match that runs, but for what would end it.
fn methods(running: &str, over: &str) -> Vec<Method> {
    use v1::session_request::What;
    let (running, over, request_id) = (running.to_owned(), over.to_owned(), request_id());
    let hex = v1::Hex { q: 3, r: 4 };
    let action = v1::unit_order::Action::Move(v1::Move { path: vec![hex; 3] });
    let order = v1::UnitOrder { unit: 1, action: Some(action), broadside: true, engagement: 1 };
    let work = v1::structure_order::Work::Build("ship".to_owned());
    let sheet = v1::OrderSheet {
        units: vec![order; 2],
        structures: vec![v1::StructureOrder { structure: 1, work: Some(work) }],
        concede: false,
    };
    let open = v1::SessionOpen { match_id: running.clone(), after: 0, views: true };
    let session = v1::SessionRequest { call: 1, what: Some(What::Open(open)), ..v1::SessionRequest::default() };
    let decisions = vec![v1::Decision { unit: 1, choice: 2 }];
    let settings = Some(bots_on(16, 7, 1));
    let fixed_secret = Bytes::from_static(&[7; 32]);
    let stage = v1::StageOrdersRequest {
        request_id: request_id.clone(),
        match_id: running.clone(),
        turn: 1,
        sheet: Some(sheet.clone()),
    };
    let lock =
        v1::LockInRequest { request_id: request_id.clone(), match_id: running.clone(), turn: 2, sheet: Some(sheet) };
    let join = v1::JoinMatchRequest {
        request_id: request_id.clone(),
        match_id: running.clone(),
        seat: Some(1),
        name: "Anna".to_owned(),
        added: fixed_secret.clone(),
    };
    let decide =
        v1::DecideRequest { request_id: request_id.clone(), match_id: running.clone(), turn: 1, tick: 1, decisions };
    let (start, leave) = (request_id.clone(), request_id.clone());
    vec![
        method("Lobby/CreateMatch", v1::CreateMatchRequest { request_id: request_id.clone(), settings, fixed_secret }),
        method("Lobby/ListMatches", v1::ListMatchesRequest { stage: 2, page_size: 9, page_token: "x".to_owned() }),
        method("Lobby/GetMatch", v1::GetMatchRequest { match_id: running.clone() }),
        method("Lobby/JoinMatch", join),
        method("Lobby/LeaveMatch", v1::LeaveMatchRequest { request_id: leave, match_id: running.clone() }),
        method("Lobby/StartMatch", v1::StartMatchRequest { request_id: start, match_id: running.clone() }),
        method("Lobby/ListHouseBots", v1::ListHouseBotsRequest {}),
        method("Play/StageOrders", stage),
        method("Play/LockIn", lock),
        method("Play/Decide", decide),
        method("Play/GetView", v1::GetViewRequest { match_id: running.clone() }),
        method("Play/Watch", v1::WatchRequest { match_id: over.clone(), after: 1, views: true }),
        method("Play/Session", session),
        method("Play/ListLegalOrders", v1::ListLegalOrdersRequest { match_id: running.clone() }),
        method("Play/PreviewPath", v1::PreviewPathRequest { match_id: running.clone(), unit: 1, target: Some(hex) }),
        method(
            "Play/PreviewCombat",
            v1::PreviewCombatRequest { match_id: running.clone(), first: 1, second: 2, rounds: 64, attacker: 3 },
        ),
        method("Play/Concede", v1::ConcedeRequest { request_id: request_id.clone(), match_id: over.clone() }),
        method("Archive/ListReplays", v1::ListReplaysRequest { page_size: 9, page_token: "x".to_owned() }),
        method("Archive/GetReplay", v1::GetReplayRequest { match_id: over.clone() }),
        method("Archive/GetTurns", v1::GetTurnsRequest { match_id: over.clone(), seat: Some(1), first: 1, count: 2 }),
        method("Archive/GetReceipts", v1::GetReceiptsRequest { match_id: running, first_turn: 0 }),
        method("Admin/Drain", v1::DrainRequest {}),
        method("Admin/GetStats", v1::GetStatsRequest {}),
        method("Admin/StopMatch", v1::StopMatchRequest { request_id, match_id: over, reason: "no".to_owned() }),
    ]
}

/// Numbers that a seed chooses.
struct Dice {
    seed: u64,
    rolled: u64,
}

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.rolled += 1;
        mixed(&[self.seed, self.rolled]) % below.max(1)
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.roll(256) as u8).collect()
    }
}

/// A message that nobody means, from good ones.
fn bend(dice: &mut Dice, good: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let place = dice.roll(bytes.len() as u64 + 1) as usize;
    match dice.roll(7) {
        0 => {
            let count = dice.roll(LONGEST);
            return dice.bytes(count);
        }
        1 => {
            for _ in 0..=dice.roll(4) {
                let place = dice.roll(bytes.len() as u64) as usize;
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << dice.roll(8);
                }
            }
        }
        2 => bytes.truncate(place),
        3 => bytes.extend(dice.bytes(9)),
        4 => drop(bytes.splice(place..place, other.iter().copied())),
        // A number that does not end, in the middle of something.
        5 => drop(bytes.splice(place..place, [0xff; 11])),
        // The same again and again: the last of many counts, and lists become long.
        _ => bytes = bytes.repeat(1 + dice.roll(30) as usize),
    }
    bytes
}

/// What is to be said of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    /// There is a message in it that cannot be read.
    Malformed,
    /// It can be read, and whatever is wrong with it has a name.
    Readable,
    /// gRPC itself does not allow it.
    Unframed,
}

/// A body of a call.
fn body(dice: &mut Dice, method: &Method, other: &Method) -> (Bytes, Sense) {
    let bytes = bend(dice, &method.good, &other.good);
    let sense = if (method.decodes)(&bytes) { Sense::Readable } else { Sense::Malformed };
    let mut framed = frame(&bytes).to_vec();
    match dice.roll(12) {
        // It says that it is compressed, or longer, or shorter, than it is; there are two; there is none.
        0 => framed[0] = dice.roll(256) as u8,
        1 => framed[1] = dice.roll(256) as u8,
        2 => framed[4] = dice.roll(256) as u8,
        3 => framed.extend(framed.clone()),
        4 => framed.clear(),
        _ => return (framed.into(), sense),
    }
    (framed.into(), Sense::Unframed)
}

/// What is wrong with an answer to such a message, if anything is.
fn fault(status: Option<i32>, sense: Sense, token: bool) -> Option<&'static str> {
    let Some(status) = status else { return Some("which is no status") };
    match Code::from(status) {
        Code::InvalidArgument => None,
        Code::Unauthenticated | Code::PermissionDenied if !token => None,
        _ if sense == Sense::Malformed => Some("and malformed, which is INVALID_ARGUMENT"),
        Code::Unknown | Code::DataLoss => Some("as if the server had a fault"),
        Code::Internal if sense == Sense::Readable => Some("as if the server had a fault"),
        _ => None,
    }
}

/// A match to bend requests about, that runs, and the token of a seat in it.
async fn seat(line: &Line) -> Option<(String, String)> {
    let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..bots_on(16, 7, 0) };
    let answer = line.call("Lobby/CreateMatch", "", creation(settings)).await.ok()?;
    let match_id = answer.message::<v1::CreateMatchResponse>()?.r#match?.match_id;
    let mut tokens = Vec::new();
    for seat in 0..2 {
        let (request_id, match_id) = (request_id(), match_id.clone());
        let join = v1::JoinMatchRequest { request_id, match_id, seat: Some(seat), ..v1::JoinMatchRequest::default() };
        let answer = line.call("Lobby/JoinMatch", "", framed(&join)).await.ok()?;
        tokens.push(answer.message::<v1::JoinMatchResponse>()?.player_token);
    }
    Some((match_id, tokens.swap_remove(0)))
}

/// Sends as many messages as it is told, or as there is time for. Faults are counted with the method that they are of.
pub async fn messages(aim: Aim, count: usize) -> Tally {
    let mut tally = Tally::default();
    let seat = match aim.line().await {
        Ok(line) => seat(&line).await,
        Err(_) => None,
    };
    let (Some((running, token)), Ok(over)) = (seat, large_match(&Aim { side: 16, ..aim }).await) else {
        tally.count("no match to ask for");
        return tally;
    };
    let (methods, mut sending) = (methods(&running, &over), JoinSet::new());
    for sender in 0..AT_ONCE {
        let (methods, token) = (methods.clone(), token.clone());
        let share = count / AT_ONCE + usize::from(sender < count % AT_ONCE);
        sending.spawn(send(aim, Dice { seed: mixed(&[aim.seed, sender as u64]), rolled: 0 }, methods, token, share));
    }
    Tally::sum(sending).await
}

/// Sends hostile messages for all the time that there is.
pub async fn all_the_time(aim: Aim) -> Tally {
    messages(aim, usize::MAX).await
}

async fn send(aim: Aim, mut dice: Dice, methods: Vec<Method>, token: String, count: usize) -> Tally {
    let mut tally = Tally::default();
    let mut line = None;
    for _ in 0..count {
        if aim.is_over() {
            break;
        }
        let method = &methods[dice.roll(methods.len() as u64) as usize];
        let other = &methods[dice.roll(methods.len() as u64) as usize];
        let (body, sense) = body(&mut dice, method, other);
        let token = if dice.roll(2) == 0 { token.as_str() } else { "" };
        if line.as_ref().is_none_or(Line::is_over) {
            line = aim.line().await.ok();
        }
        let Some(line) = &line else {
            tally.count("connections refused");
            continue;
        };
        let answer = match timeout(ANSWER_WITHIN, line.call(method.name, token, body)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => {
                tally.count(format!("fault: {} ended without an answer", method.name));
                continue;
            }
            // News that go on.
            Err(_) if matches!(method.name, "Play/Watch" | "Play/Session") => {
                tally.count("streams");
                continue;
            }
            Err(_) => {
                tally.count(format!("fault: {} is not answered", method.name));
                continue;
            }
        };
        match fault(answer.status, sense, !token.is_empty()) {
            Some(fault) => tally.count(format!("fault: {} is {}, {fault}", method.name, answer.name())),
            None => tally.count(answer.name()),
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::siege::Siege;
    use crate::common::number;

    /// For how many seconds messages are sent at most.
    const SECONDS: u64 = 600;

    /// The long form: `PARLEY_HOSTILE_MESSAGES` (20000) and `PARLEY_HOSTILE_SEED` (1).
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 30 seconds; .ci/run runs it"]
    async fn hostile_messages_are_refused_by_name() {
        let plenty = "1000000";
        let quotas =
            ["calls_per_second_per_address", "burst_per_address", "calls_per_second_per_token", "burst_per_token"];
        let mut flags = quotas.map(|name| (name, plenty)).to_vec();
        flags.push(("exempt_loopback", "true"));
        let mut siege = Siege::begin(&flags).await;
        let aim = Aim { seed: number("PARLEY_HOSTILE_SEED", 1), ..siege.aim(SECONDS) };
        let count = aim.of(number("PARLEY_HOSTILE_MESSAGES", 20_000) as usize);
        let tally = siege.attacked(aim, messages(aim, count)).await;
        let faults: Vec<String> = tally.names().filter(|name| name.starts_with("fault")).map(str::to_owned).collect();
        siege.expect(faults.is_empty(), || faults.join("\n  "));
        siege.expect(tally.all() == count as u64, || format!("{} of {count} messages were sent", tally.all()));
        siege.end("hostile messages", &tally);
    }
}
