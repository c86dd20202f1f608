//! An owner whose time stops, and goes on when somebody else is the owner, writes nothing any more.
//!
//! The same is played with gateways that have a bug, to see that the checks would find it.

use std::sync::Arc;
use std::time::Duration;

use parley_bots::arms::Arms;
use parley_proto::journal::v1::Appended;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;
use prost::Message;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tonic::{Code, Status};

use crate::common::caller::{Caller, Experience};
use crate::common::player::{Pace, Seated, lock_in, promise};
use crate::common::process::lazy;
use crate::common::{Client, bearer, endless};
use crate::gateways::{Cluster, Environment, LEASE, MANNERS};
use crate::journal::{Acknowledged, check_inputs, check_order, takeovers};
use crate::state::{self, key_of};

/// Makes a gateway write without looking whether it is still the owner. Only builds for tests know it.
const UNFENCED: Environment = &[("PARLEY_TEST_UNFENCED", "1")];
/// How long a call may take from here into the socket of a gateway.
const ON_ITS_WAY: Duration = Duration::from_millis(500);
/// How often the planted bug is given the chance to do harm.
const CHANCES: usize = 6;
/// How long a call may take that has come late.
const LATE_WITHIN: Duration = Duration::from_secs(30);
/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// A lock-in that is on its way.
type Late = JoinHandle<Result<v1::LockInResponse, Status>>;

/// A match of two whose orders are acknowledged.
struct Scene {
    seated: Seated,
    acknowledged: Acknowledged,
}

impl Scene {
    /// What a seat that does nothing locks in.
    fn request(&self, seat: usize, turn: u32) -> v1::LockInRequest {
        v1::LockInRequest {
            request_id: format!("lock-{turn}-of-seat-{seat}"),
            match_id: self.seated.id(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(plunder::Sheet::default())),
        }
    }

    /// Plays a turn; gives the first seat's answer.
    async fn turn(&mut self, caller: &mut Caller, turn: u32) -> v1::LockInResponse {
        let mut answers = Vec::new();
        for seat in 0..2 {
            let request = self.request(seat, turn);
            answers.push(lock_in(caller, self.seated.token(seat), &request).await);
            let sheet = request.sheet.unwrap_or_default().encode_to_vec();
            self.acknowledged.locks.insert((turn, seat as u32), sheet);
        }
        answers.swap_remove(0)
    }

    /// Other orders of the second seat: one of its ships holds.
    async fn others(&self, client: &mut Client) -> v1::LockInRequest {
        let look = v1::GetViewRequest { match_id: self.seated.id() };
        let answer = client.play.get_view(bearer(self.seated.token(1), look)).await.expect("a view").into_inner();
        let view = answer.view.and_then(Arms::into_plunder).expect("the match has begun");
        let unit = view.units.iter().find(|unit| unit.owner == 1).expect("a ship").id;
        let hold =
            plunder::UnitOrder { unit, action: Some(Action::Hold(plunder::Hold {})), ..plunder::UnitOrder::default() };
        let sheet = plunder::Sheet { units: vec![hold], ..plunder::Sheet::default() };
        v1::LockInRequest {
            request_id: "other-orders".to_owned(),
            sheet: Some(v1::Sheet::of_plunder(sheet)),
            ..self.request(1, 1)
        }
    }

    fn send(&self, client: &Client, seat: usize, request: v1::LockInRequest) -> Late {
        let (mut client, request) = (client.clone(), bearer(self.seated.token(seat), request));
        tokio::spawn(async move { client.play.lock_in(request).await.map(tonic::Response::into_inner) })
    }
}

/// What came of pausing the owner of a match.
struct Aftermath {
    id: String,
    journal: Vec<Appended>,
    acknowledged: Acknowledged,
    /// What the first seat was answered when it was the new owner's turn to answer.
    first: v1::LockInResponse,
    /// What the old owner answered, to the same request and to the other seat's other orders.
    late: [Result<v1::LockInResponse, Status>; 2],
}

/// Stops the time of a match's owner with two lock-ins in its socket, and lets it go on when another owner has resolved
/// that turn and the next. Gateways that are good go on with the match.
async fn pause_the_owner(environment: Environment, good: bool) -> Aftermath {
    let cluster = Cluster::start(environment, LEASE).await;
    let context = cluster.nats.jetstream().await;
    let experience = Arc::new(Experience::default());
    let mut caller = cluster.caller(&experience, 1);
    let seated = Seated::found(&mut caller, 1, endless(3)).await;
    let id = seated.id();
    let mut scene = Scene { seated, acknowledged: Acknowledged::default() };

    let number = cluster.owner(&context, &id).await;
    let owner = &cluster.gateways[number];
    // Connected before the owner is paused, which could not answer to that.
    let mut client = lazy(owner.address());
    let others = scene.others(&mut client).await;
    owner.pause();
    let late = [scene.send(&client, 0, scene.request(0, 1)), scene.send(&client, 1, others)];
    sleep(ON_ITS_WAY).await;

    let survivors = cluster.others(number);
    let mut survivor = Caller::new(&survivors, MANNERS, &experience, 2);
    let first = scene.turn(&mut survivor, 1).await;
    scene.turn(&mut survivor, 2).await;
    owner.resume();
    let [same, other] = late.map(|late| timeout(LATE_WITHIN, late));
    let answered = "an answer at last";
    let late = [same.await.expect(answered).expect("no panic"), other.await.expect(answered).expect("no panic")];
    if good {
        owner.is_known(&context).await;
        scene.turn(&mut caller, 3).await;
    }

    let journal = state::journals(&context).await.remove(&key_of(&id)).expect("the match was written");
    Aftermath { id, journal, acknowledged: scene.acknowledged, first, late }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn an_owner_that_was_paused_writes_nothing() {
    let playing = pause_the_owner(&[], true);
    let Aftermath { id, journal, acknowledged, first, late } = timeout(PATIENCE, playing).await.expect("it hangs");
    check_order(&id, &journal).expect("one server after the other wrote");
    check_inputs(&id, &journal, &acknowledged, Pace::Endless).expect("what was acknowledged was written");
    assert!(takeovers(&journal) > 0, "nobody took the match over, which proves nothing");
    let [same, other] = late;
    match same {
        Ok(answer) => assert_eq!(promise(&answer), promise(&first), "another promise for the same request"),
        Err(status) => assert_eq!(status.code(), Code::Unavailable, "{status:?}"),
    }
    // The new owner, if it was asked, says that the turn is over.
    let refused = other.expect_err("the seat had locked in otherwise");
    assert!([Code::Unavailable, Code::FailedPrecondition].contains(&refused.code()), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn an_owner_that_writes_without_looking_is_found() {
    // The owner that wakes up may hear that it has lost the match before it takes up what waits for it, and then the
    // bug does nothing. So it gets some chances.
    for chance in 1..=CHANCES {
        let playing = pause_the_owner(UNFENCED, false);
        let Aftermath { id, journal, acknowledged, late, .. } = timeout(PATIENCE, playing).await.expect("it hangs");
        eprintln!("late answers of the planted bug: {:?}", late.map(|answer| answer.map(|_| "acknowledged")));
        let Err(found) = check_order(&id, &journal) else {
            assert!(chance < CHANCES, "two servers wrote, and nobody noticed");
            continue;
        };
        eprintln!("found: {found}");
        let found = check_inputs(&id, &journal, &acknowledged, Pace::Endless)
            .expect_err("what nobody was to acknowledge was written");
        eprintln!("found: {found}");
        return;
    }
}
