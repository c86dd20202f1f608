//! The result of a scenario as JSON.

use parley_core::grid::{Grid, Tile};
use serde::Serialize;

use crate::event::{Body, Cause, ContestEnd, EncounterKind, Event, GoldReason, Shortfall, Site, Subject};
use crate::explain::explain;
use crate::ids::ClassId;
use crate::order::Choice;
use crate::rules::Rules;
use crate::state::{Engagement, MatchResult, State};

use super::Resolved;
use super::text::{ChoiceJson, EngagementJson};

pub(super) fn json(resolved: &Resolved) -> String {
    let state = resolved.game.state();
    let grid = *state.map().grid();
    let teller = Teller { grid, rules: resolved.game.rules() };
    let mut events: Vec<EventJson<'_>> = resolved.outcome.events.iter().map(|event| teller.event(event)).collect();
    events.extend(resolved.outcome.shortfalls.iter().map(|shortfall| teller.shortfall(shortfall)));
    events.extend(resolved.unused.iter().map(|&(tick, unit, choice)| EventJson::UnusedDecision {
        tick,
        unit: unit.get(),
        choice: choice_json(choice),
    }));
    let account = AccountJson { events, state: teller.state(state), digest: resolved.game.digest().to_string() };
    // Serialising plain structs with string keys cannot fail.
    serde_json::to_string(&account).unwrap_or_default()
}

type Place = [i32; 2];

#[derive(Serialize)]
struct AccountJson<'a> {
    events: Vec<EventJson<'a>>,
    state: StateJson<'a>,
    digest: String,
}

#[derive(Serialize)]
struct StateJson<'a> {
    turn: u32,
    players: Vec<PlayerJson>,
    units: Vec<UnitJson<'a>>,
    structures: Vec<StructureJson<'a>>,
    contests: Vec<ContestJson>,
    result: Option<ResultJson>,
}

#[derive(Serialize)]
struct PlayerJson {
    id: u8,
    gold: i64,
    alive: bool,
}

#[derive(Serialize)]
struct UnitJson<'a> {
    id: u32,
    class: &'a str,
    owner: u8,
    q: i32,
    r: i32,
    hp: u16,
    sails: u8,
    cannons: u8,
    hull: u8,
    engagement: EngagementJson,
    route: Vec<Place>,
}

#[derive(Serialize)]
struct StructureJson<'a> {
    id: u32,
    owner: Option<u8>,
    q: i32,
    r: i32,
    hp: u16,
    queue: Vec<JobJson<'a>>,
}

#[derive(Serialize)]
struct JobJson<'a> {
    class: &'a str,
    turns_left: u8,
}

#[derive(Serialize)]
struct ContestJson {
    q: i32,
    r: i32,
    since: u32,
    rounds: u32,
    contenders: Vec<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ResultJson {
    Winner(u8),
    Draw(Vec<u8>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum SiteJson {
    Tile(Place),
    Edge([Place; 2]),
}

/// The unit or structure that an event is about, as a key of its own.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum SubjectJson {
    Unit(u32),
    Structure(u32),
}

/// A cause in stable words and numbers.
#[derive(Serialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
enum CauseJson {
    Contested { at: Place },
    ClosedHarbor { by: u32 },
    WaitedFor { by: u32 },
    WaitedForPassing { by: u32 },
    Halted { kind: &'static str, at: SiteJson, chose: ChoiceJson },
    NoRoomToCross { by: u32 },
    Sunk,
    Contending,
    Unpaid { cost: u32, gold: i64 },
    FleetFull,
    ShipyardsFull,
    HarborTaken,
    OutOfReach,
    NoTarget,
    FoughtAlready,
    BroadsidesOff,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum EventJson<'a> {
    Gold {
        player: u8,
        change: i64,
        reason: &'static str,
        balance: i64,
    },
    Deployed {
        unit: u32,
        structure: u32,
        at: Place,
    },
    Queued {
        structure: u32,
        class: &'a str,
    },
    Cancelled {
        structure: u32,
        class: &'a str,
    },
    Repaired {
        unit: u32,
        hp: u16,
    },
    Upgraded {
        unit: u32,
        upgrade: &'static str,
    },
    Skipped {
        #[serde(flatten)]
        subject: SubjectJson,
        #[serde(flatten)]
        cause: CauseJson,
    },
    Withdrew {
        tick: u8,
        unit: u32,
        from: Place,
    },
    Moved {
        tick: u8,
        unit: u32,
        to: Place,
    },
    Waited {
        tick: u8,
        unit: u32,
        #[serde(flatten)]
        cause: CauseJson,
    },
    Blocked {
        tick: u8,
        unit: u32,
        #[serde(flatten)]
        cause: CauseJson,
    },
    Encounter {
        tick: u8,
        kind: &'static str,
        at: SiteJson,
        units: Vec<u32>,
    },
    Decided {
        tick: u8,
        unit: u32,
        choice: ChoiceJson,
        defaulted: bool,
    },
    Exchange {
        tick: u8,
        attacker: u32,
        defender: u32,
        attacker_dice: [u8; 3],
        defender_dice: [u8; 2],
        attacker_loses: u16,
        defender_loses: u16,
    },
    Sunk {
        tick: u8,
        unit: u32,
    },
    GaveWay {
        tick: u8,
        unit: u32,
        to: Place,
    },
    ContestOpened {
        tick: u8,
        q: i32,
        r: i32,
        contenders: Vec<u32>,
    },
    ContestClosed {
        q: i32,
        r: i32,
        reason: &'static str,
    },
    Bombarded {
        unit: u32,
        structure: u32,
        damage: u16,
    },
    Captured {
        structure: u32,
        from: Option<u8>,
        by: u8,
    },
    Spawned {
        unit: u32,
        owner: u8,
        class: &'a str,
        structure: u32,
        at: Place,
    },
    SpawnDelayed {
        structure: u32,
    },
    Removed {
        unit: u32,
    },
    Eliminated {
        player: u8,
        conceded: bool,
    },
    Neutralised {
        structure: u32,
    },
    Ended {
        result: ResultJson,
    },
    FellShort {
        #[serde(flatten)]
        subject: SubjectJson,
        #[serde(skip_serializing_if = "Option::is_none")]
        tick: Option<u8>,
        #[serde(flatten)]
        cause: CauseJson,
        text: String,
    },
    UnusedDecision {
        tick: u8,
        unit: u32,
        choice: ChoiceJson,
    },
}

/// Writes events and states as JSON, with the names of places and classes.
struct Teller<'a> {
    grid: Grid,
    rules: &'a Rules,
}

impl<'a> Teller<'a> {
    fn place(&self, tile: Tile) -> Place {
        let hex = self.grid.hex(tile);
        [hex.q, hex.r]
    }

    fn site(&self, site: Site) -> SiteJson {
        match site {
            Site::Tile(tile) => SiteJson::Tile(self.place(tile)),
            Site::Edge(a, b) => SiteJson::Edge([self.place(a), self.place(b)]),
        }
    }

    fn class(&self, class: ClassId) -> &'a str {
        &self.rules.class(class).key
    }

    fn event(&self, event: &Event) -> EventJson<'a> {
        let tick = event.tick.unwrap_or(0);
        match event.body {
            Body::Gold { player, change, reason, balance } => {
                EventJson::Gold { player: player.get(), change, reason: reason_key(reason), balance }
            }
            Body::Deployed { unit, structure, tile } => {
                EventJson::Deployed { unit: unit.get(), structure: structure.get(), at: self.place(tile) }
            }
            Body::Queued { structure, class } => {
                EventJson::Queued { structure: structure.get(), class: self.class(class) }
            }
            Body::Cancelled { structure, class, .. } => {
                EventJson::Cancelled { structure: structure.get(), class: self.class(class) }
            }
            Body::Repaired { unit, hp } => EventJson::Repaired { unit: unit.get(), hp },
            Body::Upgraded { unit, upgrade } => EventJson::Upgraded { unit: unit.get(), upgrade: upgrade.key() },
            Body::Skipped { subject, cause } => {
                EventJson::Skipped { subject: subject_json(subject), cause: self.cause(cause) }
            }
            Body::Withdrew { unit, tile } => EventJson::Withdrew { tick, unit: unit.get(), from: self.place(tile) },
            Body::Moved { unit, to } => EventJson::Moved { tick, unit: unit.get(), to: self.place(to) },
            Body::Waited { unit, cause } => EventJson::Waited { tick, unit: unit.get(), cause: self.cause(cause) },
            Body::Blocked { unit, cause } => EventJson::Blocked { tick, unit: unit.get(), cause: self.cause(cause) },
            Body::Encounter { kind, site, ref units } => EventJson::Encounter {
                tick,
                kind: kind_key(kind),
                at: self.site(site),
                units: units.iter().map(|u| u.get()).collect(),
            },
            Body::Decided { unit, choice, defaulted } => {
                EventJson::Decided { tick, unit: unit.get(), choice: choice_json(choice), defaulted }
            }
            Body::Exchanged { exchange } => EventJson::Exchange {
                tick,
                attacker: exchange.attacker.get(),
                defender: exchange.defender.get(),
                attacker_dice: exchange.attacker_dice,
                defender_dice: exchange.defender_dice,
                attacker_loses: exchange.attacker_loses,
                defender_loses: exchange.defender_loses,
            },
            Body::Sunk { unit } => EventJson::Sunk { tick, unit: unit.get() },
            Body::GaveWay { unit, to, .. } => EventJson::GaveWay { tick, unit: unit.get(), to: self.place(to) },
            Body::ContestOpened { tile, ref contenders } => {
                let [q, r] = self.place(tile);
                EventJson::ContestOpened { tick, q, r, contenders: contenders.iter().map(|u| u.get()).collect() }
            }
            Body::ContestClosed { tile, end } => {
                let [q, r] = self.place(tile);
                EventJson::ContestClosed { q, r, reason: end_key(end) }
            }
            Body::Bombarded { unit, structure, damage } => {
                EventJson::Bombarded { unit: unit.get(), structure: structure.get(), damage }
            }
            Body::Captured { structure, from, by } => {
                EventJson::Captured { structure: structure.get(), from: from.map(|p| p.get()), by: by.get() }
            }
            Body::Spawned { unit, owner, class, structure, tile } => EventJson::Spawned {
                unit: unit.get(),
                owner: owner.get(),
                class: self.class(class),
                structure: structure.get(),
                at: self.place(tile),
            },
            Body::SpawnDelayed { structure } => EventJson::SpawnDelayed { structure: structure.get() },
            Body::Removed { unit } => EventJson::Removed { unit: unit.get() },
            Body::Eliminated { player, conceded } => EventJson::Eliminated { player: player.get(), conceded },
            Body::Neutralised { structure } => EventJson::Neutralised { structure: structure.get() },
            Body::Ended { ref result } => EventJson::Ended { result: result_json(result) },
        }
    }

    fn shortfall(&self, shortfall: &Shortfall) -> EventJson<'a> {
        EventJson::FellShort {
            subject: subject_json(shortfall.subject),
            tick: shortfall.tick,
            cause: self.cause(shortfall.cause),
            text: explain(&self.grid, shortfall),
        }
    }

    fn cause(&self, cause: Cause) -> CauseJson {
        match cause {
            Cause::Contested { tile } => CauseJson::Contested { at: self.place(tile) },
            Cause::ClosedHarbor { structure } => CauseJson::ClosedHarbor { by: structure.get() },
            Cause::WaitedFor { unit } => CauseJson::WaitedFor { by: unit.get() },
            Cause::WaitedForPassing { unit } => CauseJson::WaitedForPassing { by: unit.get() },
            Cause::Halted { kind, site, choice } => {
                CauseJson::Halted { kind: kind_key(kind), at: self.site(site), chose: choice_json(choice) }
            }
            Cause::NoRoomToCross { unit } => CauseJson::NoRoomToCross { by: unit.get() },
            Cause::Sunk => CauseJson::Sunk,
            Cause::Contending => CauseJson::Contending,
            Cause::Unpaid { cost, gold } => CauseJson::Unpaid { cost, gold },
            Cause::FleetFull => CauseJson::FleetFull,
            Cause::ShipyardsFull => CauseJson::ShipyardsFull,
            Cause::HarborTaken => CauseJson::HarborTaken,
            Cause::OutOfReach => CauseJson::OutOfReach,
            Cause::NoTarget => CauseJson::NoTarget,
            Cause::FoughtAlready => CauseJson::FoughtAlready,
            Cause::BroadsidesOff => CauseJson::BroadsidesOff,
        }
    }

    fn state(&self, state: &State) -> StateJson<'a> {
        let unit = |unit: &crate::state::Unit| {
            let [q, r] = self.place(unit.tile);
            let mut here = unit.tile;
            let route = unit.route.iter().map_while(|step| {
                here = self.grid.neighbor(here, step)?;
                Some(self.place(here))
            });
            UnitJson {
                id: unit.id.get(),
                class: self.class(unit.class),
                owner: unit.owner.get(),
                q,
                r,
                hp: unit.hp,
                sails: unit.sails,
                cannons: unit.cannons,
                hull: unit.hull,
                engagement: engagement_json(unit.engagement),
                route: route.collect(),
            }
        };
        let structure = |structure: &crate::state::Structure| {
            let [q, r] = self.place(structure.tile);
            let job = |job: &crate::state::Job| JobJson { class: self.class(job.class), turns_left: job.turns_left };
            StructureJson {
                id: structure.id.get(),
                owner: structure.owner.map(|p| p.get()),
                q,
                r,
                hp: structure.hp,
                queue: structure.queue.iter().map(job).collect(),
            }
        };
        let contest = |contest: &crate::state::Contest| {
            let [q, r] = self.place(contest.tile);
            let contenders = contest.contenders.iter().map(|u| u.get()).collect();
            ContestJson { q, r, since: contest.since, rounds: contest.rounds, contenders }
        };
        StateJson {
            turn: state.turn(),
            players: state
                .players()
                .iter()
                .map(|p| PlayerJson { id: p.id.get(), gold: p.gold, alive: p.alive })
                .collect(),
            units: state.units().iter().map(unit).collect(),
            structures: state.structures().iter().map(structure).collect(),
            contests: state.contests().iter().map(contest).collect(),
            result: state.result().map(result_json),
        }
    }
}

fn result_json(result: &MatchResult) -> ResultJson {
    match result {
        MatchResult::Winner(player) => ResultJson::Winner(player.get()),
        MatchResult::Draw(players) => ResultJson::Draw(players.iter().map(|p| p.get()).collect()),
    }
}

const fn subject_json(subject: Subject) -> SubjectJson {
    match subject {
        Subject::Unit(unit) => SubjectJson::Unit(unit.get()),
        Subject::Structure(structure) => SubjectJson::Structure(structure.get()),
    }
}

const fn choice_json(choice: Choice) -> ChoiceJson {
    match choice {
        Choice::Proceed => ChoiceJson::Proceed,
        Choice::Yield => ChoiceJson::Yield,
        Choice::Attack => ChoiceJson::Attack,
    }
}

const fn engagement_json(engagement: Engagement) -> EngagementJson {
    match engagement {
        Engagement::Ask => EngagementJson::Ask,
        Engagement::Evade => EngagementJson::Evade,
        Engagement::Fight => EngagementJson::Fight,
        Engagement::FightIfHealthy => EngagementJson::FightIfHealthy,
    }
}

const fn reason_key(reason: GoldReason) -> &'static str {
    match reason {
        GoldReason::Income => "income",
        GoldReason::DeployShipyard => "deploy_shipyard",
        GoldReason::Build => "build",
        GoldReason::CancelBuild => "cancel_build",
        GoldReason::Repair => "repair",
        GoldReason::Upgrade => "upgrade",
        GoldReason::Salvage => "salvage",
    }
}

const fn kind_key(kind: EncounterKind) -> &'static str {
    match kind {
        EncounterKind::Passing => "PASSING",
        EncounterKind::Entry => "ENTRY",
    }
}

const fn end_key(end: ContestEnd) -> &'static str {
    match end {
        ContestEnd::Claimed => "claimed",
        ContestEnd::Emptied => "emptied",
        ContestEnd::Expired => "expired",
    }
}
