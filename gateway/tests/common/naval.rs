//! The naval game in messages that all games share: settings of its matches, questions about it, and their bytes.
#![allow(dead_code, unreachable_pub, reason = "every test uses a part of it")]

use parley_bots::arms::Arms;
use parley_games::plunder::changes;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use prost::Message;

/// Settings of a match of the naval game, changed one by one.
pub trait Naval: Sized {
    /// What the match is created with.
    fn naval(&mut self) -> &mut plunder::Settings;

    /// With this map.
    fn with_map(mut self, source: Source) -> Self {
        self.naval().map = Some(plunder::MapChoice { source: Some(source) });
        self
    }

    /// With these changes to the rules, as JSON.
    fn with_changes(mut self, changes: impl AsRef<str>) -> Self {
        let changes = serde_json::from_str(changes.as_ref()).expect("JSON");
        self.naval().changes = Some(changes::said(&changes).expect("changes"));
        self
    }

    /// With fog or without it, whatever the rules say.
    fn with_fog(mut self, fog: bool) -> Self {
        self.naval().fog = Some(fog);
        self
    }
}

impl Naval for v1::MatchSettings {
    fn naval(&mut self) -> &mut plunder::Settings {
        let none = || v1::game_settings::Game::Plunder(plunder::Settings::default());
        let v1::game_settings::Game::Plunder(settings) =
            self.game.get_or_insert_default().game.get_or_insert_with(none);
        settings
    }
}

/// A question about the game.
pub fn asking(match_id: &str, query: Query) -> v1::AdviseRequest {
    let query = v1::Query::of_plunder(plunder::Query { query: Some(query) });
    v1::AdviseRequest { match_id: match_id.to_owned(), query: Some(query) }
}

/// What a question about the game is answered with.
pub fn advice(answer: v1::AdviseResponse) -> Advice {
    let advice = answer.advice.and_then(Arms::into_plunder).and_then(|advice| advice.advice);
    advice.expect("advice of the naval game")
}

/// The same message as another type, such as the one of the service, which has messages of games as bytes.
pub fn recoded<T: Message + Default>(message: &impl Message) -> T {
    T::decode(&*message.encode_to_vec()).expect("the same message")
}
