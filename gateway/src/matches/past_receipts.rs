//! The receipts of a match, made anew from its journal: a receipt that was given once can be had again.

use parley_core::digest::Digest;
use parley_games::receipt::{LEAVES, Promise};
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::opaque::v1;

use super::Matches;
use super::history::{Past, PastError, Since};
use crate::journal::MatchId;
use crate::match_state::ReplayError;
use crate::work::Customer;

/// How many receipts are given at once, beside those of the turn that is too many: clients take messages of up to 4 MiB,
/// and a receipt has less than 400 bytes.
const RECEIPTS: usize = 8192;

/// Collects what the receipts of a match promise, from its lock-ins.
struct ReceiptCollector {
    id: MatchId,
    /// The seat whose receipts are collected; `None` for all seats.
    of: Option<u8>,
    /// The first turn that is asked for.
    first: u32,
    /// The last receipt of each seat; nothing before the first piece of the match is looked at.
    last: Option<Vec<Digest>>,
    promises: Vec<Promise>,
    /// The turn that the next call goes on with, where there were too many for one.
    next: Option<u32>,
}

impl ReceiptCollector {
    fn note(&mut self, entry: Entry) -> Result<(), ReplayError> {
        let Some(What::Locked(locked)) = entry.what else { return Ok(()) };
        let last = self.last.as_mut().and_then(|last| last.get_mut(locked.seat as usize));
        let last = last.ok_or_else(|| ReplayError::new("orders for a seat that is not there"))?;
        let (turn, seat, sheet_hash) = (locked.turn, locked.seat as u8, Digest::of(&locked.sheet));
        let promise = Promise { match_id: self.id.0, turn, seat, sheet_hash, previous: *last };
        *last = promise.hash();
        if turn < self.first || self.of.is_some_and(|of| of != seat) {
            return Ok(());
        }
        let full = self.promises.len() >= RECEIPTS && self.promises.last().is_some_and(|last| last.turn < turn);
        if full {
            self.next = Some(turn);
        } else {
            self.promises.push(promise);
        }
        Ok(())
    }
}

/// The receipts of a match, of one seat or of all, by turn and seat: from a turn on, and as many as are given at once. Where
/// there are more, also the turn that they go on with.
pub async fn past_receipts(
    matches: &Matches,
    customer: Customer,
    id: MatchId,
    of: Option<u8>,
    first: u32,
) -> Result<(Vec<v1::Receipt>, Option<u32>), PastError> {
    let collector = ReceiptCollector { id, of, first, last: None, promises: Vec::new(), next: None };
    let collect = |past: &mut Past, collector: &mut ReceiptCollector| {
        collector.last.get_or_insert_with(|| past.match_state.seats.iter().map(|seat| seat.receipt).collect());
        past.each(collector, |collector, _| collector.next.is_none(), |collector, _, entry| collector.note(entry))
    };
    let since = Since::Turn(first);
    let collected = Past::with(matches, customer, id, since, collector, collect, |_, collector| collector).await?;
    let ReceiptCollector { mut promises, next, .. } = collected;
    promises.sort_by_key(|promise| (promise.turn, promise.seat));
    if promises.len() <= LEAVES {
        return Ok((matches.publisher.sign(&promises), next));
    }
    let signing = matches.clone();
    let signed = matches.work.run(customer, move || signing.publisher.sign(&promises)).await;
    Ok((signed.map_err(PastError::Refused)?, next))
}
