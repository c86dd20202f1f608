//! What the operator may set.
//!
//! There is one table of settings (`settings`); the struct, the flags, the variables of the environment, the keys of
//! the file, the ranges and the documented table all come from it. In rising precedence: defaults, the file, the
//! environment, flags.

mod arguments;
mod check;
mod environment;
mod layers;
mod print;
mod settings;
mod value;

#[cfg(test)]
mod tests;

use std::num::NonZeroU32;
use std::time::Duration;

pub use arguments::ConfigArguments;
pub use environment::unknown_variables;
pub use layers::{ConfigError, Loaded, Source};
pub use print::table_markdown;
pub use settings::Config;
pub use value::{ByteSize, HostNames, HostPort, LogFormat, Name, Ratio, Secret, Servers, Store, Url};

use crate::auth::{GateLimits, Rate, RatePerMinute};
use crate::http::BudgetLimits;
use crate::memory::{self, Shares};

impl Config {
    /// How often callers may call.
    pub fn gate_limits(&self) -> GateLimits {
        GateLimits {
            per_token: rate(self.calls_per_second_per_token, self.burst_per_token),
            per_address: rate(self.calls_per_second_per_address, self.burst_per_address),
            creations_per_address: RatePerMinute {
                per_minute: at_least_one(self.creations_per_minute_per_address),
                burst: at_least_one(self.creation_burst_per_address),
            },
        }
    }

    /// How much memory the service keeps to, in bytes.
    pub fn memory_budget(&self) -> u64 {
        self.memory_budget.map_or_else(memory::default_budget, |size| size.0)
    }

    /// How many bytes may be in flight.
    pub fn budget_limits(&self) -> BudgetLimits {
        let said = |size: Option<ByteSize>, otherwise: usize| size.map_or(otherwise, |size| size.0 as usize);
        let total = said(self.max_bytes_in_flight, Shares::of(self.memory_budget()).in_flight);
        BudgetLimits {
            total,
            per_address: said(self.max_bytes_in_flight_per_address, total / 4),
            per_connection: said(self.max_bytes_in_flight_per_connection, total / 16),
            unread: Duration::from_secs(self.unread_seconds),
        }
    }

    /// How long players plan where a match does not say; none means for ever.
    pub fn planning(&self) -> Option<Duration> {
        (self.planning_seconds > 0).then(|| Duration::from_secs(self.planning_seconds))
    }

    /// The longest deadline that a match may ask for.
    pub fn max_deadline(&self) -> Duration {
        Duration::from_secs(self.max_deadline_days * 24 * 60 * 60)
    }

    /// How long a token is good.
    pub fn token_lifetime(&self) -> Duration {
        Duration::from_secs(self.token_lifetime_hours * 60 * 60)
    }
}

fn rate(per_second: u32, burst: u32) -> Rate {
    Rate { per_second: at_least_one(per_second), burst: at_least_one(burst) }
}

fn at_least_one(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}
