//! Contested tiles in tick 0 (R9).

use parley_core::ids::PlayerId;
use parley_core::path::Path;
use parley_core::question::Settled;

use crate::event::{Body, Cause, ContestEnd};
use crate::legality::Act;
use crate::state::Contest;

use super::Flow;
use super::combat::{self, Groups, Role};
use super::turn::{Turn, When};

/// Withdrawals, then every contest in `(q, r)` order.
pub(super) fn tick_zero(turn: &mut Turn, _: &[Settled]) -> Flow {
    if turn.state.contests.is_empty() {
        return Flow::Done;
    }
    let mut contests = std::mem::take(&mut turn.state.contests);
    for contest in &mut contests {
        withdraw(turn, contest);
    }
    contests.retain_mut(|contest| !settle(turn, contest));
    // Units that sank were still on the lists that this function had taken out.
    for contest in &mut contests {
        contest.contenders.retain(|id| turn.state.unit_index(*id).is_some_and(|index| turn.afloat(index)));
    }
    turn.state.contests = contests;
    Flow::Done
}

/// Contenders that were ordered to move leave the list, the others are bound for this turn (R9.2, R9.5).
fn withdraw(turn: &mut Turn, contest: &mut Contest) {
    contest.contenders.retain(|id| {
        let Some(index) = turn.state.unit_index(*id) else { return false };
        let stays = turn.marks[index].act != Act::Move;
        if stays {
            turn.marks[index].bound = true;
            if !turn.state.units[index].route.is_empty() {
                turn.fell_short(index, 0, Cause::Contending);
            }
        } else {
            turn.marks[index].contends = false;
            turn.tell(When::tick(0), Body::Withdrew { unit: *id, tile: contest.tile });
        }
        stays
    });
}

/// Fights a round where two owners are left, and says whether the contest is over (R9.3, R9.4).
fn settle(turn: &mut Turn, contest: &mut Contest) -> bool {
    let mut left: Vec<usize> = contest.contenders.iter().filter_map(|id| turn.state.unit_index(*id)).collect();
    let group = turn.begin_group();
    let fighting: Vec<PlayerId> = left.iter().map(|&index| turn.owner(index)).collect();
    if owners(turn, &left) > 1 && turn.afford(fighting.into_iter()) {
        let pairs = combat::enemy_pairs(turn, &left, |_, _| Role::Coin);
        combat::round(turn, 0, Groups::One(group), &pairs);
        contest.rounds = contest.rounds.saturating_add(1);
        left.retain(|&index| turn.afloat(index));
    }
    let limit = turn.rules.raw().contest_limit.get();
    let end = match owners(turn, &left) {
        0 => ContestEnd::Emptied,
        1 => ContestEnd::Claimed,
        _ if limit > 0 && contest.rounds >= limit => ContestEnd::Expired,
        _ => return false,
    };
    for &index in &left {
        turn.marks[index].contends = false;
        if end == ContestEnd::Claimed {
            turn.state.units[index].tile = contest.tile;
            // What was left of an earlier path began where the ship no longer is.
            turn.state.units[index].route = Path::EMPTY;
            turn.tell(When::group(0, group), Body::Moved { unit: turn.id(index), to: contest.tile });
        }
    }
    turn.tell(When::group(0, group), Body::ContestClosed { tile: contest.tile, end });
    true
}

fn owners(turn: &Turn, units: &[usize]) -> usize {
    let mut owners: Vec<_> = units.iter().map(|&index| turn.owner(index)).collect();
    owners.sort_unstable();
    owners.dedup();
    owners.len()
}
