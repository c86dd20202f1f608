//! What is settled when a match is created, and never changes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parley_bots::seat_player::GamePolicies;
use parley_core::dice::Seed;
use parley_core::digest::Digest;
use parley_games::hosted::{AnyGame, HostedSetup, SetupFault};
use parley_games::times;
use parley_proto::journal::v1::{Created, Settings};
use parley_proto::opaque::v1;

use crate::auth::WIDER_NETWORKS;
use crate::journal::MatchId;
use crate::limits::Limits;
use crate::refusal::{Reason, Refusal};
use crate::rulesets::Rulesets;
use crate::text;

/// The longest name of anything in rules, in characters.
const MAX_RULES_NAME: usize = 80;
/// The longest name of a match, in characters.
pub const MAX_MATCH_NAME: usize = 80;
/// The most turns that spectators can be behind.
pub const MAX_SPECTATOR_DELAY: u32 = 64;

/// The secret that the dice of a match come from. It is never printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MatchSecret(pub [u8; 32]);

impl fmt::Debug for MatchSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MatchSecret")
    }
}

/// What never changes in a match.
pub struct Setup {
    /// The id of the match.
    pub id: MatchId,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
    /// The settings that it was created with, with everything that was left open filled in.
    pub settings: Settings,
    /// The game of the match.
    pub ruleset: &'static dyn AnyGame,
    /// The policies that the house has for it.
    pub policies: Option<&'static dyn GamePolicies>,
    /// What the game of the match is pinned to: rules, which are shared with other matches that have the same, map, starts.
    pub game: Arc<dyn HostedSetup>,
    /// The secret that its dice come from.
    pub secret: MatchSecret,
    /// Whether its creator chose the secret.
    pub fixed_secret: bool,
    /// The published commitment to the secret (R13.4).
    pub commitment: Digest,
    /// The BLAKE3 hash of the request that created it.
    pub request: [u8; 32],
    /// When its host's token expires, in seconds since 1970.
    pub host_expires_at: u64,
    /// The address whose quota it counts against; `None` where it counts against nobody's.
    pub address: Option<CreatorKeys>,
    /// Whether an administrator asked for it.
    pub by_admin: bool,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup").field("id", &self.id).field("game", &self.game).finish_non_exhaustive()
    }
}

impl Setup {
    /// Who the match is counted for, where creators take turns or have a part each: the largest network that the creator's
    /// address is in; or only itself, where it counts against nobody.
    pub fn creator(&self) -> AddressKey {
        self.address.map_or(*self.id.0.as_bytes(), |keys| keys.widest())
    }
}

/// A hash of somebody's address under a key of the server.
pub type AddressKey = [u8; 16];

/// Whose quotas a match counts against, each under its [`AddressKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreatorKeys {
    /// The creator's address.
    pub address: AddressKey,
    /// The larger networks that it is in, where it is of IPv6; the largest comes last.
    pub networks: Option<[AddressKey; WIDER_NETWORKS.len()]>,
}

impl CreatorKeys {
    /// Reads what was written down: the address, and the networks one after the other.
    pub fn read(address: &[u8], networks: &[u8]) -> Option<Self> {
        let mut keys = [AddressKey::default(); WIDER_NETWORKS.len()];
        let whole = networks.len() == keys.as_flattened().len();
        if whole {
            keys.as_flattened_mut().copy_from_slice(networks);
        }
        Some(Self { address: address.try_into().ok()?, networks: whole.then_some(keys) })
    }

    /// The networks as they are written down.
    pub fn networks_written(&self) -> Bytes {
        self.networks.map(|networks| Bytes::copy_from_slice(networks.as_flattened())).unwrap_or_default()
    }

    /// The key of the largest network that the creator's address is in, or of the address itself.
    pub fn widest(&self) -> AddressKey {
        self.networks.as_ref().and_then(|networks| networks.last()).copied().unwrap_or(self.address)
    }
}

/// Why a record of a match makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReplayError(pub String);

impl ReplayError {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Setup {
    /// Reads the first record of a match.
    pub fn read(id: MatchId, created_ms: u64, created: Created, rulesets: &Rulesets) -> Result<Self, ReplayError> {
        let ruleset = rulesets.games.named(&created.ruleset).map_err(|error| ReplayError(error.to_string()))?;
        let rules = rulesets.rules(ruleset, &created.rules).map_err(ReplayError)?;
        let drawn = created.map.ok_or_else(|| ReplayError::new("a match without a map"))?;
        let game = ruleset.read(rules, &drawn).map_err(|fault| ReplayError(fault.text))?;
        let secret: [u8; 32] =
            created.secret.as_ref().try_into().map_err(|_| ReplayError::new("a secret of 32 bytes"))?;
        let settings = created.settings.ok_or_else(|| ReplayError::new("a match without settings"))?;
        if settings.seats.len() != game.players() {
            return Err(ReplayError::new("as many seats as starts"));
        }
        Ok(Self {
            id,
            created_ms,
            settings,
            ruleset,
            policies: rulesets.policies_of(ruleset),
            game,
            secret: MatchSecret(secret),
            fixed_secret: created.fixed_secret,
            commitment: Seed::commitment(&secret),
            request: created.request.as_ref().try_into().unwrap_or_default(),
            host_expires_at: created.expires_at,
            address: CreatorKeys::read(&created.address, &created.networks),
            by_admin: created.by_admin,
        })
    }

    /// The record that this was read from.
    pub fn to_created(&self) -> Created {
        Created {
            settings: Some(self.settings.clone()),
            rules: self.game.rules_text(),
            secret: self.secret.0.to_vec().into(),
            fixed_secret: self.fixed_secret,
            request: self.request.to_vec().into(),
            map: Some(self.game.drawn()),
            expires_at: self.host_expires_at,
            address: self.address.map(|keys| keys.address.to_vec().into()).unwrap_or_default(),
            by_admin: self.by_admin,
            networks: self.address.map(|keys| keys.networks_written()).unwrap_or_default(),
            ruleset: self.ruleset.name().to_owned(),
        }
    }

    /// What everybody may know of the settings.
    pub fn public_settings(&self) -> Settings {
        let game = self.settings.game.as_ref().map(|game| self.game.public_settings(game));
        Settings { game, ..self.settings.clone() }
    }

    /// How long a turn can be planned; `None` is without end.
    pub fn planning_ms(&self) -> Option<u64> {
        self.settings.planning_ms.filter(|&ms| ms > 0)
    }

    /// How long encounters wait for answers; `None` is without end.
    pub fn decision_ms(&self) -> Option<u64> {
        self.settings.decision_ms.filter(|&ms| ms > 0)
    }

    /// Whether only those with an invitation may join or watch.
    pub fn is_private(&self) -> bool {
        self.settings.visibility() == v1::Visibility::Private
    }
}

/// A match that somebody asks for, checked, with everything filled in that was left open.
pub fn plan(
    request: &v1::CreateMatchRequest,
    limits: &Limits,
    rulesets: &Rulesets,
    random: u64,
) -> Result<Created, Refusal> {
    let said = request.settings.clone().unwrap_or_default();
    text::check("settings.name", &said.name, MAX_MATCH_NAME)?;
    let ruleset = rulesets.games.of_message(said.game.as_deref().unwrap_or_default());
    let ruleset = ruleset.map_err(|error| Refusal::field("settings.game", error.to_string()))?;
    check_seats(&said, ruleset, rulesets.policies_of(ruleset))?;
    let mut settings = fill_in(said, ruleset, limits)?;
    let (game, filled_in) = ruleset.plan(settings.game.as_deref(), settings.seats.len(), random, limits.map_tiles)?;
    game.names().into_iter().try_for_each(|(field, name)| text::check(field, &name, MAX_RULES_NAME))?;
    settings.game = Some(filled_in);
    let (rules, map) = (game.rules_text(), Some(game.drawn()));
    let ruleset = ruleset.name().to_owned();
    Ok(Created { settings: Some(settings), ruleset, rules, map, ..Created::default() })
}

impl From<SetupFault> for Refusal {
    fn from(fault: SetupFault) -> Self {
        if fault.faults.is_empty() {
            Self::field(fault.field, fault.text)
        } else {
            Self::faulty(Reason::MapInvalid, fault.text, fault.faults)
        }
    }
}

fn check_seats(
    settings: &v1::MatchSettings,
    ruleset: &dyn AnyGame,
    policies: Option<&dyn GamePolicies>,
) -> Result<(), Refusal> {
    let most = ruleset.most_players();
    if settings.seats.is_empty() || settings.seats.len() > most {
        return Err(Refusal::field("settings.seats", format!("1 to {most} seats")));
    }
    let policies = policies.map_or(&[][..], |policies| policies.names());
    for (place, seat) in settings.seats.iter().enumerate() {
        if !seat.house_bot.is_empty() && !policies.contains(&seat.house_bot.as_str()) {
            let text = format!("no house bot has this policy; there are {}", policies.join(", "));
            return Err(Refusal::field(format!("settings.seats[{place}].house_bot"), text));
        }
    }
    Ok(())
}

/// The settings with everything filled in that was left open, but for those of the game.
fn fill_in(mut settings: v1::MatchSettings, ruleset: &dyn AnyGame, limits: &Limits) -> Result<Settings, Refusal> {
    if settings.name.is_empty() {
        settings.name = ruleset.match_name(settings.seats.len());
    }
    let time = |field: &str, said: Option<&prost_types::Duration>, otherwise: Duration| {
        let longest = limits.max_deadline.as_millis() as u64;
        let ms = said.map_or(Some(otherwise.as_millis() as u64), times::duration_ms);
        ms.filter(|&ms| ms <= longest).ok_or_else(|| {
            Refusal::field(field, format!("0 to {} seconds (max_deadline_days)", limits.max_deadline.as_secs()))
        })
    };
    let planning_ms = time("settings.planning_time", settings.planning_time.as_ref(), limits.planning)?;
    let decision_ms = time("settings.decision_time", settings.decision_time.as_ref(), limits.decision)?;
    if settings.spectator_delay_turns > MAX_SPECTATOR_DELAY {
        let text = format!("at most {MAX_SPECTATOR_DELAY} turns");
        return Err(Refusal::field("settings.spectator_delay_turns", text));
    }
    if v1::Visibility::try_from(settings.visibility).is_err() {
        return Err(Refusal::field("settings.visibility", "no such visibility"));
    }
    if v1::LockDisclosure::try_from(settings.lock_disclosure).is_err() {
        return Err(Refusal::field("settings.lock_disclosure", "no such disclosure"));
    }
    if settings.visibility() == v1::Visibility::Unspecified {
        settings.set_visibility(v1::Visibility::Public);
    }
    if settings.lock_disclosure() == v1::LockDisclosure::Unspecified {
        settings.set_lock_disclosure(v1::LockDisclosure::None);
    }
    Ok(Settings {
        name: settings.name,
        game: settings.game,
        seats: settings.seats,
        planning_ms: Some(planning_ms),
        decision_ms: Some(decision_ms),
        visibility: settings.visibility,
        lock_disclosure: settings.lock_disclosure,
        spectator_delay_turns: settings.spectator_delay_turns,
        start_when_full: settings.start_when_full,
    })
}
