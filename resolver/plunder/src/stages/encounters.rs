//! The encounters of a tick: who is in them, what they decide, and how they end (R6.3, R6.7, R7).

use parley_core::field::Field;
use parley_core::grid::{Grid, Tile};
use parley_core::hex::{Direction, Hex};
use parley_core::ids::PlayerId;
use parley_core::question::Settled;
use smallvec::SmallVec;

use crate::event::{Body, Cause, EncounterKind, Site, Subject};
use crate::order::Choice;
use crate::ruleset::Question;
use crate::state::Contest;

use super::combat::{self, Groups, Pair, Role};
use super::movement::standing_answer;
use super::turn::{Turn, When};
use super::{Encounter, Participant};

/// A ship in a meeting and its answer.
#[derive(Clone, Copy, Debug)]
struct Party {
    ship: u32,
    holds: bool,
    asked: bool,
    answer: Option<Choice>,
}

/// An encounter, with its parties in one common list.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// q and r of the tile, or of the lesser hex of the edge.
    hex: Hex,
    kind: EncounterKind,
    site: Site,
    first: u32,
    count: u32,
    /// The number of its group of events, once it is announced.
    group: u32,
}

impl Meeting {
    fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }

    /// The choice of a ship that does not answer (R7.2).
    const fn peaceful(&self) -> Choice {
        match self.kind {
            EncounterKind::Passing => Choice::Proceed,
            EncounterKind::Entry => Choice::Yield,
        }
    }

    /// What an owner can choose, the default first (R7.2).
    const fn options(&self) -> [Choice; 2] {
        [self.peaceful(), Choice::Attack]
    }
}

/// All encounters of one tick. The lists are kept from tick to tick, so that forming them allocates nothing once
/// they have grown.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    meetings: Vec<Meeting>,
    parties: Vec<Party>,
    /// Every tile of every encounter, in order: nobody gives way to these (R7.5).
    tiles: Vec<Tile>,
    crossing: Vec<(Tile, Tile, u32)>,
    entering: Vec<(Tile, u32)>,
}

impl Meetings {
    pub(super) fn is_empty(&self) -> bool {
        self.meetings.is_empty()
    }

    pub(super) fn anybody_asked(&self) -> bool {
        self.parties.iter().any(|party| party.asked)
    }

    /// Groups what the tick found into encounters, in the order of R7.3.
    pub(super) fn form(&mut self, turn: &Turn, field: &Field) {
        self.meetings.clear();
        self.parties.clear();
        self.tiles.clear();
        self.form_passing(field);
        self.form_entries(field);
        for meeting in &self.meetings {
            for party in &mut self.parties[meeting.range()] {
                party.answer = standing_answer(turn, party.ship as usize, meeting.peaceful());
                party.asked = party.answer.is_none();
            }
        }
        let parties = &self.parties;
        self.meetings.sort_unstable_by_key(|m| (m.hex, m.kind, parties[m.first as usize].ship));
        self.tiles.sort_unstable();
    }

    /// One encounter for each edge that is crossed both ways (R6.3).
    fn form_passing(&mut self, field: &Field) {
        self.crossing.clear();
        self.crossing.extend(field.findings().passing.iter().filter_map(|&ship| {
            let (from, to) = (field.tile(ship)?, field.goal(ship));
            Some((from.min(to), from.max(to), ship))
        }));
        self.crossing.sort_unstable();
        for edge in self.crossing.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (one, other) = (edge[0].0, edge[0].1);
            let (lesser, greater) = order_by_hex(field.grid(), one, other);
            self.tiles.extend([one, other]);
            self.meetings.push(Meeting {
                hex: field.grid().hex(lesser),
                kind: EncounterKind::Passing,
                site: Site::Edge(lesser, greater),
                first: self.parties.len() as u32,
                count: edge.len() as u32,
                group: 0,
            });
            self.parties.extend(edge.iter().map(|&(_, _, ship)| Party {
                ship,
                holds: false,
                asked: false,
                answer: None,
            }));
        }
    }

    /// One encounter for each tile whose entrants were stopped, with everybody who stands on it (R6.7).
    fn form_entries(&mut self, field: &Field) {
        self.entering.clear();
        self.entering.extend(field.findings().entering.iter().map(|&ship| (field.goal(ship), ship)));
        self.entering.sort_unstable();
        for group in self.entering.chunk_by(|a, b| a.0 == b.0) {
            let tile = group[0].0;
            let first = self.parties.len();
            self.parties.extend(group.iter().map(|&(_, ship)| Party {
                ship,
                holds: false,
                asked: false,
                answer: None,
            }));
            self.parties.extend(field.standing(tile).map(|ship| Party {
                ship,
                holds: true,
                asked: false,
                answer: None,
            }));
            self.parties[first..].sort_unstable_by_key(|party| party.ship);
            self.tiles.push(tile);
            self.meetings.push(Meeting {
                hex: field.grid().hex(tile),
                kind: EncounterKind::Entry,
                site: Site::Tile(tile),
                first: first as u32,
                count: (self.parties.len() - first) as u32,
                group: 0,
            });
        }
    }

    /// Says that the encounters have come about.
    pub(super) fn announce(&mut self, turn: &mut Turn, tick: u8) {
        for meeting in &mut self.meetings {
            meeting.group = turn.begin_group();
            let units = self.parties[meeting.range()].iter().map(|party| turn.id(party.ship as usize)).collect();
            let met = Body::Encounter { kind: meeting.kind, site: meeting.site, units };
            turn.tell(When::group(tick, meeting.group), met);
        }
    }

    /// The encounters as the outside sees them.
    pub(super) fn encounters(&self, turn: &Turn, tick: u8) -> Vec<Encounter> {
        let participant = |party: &Party| Participant {
            unit: turn.id(party.ship as usize),
            owner: turn.owner(party.ship as usize),
            holds: party.holds,
            asked: party.asked,
        };
        let encounter = |meeting: &Meeting| Encounter {
            tick,
            group: meeting.group,
            kind: meeting.kind,
            site: meeting.site,
            participants: self.parties[meeting.range()].iter().map(participant).collect(),
        };
        self.meetings.iter().map(encounter).collect()
    }

    /// What the owners of ships are asked, in the order of R7.3 and in each encounter by ship (R7.2).
    pub(super) fn questions(&self, turn: &Turn, tick: u8) -> Vec<Question> {
        let mut questions = Vec::new();
        for meeting in &self.meetings {
            let asked = self.parties[meeting.range()].iter().filter(|party| party.asked);
            questions.extend(asked.map(|party| {
                let (owner, unit) = (turn.owner(party.ship as usize), turn.id(party.ship as usize));
                let options = meeting.options().to_vec();
                Question::new(owner, "encounter", "R7.2", Subject::Unit(unit), options).at(tick, meeting.group)
            }));
        }
        questions
    }

    /// Takes how the questions were settled, in the order in which they were asked. Who did not answer has no answer, so
    /// that the peaceful choice counts, and that it was nobody's (R7.2).
    pub(super) fn answer(&mut self, settled: &[Settled]) {
        let mut settled = settled.iter();
        for meeting in &self.meetings {
            let asked = self.parties[meeting.range()].iter_mut().filter(|party| party.asked);
            for (party, settled) in asked.zip(&mut settled) {
                let picked = settled.picked.iter().find_map(|&place| meeting.options().get(place as usize).copied());
                party.answer = picked.filter(|_| !settled.defaulted);
            }
        }
    }

    /// Settles the encounters one after the other on the current positions (R7.3).
    pub(super) fn settle(&mut self, turn: &mut Turn, field: &mut Field, tick: u8) {
        let meetings = std::mem::take(&mut self.meetings);
        for meeting in &meetings {
            let mut voices = SmallVec::<[Voice; 8]>::new();
            for party in &self.parties[meeting.range()] {
                let choice = party.answer.unwrap_or(meeting.peaceful());
                let defaulted = party.answer.is_none();
                let unit = turn.id(party.ship as usize);
                turn.tell(When::group(tick, meeting.group), Body::Decided { unit, choice, defaulted });
                let owner = turn.owner(party.ship as usize);
                voices.push(Voice { ship: party.ship, owner, holds: party.holds, choice, entered: false });
            }
            let mut settlement = Settlement { turn, field, tick, meeting, tiles: &self.tiles, voices: &mut voices };
            match meeting.site {
                Site::Edge(..) => settlement.passing(),
                Site::Tile(tile) => settlement.entry(tile),
            }
        }
        self.meetings = meetings;
        self.meetings.clear();
        self.parties.clear();
    }
}

fn order_by_hex(grid: &Grid, one: Tile, other: Tile) -> (Tile, Tile) {
    if grid.hex(one) <= grid.hex(other) { (one, other) } else { (other, one) }
}

/// A ship in an encounter whose decision is known.
#[derive(Clone, Copy, Debug)]
struct Voice {
    ship: u32,
    owner: PlayerId,
    holds: bool,
    choice: Choice,
    /// Whether it moved on or gave way, so that it is not halted.
    entered: bool,
}

impl Voice {
    fn attacks(&self) -> bool {
        self.choice == Choice::Attack
    }

    const fn index(&self) -> usize {
        self.ship as usize
    }
}

/// One encounter being settled.
struct Settlement<'a> {
    turn: &'a mut Turn,
    field: &'a mut Field,
    tick: u8,
    meeting: &'a Meeting,
    tiles: &'a [Tile],
    voices: &'a mut [Voice],
}

impl Settlement<'_> {
    /// Everything that follows from the encounter happens in its tick and belongs to it.
    const fn when(&self) -> When {
        When::group(self.tick, self.meeting.group)
    }

    /// Settles a passing encounter (R7.4).
    fn passing(&mut self) {
        if self.voices.iter().any(Voice::attacks) {
            if !self.turn.afford(self.voices.iter().map(|v| v.owner)) {
                return;
            }
            let mut pairs = Vec::new();
            for (i, lower) in self.voices.iter().enumerate() {
                for higher in self.voices[i + 1..].iter().filter(|v| v.owner != lower.owner) {
                    let role = match (lower.attacks(), higher.attacks()) {
                        (true, true) => Role::Coin,
                        (true, false) => Role::LowerAttacks,
                        (false, true) => Role::HigherAttacks,
                        (false, false) => continue,
                    };
                    pairs.push(Pair::new(lower.index(), higher.index(), role));
                }
            }
            self.fight(&pairs);
            return self.halt_all(false);
        }
        if let Some(behind) = self.enemy_left_behind() {
            let unit = self.turn.id(behind as usize);
            for voice in &*self.voices {
                self.field.halt(voice.ship, false);
                self.turn.fell_short(voice.index(), self.tick, Cause::NoRoomToCross { unit });
            }
            return;
        }
        self.enter(|_| true);
    }

    /// The lowest ship that would share a tile with an enemy if everybody crossed.
    fn enemy_left_behind(&self) -> Option<u32> {
        let crosses = |ship: u32| self.voices.binary_search_by_key(&ship, |v| v.ship).is_ok();
        let Site::Edge(one, other) = self.meeting.site else { return None };
        let left = [one, other].into_iter().flat_map(|tile| {
            let comes = self.voices.iter().find(|v| self.field.goal(v.ship) == tile).map(|v| v.owner.get());
            let enemies = self.field.holder(tile) != comes;
            self.field.standing(tile).filter(move |&ship| enemies && !crosses(ship))
        });
        left.min()
    }

    /// Settles an entry encounter (R7.5).
    fn entry(&mut self, tile: Tile) {
        let host = self.voices.iter().find(|v| v.holds).map(|v| v.owner);
        let challenger = self.voices.iter().find(|v| !v.holds && v.attacks() && Some(v.owner) != host);
        let Some(challenger) = challenger.map(|v| v.ship) else {
            self.enter(|voice| !voice.holds && voice.attacks());
            return self.halt_all(true);
        };
        self.give_way(tile, challenger);
        let stands = |v: &&Voice| v.holds && !v.entered;
        if self.voices.iter().any(|v| stands(&v)) {
            let fighting: Vec<Voice> =
                self.voices.iter().filter(|v| stands(v) || !v.holds && v.attacks()).copied().collect();
            if !self.turn.afford(fighting.iter().map(|v| v.owner)) {
                return;
            }
            let mut pairs = Vec::new();
            for (i, lower) in fighting.iter().enumerate() {
                for higher in fighting[i + 1..].iter().filter(|v| v.owner != lower.owner) {
                    let role = match (lower.holds, higher.holds) {
                        (false, false) => Role::Coin,
                        (false, true) => Role::LowerAttacks,
                        (true, false) => Role::HigherAttacks,
                        (true, true) => continue,
                    };
                    pairs.push(Pair::new(lower.index(), higher.index(), role));
                }
            }
            self.fight(&pairs);
            return self.halt_all(true);
        }
        let attacks = |voice: &Voice| !voice.holds && voice.attacks();
        let mut owners = self.voices.iter().filter(|v| attacks(v)).map(|v| v.owner);
        let first_owner = owners.next();
        if owners.all(|owner| Some(owner) == first_owner) {
            self.enter(attacks);
        } else {
            let ships: Vec<usize> = self.voices.iter().filter(|v| attacks(v)).map(Voice::index).collect();
            self.open_contest(tile, &ships);
        }
        self.halt_all(true);
    }

    /// Holders that yield move out of the way, in id order, each to the free neighbour farthest from the
    /// challenger; where there is none they stand.
    fn give_way(&mut self, tile: Tile, challenger: u32) {
        let Some(origin) = self.field.tile(challenger) else { return };
        for at in 0..self.voices.len() {
            let voice = self.voices[at];
            if !voice.holds || voice.attacks() {
                continue;
            }
            let Some((direction, to)) = self.refuge(tile, origin, voice.index()) else { continue };
            if self.field.progress(voice.ship).1 > 0 {
                let (kind, site) = (self.meeting.kind, self.meeting.site);
                self.turn.fell_short(voice.index(), self.tick, Cause::Halted { kind, site, choice: voice.choice });
            }
            self.field.relocate(voice.ship, to);
            self.turn.leave_contest(voice.index());
            self.voices[at].entered = true;
            let unit = self.turn.id(voice.index());
            self.turn.tell(self.when(), Body::GaveWay { unit, to, direction });
        }
    }

    fn refuge(&self, tile: Tile, origin: Tile, index: usize) -> Option<(Direction, Tile)> {
        let map = self.turn.state.map();
        let unit = &self.turn.state.units[index];
        let domain = self.turn.rules.class(unit.class).domain;
        let free = |&(_, to): &(Direction, Tile)| {
            map.navigable(to, domain)
                && self.field.holder(to).is_none()
                && !self.field.is_contested(to)
                && self.tiles.binary_search(&to).is_err()
                && !self.field.closed_to(to, unit.owner.get())
        };
        let farness =
            |&(direction, to): &(Direction, Tile)| (std::cmp::Reverse(map.grid().distance(origin, to)), direction);
        map.grid().neighbors(tile).filter(free).min_by_key(farness)
    }

    /// The tile becomes contested by these ships, and the first round is fought at once.
    fn open_contest(&mut self, tile: Tile, ships: &[usize]) {
        let contenders: SmallVec<_> = ships.iter().map(|&index| self.turn.id(index)).collect();
        let list = contenders.iter().copied().collect();
        self.turn.tell(self.when(), Body::ContestOpened { tile, contenders: list });
        for &index in ships {
            self.turn.marks[index].contends = true;
        }
        self.turn.state.contests.push(Contest { tile, since: self.turn.state.turn, rounds: 1, contenders });
        self.field.set_contested(tile, true);
        let owners: Vec<PlayerId> = ships.iter().map(|&index| self.turn.owner(index)).collect();
        if !self.turn.afford(owners.into_iter()) {
            return;
        }
        let pairs = combat::enemy_pairs(self.turn, ships, |_, _| Role::Coin);
        self.fight(&pairs);
    }

    fn fight(&mut self, pairs: &[Pair]) {
        for sunk in combat::round(self.turn, self.tick, Groups::One(self.meeting.group), pairs) {
            self.field.remove(sunk as u32);
        }
    }

    /// Lets the chosen ships take the step they wanted, all together.
    fn enter(&mut self, who: impl Fn(&Voice) -> bool) {
        let mut ships = SmallVec::<[u32; 8]>::new();
        for voice in self.voices.iter_mut().filter(|v| who(v)) {
            voice.entered = true;
            ships.push(voice.ship);
        }
        let units = &self.turn.state.units;
        self.field.take_step(&ships, |ship, word| units[ship as usize].route.word(word));
        for ship in ships {
            let (unit, to) = (self.turn.id(ship as usize), self.field.goal(ship));
            self.turn.tell(self.when(), Body::Moved { unit, to });
        }
    }

    /// Whoever did not move on halts for the turn; after an entry encounter its path is lost too.
    fn halt_all(&mut self, lose_path: bool) {
        for voice in self.voices.iter().filter(|v| !v.entered) {
            let (_, left) = self.field.progress(voice.ship);
            let cause = if self.turn.afloat(voice.index()) {
                Cause::Halted { kind: self.meeting.kind, site: self.meeting.site, choice: voice.choice }
            } else {
                Cause::Sunk
            };
            if left > 0 {
                self.turn.fell_short(voice.index(), self.tick, cause);
            }
            self.field.halt(voice.ship, lose_path);
        }
    }
}
