//! What a game says of itself so that its recorded matches can be played again, compared and told.

use std::sync::Arc;

use parley_core::game::{Game, Outcome, Ruleset};
use parley_core::ids::PlayerId;
use parley_proto::v1::ReplayHeader;

use super::Finding;
use super::account::Sentence;
use crate::sentences::Names;

/// A game whose recorded matches can be played again.
///
/// Nothing of a record is believed: whoever reads one checks it, and says in a finding what is wrong with it.
pub trait RecordedRuleset: Ruleset {
    /// The rules of a match and the state that its first turn was planned in, as its header says.
    fn opening(header: &ReplayHeader) -> Result<(Arc<Self::Rules>, Self::State), Finding>;

    /// The same first state under other rules, where the match could have begun with it under them.
    fn opening_under(
        rules: &Arc<Self::Rules>,
        header: &ReplayHeader,
        opening: (&Arc<Self::Rules>, &Self::State),
    ) -> Result<Self::State, Finding>;

    /// All players of a match, by number, those too who are eliminated.
    fn players(state: &Self::State) -> Vec<PlayerId>;

    /// The orders of a player in the encoded sheet of a record, or none where there is no sheet, and whether the player gave
    /// up beside them; with a sentence for each order that means nothing.
    fn recorded_sheet(
        rules: &Self::Rules,
        player: PlayerId,
        sheet: Option<&[u8]>,
        conceded: bool,
    ) -> Result<(Self::Sheet, Vec<String>), String>;

    /// What a question is about, in words such as `unit 7`.
    fn name_of(subject: &Self::Subject) -> String;

    /// Looks for what is not the same in the state that a turn led to and in the one that is recorded of it. Both are those of
    /// a match with this opening.
    fn compare(
        opening: (&Arc<Self::Rules>, &Self::State),
        found: &Self::State,
        recorded: &[u8],
        outcome: &Outcome<Self>,
    ) -> Result<(), Finding>;

    /// What happened in a turn, in order, and why orders fell short of what they asked, in sentences.
    fn tell(game: &Game<Self>, names: &Names, outcome: &Outcome<Self>) -> (Vec<Sentence>, Vec<String>);
}
