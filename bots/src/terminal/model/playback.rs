//! A resolved turn, shown tick by tick.

use std::collections::BTreeMap;

use parley_games::plunder::sentences;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::event::What;
use parley_proto::v1;

use super::{Model, Stage, Tone};
use crate::arms::Arms;

/// A turn that is being shown.
#[derive(Clone, Debug)]
pub struct Playback {
    outcome: v1::Outcome,
    /// What the outcome tells of the turn.
    news: plunder::TurnNews,
    voyages: Voyages,
    /// The place of the next event in the list.
    at: usize,
    /// When the next step is due, in milliseconds since 1970.
    due_ms: u64,
    /// The tick that was shown last.
    tick: Option<u32>,
}

impl Playback {
    /// The turn that is shown.
    pub const fn turn(&self) -> u32 {
        self.outcome.turn
    }

    /// The tick that was shown last.
    pub const fn tick(&self) -> Option<u32> {
        self.tick
    }
}

/// For each ship the event that ended its way, where the way began, and where it ended. Single steps would drown the
/// rest.
pub(super) type Voyages = BTreeMap<u32, (usize, Option<common::Hex>, Option<common::Hex>)>;

/// The ways of ships in the events from a place on.
pub(super) fn voyages(events: &[plunder::Event], from: usize) -> Voyages {
    let mut voyages = Voyages::new();
    for (place, event) in events.iter().enumerate().skip(from) {
        if let Some(What::Moved(moved)) = &event.what {
            let voyage = voyages.entry(moved.unit).or_insert((place, moved.from, moved.to));
            (voyage.0, voyage.2) = (place, moved.to);
        }
    }
    voyages
}

impl Model {
    /// Begins to show a turn that was resolved.
    pub(super) fn begin_playback(&mut self, mut outcome: v1::Outcome) {
        self.notice = None;
        self.picked = None;
        self.deadline_ms = 0;
        self.locks = None;
        if self.told == 0 {
            self.board.clone_from(&self.base);
        }
        let mut news = outcome.shared.take().and_then(Arms::into_plunder).unwrap_or_default();
        let own = outcome.own.take().and_then(Arms::into_plunder).unwrap_or_default();
        news.events.extend(own.events);
        news.shortfalls.extend(own.shortfalls);
        let at = self.told.min(news.events.len());
        let voyages = voyages(&news.events, at);
        let playback = Playback { outcome, news, voyages, at, due_ms: self.now_ms, tick: None };
        self.stage = Stage::Playback(Box::new(playback));
        if self.pace_ms == 0 {
            self.skip_playback();
        } else {
            self.play_on();
        }
    }

    /// Shows what is due; true if something was.
    pub(super) fn play_on(&mut self) -> bool {
        let mut played = false;
        while let Stage::Playback(playback) = &self.stage {
            if playback.due_ms > self.now_ms {
                break;
            }
            self.play_step();
            played = true;
        }
        played
    }

    /// Shows everything that is left at once.
    pub(super) fn skip_playback(&mut self) {
        while matches!(self.stage, Stage::Playback(_)) {
            self.play_step();
        }
    }

    /// Shows the events of one tick, or what comes after the last.
    fn play_step(&mut self) {
        let Stage::Playback(mut playback) = std::mem::replace(&mut self.stage, Stage::Watching) else { return };
        let events = &playback.news.events;
        let Some(first) = events.get(playback.at) else {
            self.end_playback(*playback);
            return;
        };
        let tick = first.tick;
        let run = events[playback.at..].iter().take_while(|event| event.tick == tick).count();
        let until = playback.at + run;
        self.tell_events(&events[..until], &playback.voyages);
        let seen = match &mut self.board {
            Some(board) => {
                events[playback.at..until].iter().for_each(|event| board.apply(event));
                true
            }
            None => false,
        };
        playback.at = until;
        playback.tick = tick.or(playback.tick);
        if seen && tick.is_some() {
            playback.due_ms = self.now_ms + self.pace_ms;
        }
        self.stage = Stage::Playback(playback);
    }

    fn end_playback(&mut self, Playback { outcome, news, .. }: Playback) {
        for shortfall in news.shortfalls {
            self.log.add(Tone::Grave, shortfall.text);
        }
        self.told = 0;
        match (outcome.next, outcome.ended) {
            (Some(next), _) => self.open_turn(next),
            (None, ended) => self.end_match(ended.as_ref()),
        }
    }

    /// Tells those events of the turn that were not told yet.
    pub(super) fn tell_events(&mut self, events: &[plunder::Event], voyages: &Voyages) {
        if self.told == 0 && !events.is_empty() {
            let turn = self.base.as_ref().map_or(0, |board| board.turn());
            self.log.add(Tone::Heading, format!("Turn {turn}"));
        }
        for (place, event) in events.iter().enumerate().skip(self.told) {
            let Some(text) = self.teller.tell(event) else { continue };
            let text = match event.what.as_ref() {
                Some(What::Moved(moved)) => match voyages.get(&moved.unit) {
                    Some((last, from, to)) if *last == place => {
                        let (ship, end) = (self.teller.ship(moved.unit), sentences::at(to.as_ref()));
                        if from == to {
                            format!("{ship} sails about and is back at {end}.")
                        } else {
                            format!("{ship} sails from {} to {end}.", sentences::at(from.as_ref()))
                        }
                    }
                    _ => continue,
                },
                Some(What::Gold(gold)) if self.is_small_change(gold) => continue,
                Some(What::Queued(queued)) if self.is_foreign(queued.structure) => continue,
                _ => text,
            };
            let tone = self.tone(event);
            let when = match event.tick {
                Some(255) => "broadside: ".to_owned(),
                Some(tick) if tick > 0 => format!("tick {tick}: "),
                _ => String::new(),
            };
            self.log.add(tone, format!("{when}{text}"));
        }
        self.told = events.len();
    }

    /// Whether a payment is not worth a line: other players' money, apart from salvage.
    fn is_small_change(&self, gold: &plunder::event::Gold) -> bool {
        Some(gold.player) != self.seat && gold.reason() != plunder::GoldReason::Salvage
    }

    /// Whether a shipyard is somebody else's. What is begun there is not worth a player's line, what is finished is.
    fn is_foreign(&self, structure: u32) -> bool {
        let yard = self.board.as_ref().and_then(|board| board.shipyard(structure));
        self.seat.is_some() && yard.is_some_and(|yard| yard.owner != self.seat)
    }

    fn tone(&self, event: &plunder::Event) -> Tone {
        let own = |unit: u32| {
            let ship = self.board.as_ref().and_then(|board| board.ship(unit));
            ship.is_some_and(|ship| Some(ship.owner) == self.seat)
        };
        match event.what.as_ref() {
            Some(
                What::Sunk(_)
                | What::ContestOpened(_)
                | What::ContestClosed(_)
                | What::Eliminated(_)
                | What::Captured(_)
                | What::Ended(_),
            ) => Tone::Grave,
            Some(What::Moved(moved)) if own(moved.unit) => Tone::Own,
            Some(What::Decided(decided)) if own(decided.unit) => Tone::Own,
            Some(What::Gold(gold)) if Some(gold.player) == self.seat => Tone::Own,
            Some(What::Exchanged(e)) if own(e.attacker) || own(e.defender) => Tone::Own,
            _ => Tone::Plain,
        }
    }
}
