//! Messages that nobody means: random bytes, and good requests that were bent, cut, joined and framed wrongly.

use std::time::Duration;

use crate::common::naval::{asking, recoded};
use bytes::Bytes;
use parley_bots::arms::Arms;
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1 as opaque;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use prost::Message;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tonic::Code;

use super::attack_run::Aim;
use super::unread::{bots_on, creation, large_match};
use super::wire::{Answer, FAULT, LATE, LET_GO, RawConnection, Tally, frame, framed, request_id};
use super::{Wave, wave};
use crate::common::script::mixed;

/// How many call at a time.
const AT_ONCE: usize = 16;
/// How long an answer may take. A stream of news that goes on is an answer too.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// The reason that is given to whoever calls too often.
const RATE_LIMITED: &str = "RATE_LIMITED";
/// The reason that is given where there is no room for another call.
const TOO_MUCH_IN_FLIGHT: &str = "TOO_MUCH_IN_FLIGHT";
/// The method whose messages are many.
const SESSION: &str = "Play/Session";
/// How long the longest of random messages is.
const LONGEST: u64 = 200;

/// A method of the API, and a good request for it. What decodes is what the service can read, which does not look into the
/// messages of games; a game refuses by name what it cannot read.
#[derive(Clone)]
struct Method {
    name: &'static str,
    good: Vec<u8>,
    decodes: fn(&[u8]) -> bool,
    /// What comes before the message that is bent, framed: nothing, or what opens a session.
    before: Bytes,
}

fn method<T: Message + Default>(name: &'static str, good: T) -> Method {
    let (good, decodes) = (good.encode_to_vec(), |bytes: &[u8]| T::decode(bytes).is_ok());
    Method { name, good, decodes, before: Bytes::new() }
}

/// A call within a session that is open.
fn in_session(open: &v1::SessionRequest, what: v1::session_request::What) -> Method {
    let call = v1::SessionRequest { call: 2, what: Some(what), ..v1::SessionRequest::default() };
    Method { before: framed(open), ..method(SESSION, recoded::<opaque::SessionRequest>(&call)) }
}

/// Every method of the API, and every call within a session. Requests are about a match that runs, but for what would
/// end it.
fn methods(running: &str, over: &str) -> Vec<Method> {
    use v1::session_request::What;
    let (running, over, request_id) = (running.to_owned(), over.to_owned(), request_id());
    let hex = common::Hex { q: 3, r: 4 };
    let action = plunder::unit_order::Action::Move(plunder::Move { path: vec![hex; 3] });
    let order = plunder::UnitOrder { unit: 1, action: Some(action), broadside: true, engagement: 1 };
    let work = plunder::structure_order::Work::Build("ship".to_owned());
    let sheet = plunder::Sheet {
        units: vec![order; 2],
        structures: vec![plunder::StructureOrder { structure: 1, work: Some(work) }],
        concede: false,
    };
    let open = v1::SessionOpen { match_id: running.clone(), views: true, ..Default::default() };
    let what = Some(What::Open(open.clone()));
    let session = v1::SessionRequest { call: 1, what, ..v1::SessionRequest::default() };
    let answers = vec![v1::Answer { question: 1, options: vec![1] }];
    let settings = Some(bots_on(16, 7, 1));
    let fixed_secret = Bytes::from_static(&[7; 32]);
    let create = v1::CreateMatchRequest { request_id: request_id.clone(), settings, fixed_secret };
    let view = v1::GetViewRequest { match_id: running.clone() };
    let options = asking(&running, Query::Options(plunder::OptionsQuery::default()));
    let path = asking(&running, Query::Path(plunder::PathQuery { unit: 1, target: Some(hex) }));
    let odds = plunder::OddsQuery { first: 1, second: 2, rounds: 64, attacker: 3 };
    let odds = asking(&running, Query::Odds(odds));
    // A session gives up the match that it has opened. Without an id of the request that is refused, and the match goes on.
    let give_up = v1::ConcedeRequest { request_id: String::new(), match_id: running.clone() };
    let concede = v1::ConcedeRequest { request_id: request_id.clone(), match_id: over.clone() };
    let stage = v1::StageOrdersRequest {
        request_id: request_id.clone(),
        match_id: running.clone(),
        turn: 1,
        sheet: Some(v1::Sheet::of_plunder(sheet.clone())),
    };
    let lock = v1::LockInRequest {
        request_id: request_id.clone(),
        match_id: running.clone(),
        turn: 2,
        sheet: Some(v1::Sheet::of_plunder(sheet)),
    };
    let join = v1::JoinMatchRequest {
        request_id: request_id.clone(),
        match_id: running.clone(),
        seat: Some(1),
        name: "Anna".to_owned(),
        added: create.fixed_secret.clone(),
    };
    let answer =
        v1::AnswerRequest { request_id: request_id.clone(), match_id: running.clone(), turn: 1, window: 1, answers };
    let (start, leave) = (request_id.clone(), request_id.clone());
    let within = [
        What::Open(open),
        What::StageOrders(stage.clone()),
        What::LockIn(lock.clone()),
        What::Answer(answer.clone()),
        What::GetView(view.clone()),
        What::Advise(options.clone()),
        What::Advise(path.clone()),
        What::Advise(odds.clone()),
        What::Concede(give_up),
        What::Close(v1::SessionClose {}),
    ];
    let within = within.map(|what| in_session(&session, what));
    let mut methods = vec![
        method("Lobby/CreateMatch", recoded::<opaque::CreateMatchRequest>(&create)),
        method("Lobby/ListMatches", v1::ListMatchesRequest { stage: 2, page_size: 9, page_token: "x".to_owned() }),
        method("Lobby/GetMatch", v1::GetMatchRequest { match_id: running.clone() }),
        method("Lobby/JoinMatch", join),
        method("Lobby/LeaveMatch", v1::LeaveMatchRequest { request_id: leave, match_id: running.clone() }),
        method("Lobby/StartMatch", v1::StartMatchRequest { request_id: start, match_id: running.clone() }),
        method("Lobby/ListHouseBots", v1::ListHouseBotsRequest::default()),
        method("Play/StageOrders", recoded::<opaque::StageOrdersRequest>(&stage)),
        method("Play/LockIn", recoded::<opaque::LockInRequest>(&lock)),
        method("Play/Answer", answer),
        method("Play/GetView", view),
        method("Play/Watch", v1::WatchRequest { match_id: over.clone(), after: 1, views: true, ..Default::default() }),
        method(SESSION, recoded::<opaque::SessionRequest>(&session)),
        method("Play/Advise", recoded::<opaque::AdviseRequest>(&options)),
        method("Play/Advise", recoded::<opaque::AdviseRequest>(&path)),
        method("Play/Advise", recoded::<opaque::AdviseRequest>(&odds)),
        method("Play/Concede", concede),
        method("Archive/ListReplays", v1::ListReplaysRequest { page_size: 9, page_token: "x".to_owned() }),
        method("Archive/GetReplay", v1::GetReplayRequest { match_id: over.clone() }),
        method("Archive/GetTurns", v1::GetTurnsRequest { match_id: over.clone(), seat: Some(1), first: 1, count: 2 }),
        method("Archive/GetReceipts", v1::GetReceiptsRequest { match_id: running, first_turn: 0 }),
        method("Admin/Drain", v1::DrainRequest {}),
        method("Admin/GetStats", v1::GetStatsRequest {}),
        method("Admin/StopMatch", v1::StopMatchRequest { request_id, match_id: over, reason: "no".to_owned() }),
        method(
            "Admin/InspectMatches",
            v1::InspectMatchesRequest { stage: 2, page_size: 9, page_token: "x".to_owned() },
        ),
    ];
    methods.extend(within);
    methods
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
        _ => return (joined(method, &framed), sense),
    }
    (joined(method, &framed), Sense::Unframed)
}

/// What comes before a message, and the message.
fn joined(method: &Method, framed: &[u8]) -> Bytes {
    [&method.before, framed].concat().into()
}

/// What is wrong with an answer to such a message, if anything is. Whoever calls too often, or calls while there is no room,
/// is told so before anything that they send is read.
fn fault(answer: &Answer, sense: Sense, token: bool) -> Option<&'static str> {
    let Some(status) = answer.status else { return Some("which is no status") };
    match Code::from(status) {
        Code::InvalidArgument => None,
        Code::ResourceExhausted if answer.reason == RATE_LIMITED || answer.reason == TOO_MUCH_IN_FLIGHT => None,
        Code::Unauthenticated | Code::PermissionDenied if !token => None,
        _ if sense == Sense::Malformed => Some("and malformed, which is INVALID_ARGUMENT"),
        Code::Unknown | Code::DataLoss => Some("as if the server had a fault"),
        Code::Internal if sense == Sense::Readable => Some("as if the server had a fault"),
        _ => None,
    }
}

/// A match to bend requests about, that runs, and the token of a seat in it.
async fn seat(connection: &RawConnection) -> Option<(String, String)> {
    let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..bots_on(16, 7, 0) };
    let answer = connection.call("Lobby/CreateMatch", "", creation(settings)).await.ok()?;
    let match_id = answer.message::<v1::CreateMatchResponse>()?.r#match?.match_id;
    let mut tokens = Vec::new();
    for seat in 0..2 {
        let (request_id, match_id) = (request_id(), match_id.clone());
        let join = v1::JoinMatchRequest { request_id, match_id, seat: Some(seat), ..v1::JoinMatchRequest::default() };
        let answer = connection.call("Lobby/JoinMatch", "", framed(&join)).await.ok()?;
        tokens.push(answer.message::<v1::JoinMatchResponse>()?.player_token);
    }
    Some((match_id, tokens.swap_remove(0)))
}

/// Makes matches to send messages about, and gives all methods with the token of a seat.
async fn prepared(aim: Aim) -> Result<(Vec<Method>, String), String> {
    let connection = aim.connect().await.map_err(|error| error.to_string())?;
    let (running, token) = seat(&connection).await.ok_or("there is no match to send messages about")?;
    let over = large_match(&Aim { side: 16, ..aim }).await?;
    Ok((methods(&running, &over), token))
}

/// Sends as many messages as it is told, or as there is time for. Faults are counted with the method that they are of.
async fn messages(aim: Aim, (methods, token): (Vec<Method>, String), count: usize) -> Tally {
    let mut sending = JoinSet::new();
    for sender in 0..AT_ONCE {
        let (methods, token) = (methods.clone(), token.clone());
        let share = count / AT_ONCE + usize::from(sender < count % AT_ONCE);
        sending.spawn(send(aim, Dice { seed: mixed(&[aim.seed, sender as u64]), rolled: 0 }, methods, token, share));
    }
    Tally::sum(sending).await
}

/// Sends hostile messages for all the time that there is.
pub async fn all_the_time(aim: Aim) -> Result<Wave, String> {
    let prepared = prepared(aim).await?;
    Ok(wave(move |aim| messages(aim, prepared.clone(), usize::MAX)))
}

async fn send(aim: Aim, mut dice: Dice, methods: Vec<Method>, token: String, count: usize) -> Tally {
    let mut tally = Tally::default();
    let mut connection = None;
    for _ in 0..count {
        if aim.is_over() {
            break;
        }
        let method = &methods[dice.roll(methods.len() as u64) as usize];
        let other = &methods[dice.roll(methods.len() as u64) as usize];
        let (body, sense) = body(&mut dice, method, other);
        let token = if dice.roll(2) == 0 { token.as_str() } else { "" };
        if connection.as_ref().is_none_or(RawConnection::is_over) {
            connection = aim.connect().await.ok();
        }
        let Some(connection) = &connection else {
            tally.count("connections refused");
            continue;
        };
        let answer = match timeout(ANSWER_WITHIN, connection.call(method.name, token, body)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => {
                tally.count(LET_GO);
                continue;
            }
            // News that go on.
            Err(_) if matches!(method.name, "Play/Watch" | SESSION) => {
                tally.count("streams");
                continue;
            }
            Err(_) => {
                tally.count(LATE);
                continue;
            }
        };
        match fault(&answer, sense, !token.is_empty()) {
            Some(fault) => {
                let (name, reason) = (answer.name(), &answer.reason);
                tally.count(format!("{FAULT}{} is {name} {reason}, {fault}", method.name));
            }
            None if answer.reason == RATE_LIMITED => tally.count(RATE_LIMITED),
            None if answer.reason == TOO_MUCH_IN_FLIGHT => tally.count(TOO_MUCH_IN_FLIGHT),
            None => tally.count(answer.name()),
        }
    }
    tally
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use prost_types::FileDescriptorSet;

    use super::*;
    use crate::attacks::attack_run::AttackRun;
    use crate::common::number;

    /// For how many seconds messages are sent at most.
    const SECONDS: u64 = 600;

    /// Whoever adds a method to the API, a call to sessions or a question about the game, adds it here as well.
    #[test]
    fn every_method_gets_hostile_messages() {
        let files = FileDescriptorSet::decode(parley_proto::DESCRIPTORS).expect("descriptors");
        let of = |package: &'static str| files.file.iter().filter(move |file| file.package() == package);
        let methods = methods("running", "over");
        let sent: BTreeSet<String> = methods.iter().map(|method| method.name.to_owned()).collect();
        let services = of("parley.v1").flat_map(|file| &file.service);
        let there = services
            .flat_map(|service| service.method.iter().map(|method| format!("{}/{}", service.name(), method.name())));
        assert_eq!(sent, there.collect());

        let choices = |package, name: &str| {
            let mut messages = of(package).flat_map(|file| &file.message_type);
            let message = messages.find(|message| message.name() == name).expect("a message");
            message.field.iter().filter(|field| field.oneof_index.is_some()).count()
        };
        // One call of sessions asks all the questions about the game.
        let calls = choices("parley.v1", "SessionRequest") - 1 + choices("parley.plunder.v1", "Query");
        assert_eq!(methods.iter().filter(|method| !method.before.is_empty()).count(), calls);
    }

    /// The long form: `PARLEY_HOSTILE_MESSAGES` (20000) and `PARLEY_HOSTILE_SEED` (1).
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 30 seconds; .ci/run runs it"]
    async fn hostile_messages_are_refused_by_name() {
        let plenty = "1000000";
        let quotas =
            ["calls_per_second_per_address", "burst_per_address", "calls_per_second_per_token", "burst_per_token"];
        let mut flags = quotas.map(|name| (name, plenty)).to_vec();
        flags.push(("exempt_loopback", "true"));
        let mut attack_run = AttackRun::begin(&flags).await;
        let aim = Aim { seed: number("PARLEY_HOSTILE_SEED", 1), ..attack_run.aim(SECONDS) };
        let count = aim.of(number("PARLEY_HOSTILE_MESSAGES", 20_000) as usize);
        let prepared = prepared(aim).await.expect("matches to send messages about");
        let tally = attack_run.attacked(aim, messages(aim, prepared, count)).await;
        let faults = tally.faults();
        attack_run.expect(faults.is_empty(), || faults.join("\n  "));
        let limited = tally.of(RATE_LIMITED);
        attack_run.expect(limited == 0, || {
            format!("{limited} messages were not looked at, although nobody called too often")
        });
        for what in [LATE, LET_GO, TOO_MUCH_IN_FLIGHT] {
            let count = tally.of(what);
            attack_run.expect(count == 0, || format!("{count} messages got no answer of their own: {what}"));
        }
        attack_run.expect(tally.all() == count as u64, || format!("{} of {count} messages were sent", tally.all()));
        attack_run.end("hostile messages", &tally);
    }
}
