//! What an answer leads to, with exact odds (R7, R8).

use parley_core::ids::PlayerId;
use parley_games::plunder::sentences;
use parley_plunder::preview::{ShipOdds, Side, pairings, round};
use parley_proto::plunder::v1 as plunder;

use crate::terminal::board::Board;

/// The word of the option to let others pass in a passing.
pub(super) const PROCEED: &str = "proceed";
/// The word of the option to let others have the tile in an entry.
pub(super) const YIELD: &str = "yield";
/// The word of the option to fight.
pub(super) const ATTACK: &str = "attack";

/// What one answer leads to, if the others do something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prospect {
    /// The word of the option that it is about, such as `attack`.
    pub word: &'static str,
    /// What the others do, such as `they attack`.
    pub condition: &'static str,
    /// What happens then, in words.
    pub consequence: String,
}

/// The title of a question.
pub const fn title(kind: plunder::EncounterKind) -> &'static str {
    match kind {
        plunder::EncounterKind::Passing => "PASSING ENCOUNTER — choose: PROCEED or ATTACK",
        plunder::EncounterKind::Entry | plunder::EncounterKind::Unspecified => {
            "ENTRY ENCOUNTER — choose: YIELD or ATTACK"
        }
    }
}

/// What the answers of a ship lead to. Other own ships in the encounter are taken to answer alike.
pub(super) fn prospects(board: &Board, encounter: &plunder::Encounter, unit: u32) -> Vec<Prospect> {
    let own = encounter.participants.iter().find(|participant| participant.unit == unit);
    let Some(own) = own else { return Vec::new() };
    let fight = |mine: bool, theirs: bool| odds(board, encounter, own, mine, theirs);
    let holders: Vec<_> = encounter.participants.iter().filter(|participant| participant.holds).collect();
    let place = place(encounter);
    let prospect = |word, condition, consequence| Prospect { word, condition, consequence };
    if encounter.kind() == plunder::EncounterKind::Passing {
        return vec![
            prospect(PROCEED, "they proceed", "all cross and sail on".to_owned()),
            prospect(PROCEED, "they attack", format!("nobody crosses; {}", fight(false, true))),
            prospect(ATTACK, "they proceed", format!("nobody crosses; {}", fight(true, false))),
            prospect(ATTACK, "they attack", format!("nobody crosses; {}", fight(true, true))),
        ];
    }
    if own.holds {
        return vec![
            prospect(YIELD, "they yield", "nothing happens, you stay".to_owned()),
            prospect(
                YIELD,
                "they attack",
                format!("you give way, or without a free tile stand; {}", fight(false, true)),
            ),
            prospect(ATTACK, "they yield", "nothing happens, you stay".to_owned()),
            prospect(ATTACK, "they attack", format!("you stand; {}", fight(false, true))),
        ];
    }
    if holders.is_empty() {
        return vec![
            prospect(YIELD, "whatever they do", "you stay where you are and your path ends".to_owned()),
            prospect(ATTACK, "they yield", format!("you enter {place} and sail on")),
            prospect(ATTACK, "they attack", format!("{place} is contested; {}", fight(true, true))),
        ];
    }
    if holders.iter().any(|holder| holder.owner == own.owner) {
        return vec![
            prospect(YIELD, "they yield", "you stay where you are and your path ends".to_owned()),
            prospect(ATTACK, "they yield", format!("you join your ships at {place}")),
            prospect(ATTACK, "they attack", format!("nobody enters; {}", fight(true, true))),
        ];
    }
    vec![
        prospect(YIELD, "whatever they do", "you stay where you are and your path ends".to_owned()),
        prospect(ATTACK, "they yield", format!("they give way if they can, and you enter {place}")),
        prospect(ATTACK, "they stand", format!("nobody enters; {}", fight(true, false))),
    ]
}

/// The tile that an entry is about, in words.
fn place(encounter: &plunder::Encounter) -> String {
    match encounter.site.as_ref().and_then(|site| site.place.as_ref()) {
        Some(plunder::site::Place::Hex(hex)) => sentences::at(Some(hex)),
        _ => sentences::site(encounter.site.as_ref()),
    }
}

/// The odds of one round between this side and its enemies.
fn odds(
    board: &Board,
    encounter: &plunder::Encounter,
    own: &plunder::encounter::Participant,
    mine: bool,
    theirs: bool,
) -> String {
    let mut ships = Vec::new();
    let mut sides = Vec::new();
    let mut place = None;
    for participant in &encounter.participants {
        let Some(ship) = board.ship(participant.unit) else { continue };
        let Some(owner) = PlayerId::new(participant.owner.into()) else { continue };
        if participant.unit == own.unit {
            place = Some(ships.len());
        }
        ships.push(board.fighter(ship));
        // Entrants are the attackers of a standing holder, whatever it chose (R8.2).
        let attacks = if participant.owner == own.owner { mine } else { theirs };
        sides.push(Side { owner, attacks: attacks && !participant.holds });
    }
    let fates = round(&ships, &pairings(&sides));
    let (Some(place), Ok(fates)) = (place, fates) else { return "the odds are not known".to_owned() };
    let enemies: Vec<&ShipOdds> =
        fates.iter().zip(&sides).filter(|(_, side)| side.owner != sides[place].owner).map(|(fate, _)| fate).collect();
    let you = &fates[place];
    let loss: u32 = enemies.iter().map(|fate| fate.mean_loss_milli).sum();
    let them = match enemies[..] {
        [one] => format!("they {}, -{} hp", percent(one.sinks_ppm), tenths(loss)),
        _ => format!("they lose {} hp", tenths(loss)),
    };
    format!("you sink {}, -{} hp; {them}", percent(you.sinks_ppm), tenths(you.mean_loss_milli))
}

fn percent(ppm: u32) -> String {
    let tenths = (ppm + 500) / 1_000;
    format!("{}.{}%", tenths / 10, tenths % 10)
}

fn tenths(milli: u32) -> String {
    let tenths = (milli + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}
