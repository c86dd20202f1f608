//! Who is out, and whether the match is over (R12).

use parley_core::ids::PlayerId;
use parley_core::question::Settled;
use smallvec::SmallVec;

use crate::event::{Body, Event};
use crate::rules::Elimination;
use crate::state::MatchResult;

use super::Flow;
use super::turn::{Turn, When};

/// Eliminates players and finds the result.
pub(super) fn reckon(turn: &mut Turn, _: &[Settled]) -> Flow {
    let mut fallen = Vec::new();
    for index in 0..turn.state.players.len() {
        let player = turn.state.players[index].id;
        let conceded = turn.conceding.contains(&player);
        if turn.state.players[index].alive && (conceded || is_out(turn, player)) {
            eliminate(turn, index, conceded);
            fallen.push(player);
        }
    }
    turn.state.result = result(turn, fallen);
    if let Some(result) = turn.state.result.clone() {
        turn.tell(When::ANY_TIME, Body::Ended { result });
    }
    Flow::Done
}

fn is_out(turn: &Turn, player: PlayerId) -> bool {
    let no_ships = turn.fleets[usize::from(player.get())] == 0;
    match turn.rules.raw().elimination {
        Elimination::NoShips => no_ships,
        Elimination::NoShipsAndNoStructures => no_ships && turn.state.shipyards(player) == 0,
    }
}

/// Takes a player out: ships that are left are removed, structures become neutral and stop working.
fn eliminate(turn: &mut Turn, index: usize, conceded: bool) {
    let player = turn.state.players[index].id;
    turn.state.players[index].alive = false;
    for unit in 0..turn.state.units.len() {
        if turn.owner(unit) == player && turn.afloat(unit) {
            turn.remove(unit);
            turn.tell(When::ANY_TIME, Body::Removed { unit: turn.id(unit) });
        }
    }
    for structure in turn.state.structures.iter_mut().filter(|s| s.owner == Some(player)) {
        structure.owner = None;
        structure.queue.clear();
        turn.events.push(Event::new(None, 0, Body::Neutralised { structure: structure.id }));
    }
    turn.tell(When::ANY_TIME, Body::Eliminated { player, conceded });
}

/// R12.2: one player left wins, none left is a draw of those who fell together, and a turn limit counts.
fn result(turn: &Turn, fallen: Vec<PlayerId>) -> Option<MatchResult> {
    let alive: SmallVec<[_; 16]> = turn.state.players.iter().filter(|p| p.alive).collect();
    match alive[..] {
        [] => return Some(MatchResult::Draw(fallen)),
        [last] => return Some(MatchResult::Winner(last.id)),
        _ => {}
    }
    let limit = turn.rules.raw().turn_limit.get();
    if limit == 0 || turn.state.turn < limit {
        return None;
    }
    let standing = |id: PlayerId, gold: i64| (turn.fleets[usize::from(id.get())], gold);
    let best = alive.iter().map(|p| standing(p.id, p.gold)).max()?;
    let ahead: Vec<PlayerId> = alive.iter().filter(|p| standing(p.id, p.gold) == best).map(|p| p.id).collect();
    match ahead[..] {
        [winner] => Some(MatchResult::Winner(winner)),
        _ => Some(MatchResult::Draw(ahead)),
    }
}
