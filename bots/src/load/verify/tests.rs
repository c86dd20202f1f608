use ed25519_dalek::{Signer, SigningKey};
use uuid::Uuid;

use super::super::plan::LoadPlan;
use super::super::seat::conceding;
use super::super::shuttle::Shuttle;
use super::*;
use parley_core::sight::Memory;
use parley_games::receipt::seal;
use parley_plunder::mapgen::generate;
use parley_plunder::start::opening;
use parley_plunder::view::{Viewer, snapshot};

const TURNS: u32 = 4;
const SECRET: [u8; 32] = [7; 32];

fn key() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

/// A match that was played, as its seats and its replay have it.
struct Match {
    rules: Arc<Rules>,
    finished: Finished,
    records: Vec<v1::ReplayRecord>,
}

/// A change that somebody might make to deceive.
type Change = fn(&mut Match);

fn record(record: Record) -> v1::ReplayRecord {
    v1::ReplayRecord { record: Some(record) }
}

fn played() -> Match {
    let plan = LoadPlan { players: 2, ..LoadPlan::default() };
    let rules = plan.rules().expect("rules");
    let made = generate(&rules, &plan.map(5)).expect("a map");
    let state = opening(&rules, Arc::new(made.map), &made.starts).expect("a state");
    let commitment = Seed::commitment(&SECRET);
    let match_id = Uuid::from_u128(77);
    let mut logs = Vec::new();
    for number in 0..2 {
        let player = PlayerId::new(number).expect("a player");
        let view = snapshot(&rules, &state, Viewer::Seat(player), &Memory::new(state.map().grid()));
        let shuttle = Shuttle::plan(&rules, &wire::view(&rules, &view)).expect("sheets");
        let sheets: [Bytes; 2] = [0, 1].map(|turn| shuttle.encoded(turn));
        let even = &sheets[TURNS as usize % 2];
        let last_sheet = if number > 0 { conceding(even) } else { even.clone() };
        let digest = Digest::of(&[]);
        logs.push(SeatLog { number: number as u32, sheets, last_sheet, receipts: Vec::new(), digest });
    }
    let header = v1::ReplayHeader {
        match_id: match_id.to_string(),
        rules: rules.to_json(),
        map: Some(map_of(&state)),
        initial_state: state.encode().into(),
        seed_commitment: commitment.as_bytes().to_vec().into(),
        seats: vec![v1::ReplaySeat::default(); 2],
        ..Default::default()
    };
    let mut records = vec![record(Record::Header(header))];
    let mut game = Game::new(Arc::clone(&rules), state, Seed::derive(&SECRET, &[]));
    let mut previous = [commitment; 2];
    for turn in 1..=TURNS {
        let mut sheets = Vec::new();
        for (log, previous) in logs.iter_mut().zip(&mut previous) {
            let sheet = if turn == TURNS { &log.last_sheet } else { &log.sheets[turn as usize % 2] }.clone();
            let seat = log.number as u8;
            let promise = Promise { match_id, turn, seat, sheet_hash: Digest::of(&sheet), previous: *previous };
            *previous = promise.hash();
            let receipt = seal(&[promise], &[turn as u8; 32], |bytes| key().sign(bytes).to_bytes()).remove(0);
            log.receipts.push(receipt.encode_to_vec().into());
            let origin = v1::SheetOrigin::Locked.into();
            sheets.push(v1::ReplaySheet { seat: log.number, origin, sheet, ..Default::default() });
        }
        lock(&mut game, &sheets).expect("legal");
        assert!(matches!(game.advance(&mut Workspace::new(), &[]), Ok(Step::Resolved(_))), "nobody meets");
        records.push(record(Record::Turn(v1::ReplayTurn {
            turn,
            sheets,
            state: game.state().encode().into(),
            digest: game.digest().as_bytes().to_vec().into(),
            ..Default::default()
        })));
    }
    let digest = game.digest();
    assert!(game.state().result().is_some(), "who concedes is out");
    logs.iter_mut().for_each(|log| log.digest = digest);
    let end = v1::ReplayEnd {
        secret: SECRET.to_vec().into(),
        final_digest: digest.as_bytes().to_vec().into(),
        ..Default::default()
    };
    records.push(record(Record::End(end)));
    let table = SeatedMatch { number: 0, match_id: match_id.to_string(), commitment, tokens: Vec::new() };
    Match { rules, finished: Finished { table, logs }, records }
}

fn map_of(state: &State) -> v1::ReplayMap {
    let grid = state.map().grid();
    let terrain: Vec<u8> = grid.tiles().map(|tile| state.map().terrain(tile) as u8).collect();
    v1::ReplayMap { width: grid.width(), height: grid.height(), wrap: grid.wrap(), terrain: terrain.into() }
}

fn turn(records: &mut [v1::ReplayRecord], number: usize) -> &mut v1::ReplayTurn {
    match &mut records[number].record {
        Some(Record::Turn(turn)) => turn,
        _ => panic!("a turn"),
    }
}

/// Changes a receipt that a seat holds.
fn change_receipt(played: &mut Match, change: fn(&mut v1::Receipt)) {
    let kept = &mut played.finished.logs[1].receipts[2];
    let mut receipt = v1::Receipt::decode(kept.as_ref()).expect("a receipt");
    change(&mut receipt);
    *kept = receipt.encode_to_vec().into();
}

#[test]
fn what_was_played_is_found_to_be_true() {
    let Match { rules, finished, records } = played();
    assert_eq!(check(&rules, &finished, &records), Ok(TURNS));
    let verified = signatures(&[Arc::new(finished)], key().verifying_key(), Verified::default());
    assert_eq!((verified.receipts, verified.failures), (2 * u64::from(TURNS), 0));
}

#[test]
fn whatever_was_changed_is_noticed() {
    let changes: [(&str, Change); 13] = [
        ("the replay is of another match", |m| m.finished.table.match_id = Uuid::nil().to_string()),
        ("the replay has other rules", |m| m.rules = Arc::new(Rules::plunder())),
        ("this is not the sheet that was locked in", |m| turn(&mut m.records, 2).sheets[0].sheet = Bytes::new()),
        ("turn 3: the resolver comes to", |m| turn(&mut m.records, 3).digest = vec![0; 32].into()),
        ("turn 3: the resolver comes to", |m| turn(&mut m.records, 3).state = Bytes::new()),
        ("turn 2: it is not the turn that was played", |m| turn(&mut m.records, 2).turn = 3),
        ("receipts for 3 turns", |m| drop(m.records.remove(2))),
        ("seat 1 was told another digest", |m| m.finished.logs[1].digest = Digest::of(&[1])),
        ("the receipt is for another sheet", |m| change_receipt(m, |r| r.sheet_hash = vec![0; 32].into())),
        ("the receipt does not follow", |m| change_receipt(m, |r| r.previous = vec![0; 32].into())),
        ("the receipt is for something else", |m| change_receipt(m, |r| r.turn += 1)),
        ("the secret is not the one", |m| {
            let Some(Some(Record::End(end))) = m.records.last_mut().map(|last| last.record.as_mut()) else { return };
            end.secret = vec![8; 32].into();
        }),
        ("seat 0 has 3 receipts for 4 turns", |m| {
            m.finished.logs[0].receipts.pop();
        }),
    ];
    for (sentence, change) in changes {
        let mut changed = played();
        change(&mut changed);
        let Match { rules, finished, records } = changed;
        let fault = check(&rules, &finished, &records).expect_err(sentence);
        assert!(fault.contains(sentence), "{fault:?} should say {sentence:?}");
    }
}

#[test]
fn a_receipt_that_is_not_signed_is_noticed() {
    let changes: [fn(&mut v1::Receipt); 3] =
        [|r| r.signature = vec![1; 64].into(), |r| r.leaf ^= 1, |r| r.path = Bytes::new()];
    for change in changes {
        let mut changed = played();
        change_receipt(&mut changed, change);
        let verified = signatures(&[Arc::new(changed.finished)], key().verifying_key(), Verified::default());
        assert_eq!((verified.receipts, verified.failures), (2 * u64::from(TURNS) - 1, 1));
        assert!(verified.faults[0].contains("turn 3, seat 1"), "{:?}", verified.faults);
    }
}
