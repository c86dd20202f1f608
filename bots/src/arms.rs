//! Where messages of the naval game stand in those that all games share: each has an arm for every game.

use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

/// A message that all games share, with an arm for each of them.
pub trait Arms: Sized {
    /// What stands in the arm of the naval game.
    type Plunder;

    /// The message with this in the arm of the naval game.
    fn of_plunder(message: Self::Plunder) -> Self;

    /// What stands in the arm of the naval game; `None` where the message is of a game that is not known here.
    fn into_plunder(self) -> Option<Self::Plunder>;

    /// The same, left where it is.
    fn as_plunder(&self) -> Option<&Self::Plunder>;
}

macro_rules! arms {
    ($($message:ident $module:ident $plunder:ident),*) => {$(
        impl Arms for v1::$message {
            type Plunder = plunder::$plunder;

            fn of_plunder(message: Self::Plunder) -> Self {
                Self { game: Some(v1::$module::Game::Plunder(message)) }
            }

            fn into_plunder(self) -> Option<Self::Plunder> {
                self.game.map(|v1::$module::Game::Plunder(message)| message)
            }

            fn as_plunder(&self) -> Option<&Self::Plunder> {
                self.game.as_ref().map(|v1::$module::Game::Plunder(message)| message)
            }
        }
    )*};
}

arms! {
    Advice advice Advice,
    Changes changes Changes,
    GameSettings game_settings Settings,
    Query query Query,
    Sheet sheet Sheet,
    TurnNews turn_news TurnNews,
    View view View
}
