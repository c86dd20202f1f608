//! What the game brings so that its recorded matches can be played again.

use std::sync::Arc;

use parley_core::game::Outcome;
use parley_core::ids::PlayerId;
use parley_games::replay::account::Sentence;
use parley_games::replay::{Finding, RecordedRuleset};
use parley_games::sentences::Names;
use parley_proto::v1::ReplayHeader;

use crate::hosted::{lights, row};
use crate::ruleset::{Body, Event, Game, Lanterns, Lights, Row, Walk};
use crate::wire::{self, of_arm};

fn state(field: &'static str, bytes: &[u8]) -> Result<Lights, Finding> {
    lights(bytes).ok_or_else(|| Finding::new("match", field, "this is no state of lanterns"))
}

impl RecordedRuleset for Lanterns {
    fn opening(header: &ReplayHeader) -> Result<(Arc<Row>, Lights), Finding> {
        let rules = row(&header.rules).map_err(|error| Finding::new("header", "rules", error))?;
        Ok((Arc::new(rules), state("initial_state", &header.initial_state)?))
    }

    fn opening_under(rules: &Arc<Row>, _: &ReplayHeader, (_, first): (&Arc<Row>, &Lights)) -> Result<Lights, Finding> {
        let fits = first.burning.iter().all(|(_, at)| *at < rules.length);
        let finding = || Finding::new("header", "initial_state", "the other row is too short for it");
        fits.then(|| first.clone()).ok_or_else(finding)
    }

    fn players(state: &Lights) -> Vec<PlayerId> {
        state.burning.iter().map(|(player, _)| *player).collect()
    }

    fn recorded_sheet(
        _: &Row,
        player: PlayerId,
        sheet: Option<&[u8]>,
        conceded: bool,
    ) -> Result<(Walk, Vec<String>), String> {
        let said: Option<wire::Sheet> =
            sheet.map_or(Ok(None), of_arm).map_err(|error| format!("it is no sheet: {error}"))?;
        let said = match (said, sheet) {
            (Some(said), _) => said,
            (None, None) => wire::Sheet::default(),
            (None, Some(_)) => return Err("it is of another game".to_owned()),
        };
        Ok((Walk { player, step: said.step, gives_up: said.gives_up || conceded }, Vec::new()))
    }

    fn name_of(tile: &u32) -> String {
        format!("tile {tile}")
    }

    fn compare(_: (&Arc<Row>, &Lights), found: &Lights, recorded: &[u8], _: &Outcome<Self>) -> Result<(), Finding> {
        let recorded = state("state", recorded)?;
        let differs = found.burning.iter().find(|lantern| !recorded.burning.contains(lantern));
        match differs {
            Some((player, at)) => {
                let reason = format!("the turn leads to tile {at}, recorded is another");
                Err(Finding::new(format!("lantern {player}"), "tile", reason))
            }
            None if found == &recorded => Ok(()),
            None => Err(Finding::new("match", "state", "more lanterns are recorded than burn")),
        }
    }

    fn tell(_: &Game, names: &Names, outcome: &Outcome<Self>) -> (Vec<Sentence>, Vec<String>) {
        let name = |player: &PlayerId| names.get(&player.get().into()).cloned().unwrap_or_default();
        let told = |event: &Event| match &event.body {
            Body::Moved(player, at) => Some(format!("{} carried the lantern to tile {at}.", name(player))),
            Body::WentOut(player) => Some(format!("The lantern of {} went out.", name(player))),
            Body::Settled(_) => None,
        };
        (outcome.events.iter().filter_map(told).map(|text| Sentence::new(None, text)).collect(), Vec::new())
    }
}
