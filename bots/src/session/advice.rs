//! Questions about the naval game, asked in a session.

use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;

use super::{CallError, Session, SessionError};
use crate::arms::Arms;

/// Takes the one kind of advice that a question can have.
macro_rules! expect {
    ($advice:expr, $kind:ident, $asked:literal) => {
        match $advice {
            Some(Advice::$kind(advice)) => Ok(advice),
            _ => Err(CallError::Session(SessionError::UnexpectedAnswer { asked: $asked })),
        }
    };
}

impl Session {
    /// Everything that could be ordered now, however many answers that takes. Where a turn ends in between, all of it is
    /// asked for again.
    pub async fn options(&mut self) -> Result<plunder::Options, CallError> {
        let mut all = plunder::Options::default();
        let mut query = plunder::OptionsQuery::default();
        loop {
            let told: plunder::Options = expect!(self.ask(Query::Options(query)).await?, Options, "options")?;
            let is_first = query == plunder::OptionsQuery::default();
            if !is_first && told.turn != all.turn {
                query = plunder::OptionsQuery::default();
                continue;
            }
            query.first_unit = told.next_unit;
            query.first_structure = told.next_structure;
            if is_first {
                all = told;
            } else {
                all.units.extend(told.units);
                all.structures.extend(told.structures);
            }
            if query == plunder::OptionsQuery::default() {
                return Ok(plunder::Options { next_unit: 0, next_structure: 0, ..all });
            }
        }
    }

    /// The way of a unit to a hex.
    pub async fn path(&mut self, unit: u32, target: common::Hex) -> Result<plunder::Course, CallError> {
        let query = plunder::PathQuery { unit, target: Some(target) };
        expect!(self.ask(Query::Path(query)).await?, Path, "a way")
    }

    /// The odds of a fight.
    pub async fn odds(&mut self, query: plunder::OddsQuery) -> Result<plunder::CombatOdds, CallError> {
        expect!(self.ask(Query::Odds(query)).await?, Odds, "odds")
    }

    async fn ask(&mut self, query: Query) -> Result<Option<Advice>, CallError> {
        let query = v1::Query::of_plunder(plunder::Query { query: Some(query) });
        Ok(self.advise(query).await?.into_plunder().and_then(|advice| advice.advice))
    }
}
