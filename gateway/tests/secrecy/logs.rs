//! What operators see: logs and numbers.

use std::io;
use std::sync::{LazyLock, Mutex};

use bytes::Bytes;
use parley_bots::arms::Arms;
use parley_gateway::http::install_metrics;
use parley_proto::opaque::v1::play_server::Play;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::Choice::Attack;
use parley_proto::v1;
use prost::Message;

use crate::naval::recoded;
use crate::orders::{Sheet, along, build, settings, sheet};
use crate::world::{SECRET, Viewer, World, bearer, in_stopped_time};
use crate::{A, B, C};

/// Everything that all tests of this file's program have logged: a log of one thread could miss what was first logged
/// by another.
static LINES: LazyLock<Mutex<Vec<u8>>> = LazyLock::new(|| {
    let subscriber =
        tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false).with_writer(|| Lines);
    tracing::subscriber::set_global_default(subscriber.finish()).expect("nobody else listens");
    Mutex::default()
});

/// Begins to keep what is logged.
pub fn listen() {
    LazyLock::force(&LINES);
}

struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything that must not be in a log, a metric or the text of an error.
fn secrets(world: &World, sheet: &Sheet) -> Vec<String> {
    let added: Vec<[u8; 32]> = (0..3).map(|seat| [seat; 32]).collect();
    let mut hasher = blake3::Hasher::new_keyed(&SECRET);
    for added in &added {
        hasher.update(added);
    }
    let seed = *hasher.finalize().as_bytes();
    let bytes = [SECRET.to_vec(), seed.to_vec(), sheet.encode_to_vec()];
    let mut secrets: Vec<String> = bytes.iter().map(|bytes| hex(&bytes[..16])).collect();
    secrets.extend(bytes.iter().map(|bytes| format!("{:?}", &bytes[..8]).trim_matches(['[', ']']).to_owned()));
    let printed = |bytes: &Vec<u8>| format!("{:?}", Bytes::copy_from_slice(&bytes[..8]));
    secrets.extend(bytes.iter().map(|bytes| printed(bytes).trim_matches(['b', '"']).to_owned()));
    secrets.extend(world.tokens.iter().chain([&world.host]).cloned());
    let words = ["v4.public", "a-secret-of-seat", "the-same-in-every-world", "call-0-", "sheet:", "Sheet {"];
    let more =
        ["UnitOrder", "Move", "path:", "Answer {", "options: [", "choice", "ATTACK", "Attack", "Fight", "engagement"];
    secrets.extend(words.into_iter().chain(more).map(str::to_owned));
    secrets
}

#[test]
fn no_secret_is_logged_counted_or_told_in_an_error() {
    let numbers = install_metrics();
    in_stopped_time(async {
        let mut world = World::begin(settings(3, true)).await;
        world.watching = vec![Viewer::Seat(A), Viewer::Seat(B), Viewer::Spectator];
        let fights = crate::engaging(along(2, 3, 4), plunder::Engagement::Fight);
        let orders = build(sheet(vec![along(1, 3, 6), fights]), 1);
        world.stage(A, orders.clone()).await;
        world.probe("planned").await;
        // A record that is lost takes the task of the match with it.
        world.journal.fail_next(1);
        let request = v1::LockInRequest {
            request_id: "call-0-lost".to_owned(),
            match_id: world.id.clone(),
            turn: 1,
            sheet: Some(v1::Sheet::of_plunder(orders.clone())),
        };
        let lost = world.service.lock_in(bearer(Some(&world.tokens[0]), recoded(&request))).await;
        assert_eq!(lost.expect_err("it is not durable").code(), tonic::Code::Unavailable);
        world.lock(A, orders.clone()).await;
        world.lock(C, sheet(vec![along(7, 8, 5)])).await;
        world.lock(B, Sheet::default()).await;
        world.probe("asked").await;
        assert!(world.answer(A, |_| Attack).await);
        assert!(world.answer(C, |_| Attack).await);
        world.probe("after the turn").await;

        let log = String::from_utf8(LINES.lock().expect("no panic").clone()).expect("text");
        let log: String = log.lines().filter(|line| line.contains(" parley_")).collect();
        assert!(log.contains("it is built again from the journal"), "the log is caught: {log}");
        assert!(log.contains(&world.id));
        let numbers = numbers.render();
        assert!(numbers.contains("parley_refusals_total"), "the numbers are caught");
        assert!(!numbers.contains(&world.id) && !numbers.contains("seat="), "numbers are of all matches");
        let refused = world.said.values().flatten().map(|(_, bytes)| bytes).filter(|bytes| !bytes.starts_with(b"ok"));
        let refused: Vec<_> = refused.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        assert!(refused.iter().any(|text| text.contains("ALREADY_LOCKED")));
        for secret in secrets(&world, &orders) {
            assert!(!log.contains(&secret), "{secret} is in the log: {log}");
            assert!(!numbers.contains(&secret), "{secret} is counted");
        }
        for secret in secrets(&world, &orders).iter().take(13) {
            assert!(!refused.iter().any(|text| text.contains(secret)), "{secret} is in an error");
        }
    });
}
