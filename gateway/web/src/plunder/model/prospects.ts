// What the answers to an encounter lead to, with exact odds (R7, R8).
import { EncounterKind } from "../../gen/parley/plunder/v1/event_pb";
import type { Encounter, Encounter_Participant, Site } from "../../gen/parley/plunder/v1/event_pb";
import { hexName } from "./hex";
import type { Board, Choice, Place } from "./model";
import { percent, roundOdds, tenths } from "./odds";
import type { ShipOdds, RoundSide } from "./odds";
import { readTile } from "./wire";

/** What a round of combat would hold. */
export interface Stake {
  readonly you: ShipOdds;
  /** The enemies in the fight, by id. */
  readonly them: readonly { readonly ship: number; readonly odds: ShipOdds }[];
}

/** What one answer leads to, if the others do something. */
export interface Prospect {
  readonly choice: Choice;
  /** What the others do, such as "they attack". */
  readonly condition: string;
  /** What happens after this answer, in a sentence. */
  readonly consequence: string;
  /** The fight that it comes to; null where there is none, or where its odds are not known. */
  readonly stake: Stake | null;
}

/** The words over the prompt. */
export function encounterTitle(encounter: Encounter): string {
  return encounter.kind === EncounterKind.PASSING
    ? "PASSING ENCOUNTER — choose: PROCEED or ATTACK"
    : "ENTRY ENCOUNTER — choose: YIELD or ATTACK";
}

/** Where an encounter is. */
export function placeOf(board: Board, site: Site | undefined): Place | null {
  switch (site?.place.case) {
    case "hex":
      return { tile: readTile(board.chart, site.place.value) };
    case "edge":
      return { edge: [readTile(board.chart, site.place.value.first), readTile(board.chart, site.place.value.second)] };
    default:
      return null;
  }
}

/** What the answers of an own ship lead to. Other own ships in the encounter are taken to answer alike. */
export function prospectsOf(board: Board, encounter: Encounter, ship: number): Prospect[] {
  const own = encounter.participants.find((participant) => participant.unit === ship);
  if (own === undefined) return [];
  const peace = (choice: Choice, condition: string, consequence: string): Prospect => ({
    choice,
    condition,
    consequence,
    stake: null,
  });
  const fight = (choice: Choice, condition: string, before: string, mine: boolean, theirs: boolean): Prospect => {
    const stake = stakeOf(board, encounter, own, mine, theirs);
    return { choice, condition, consequence: `${before}; ${describeStake(stake)}`, stake };
  };
  if (encounter.kind === EncounterKind.PASSING) {
    return [
      peace("proceed", "they proceed", "all cross and sail on"),
      fight("proceed", "they attack", "nobody crosses", false, true),
      fight("attack", "they proceed", "nobody crosses", true, false),
      fight("attack", "they attack", "nobody crosses", true, true),
    ];
  }
  const place = encounter.site?.place.case === "hex" ? hexName(encounter.site.place.value) : "the tile";
  const holders = encounter.participants.filter((participant) => participant.holds);
  if (own.holds) {
    return [
      peace("yield", "they yield", "nothing happens, you stay"),
      fight("yield", "they attack", "you give way, or without a free tile stand", false, true),
      peace("attack", "they yield", "nothing happens, you stay"),
      fight("attack", "they attack", "you stand", true, true),
    ];
  }
  if (holders.length === 0) {
    return [
      peace("yield", "whatever they do", "you stay where you are and your path ends"),
      peace("attack", "they yield", `you enter ${place} and sail on`),
      fight("attack", "they attack", `${place} is contested`, true, true),
    ];
  }
  if (holders.some((holder) => holder.owner === own.owner)) {
    return [
      peace("yield", "whatever they do", "you stay where you are and your path ends"),
      peace("attack", "they yield", `you join your ships at ${place}`),
      fight("attack", "they attack", "nobody enters", true, true),
    ];
  }
  return [
    peace("yield", "whatever they do", "you stay where you are and your path ends"),
    peace("attack", "they yield", `they give way if they can, and you enter ${place}`),
    fight("attack", "they stand", "nobody enters", true, false),
  ];
}

/** The odds of one round between this side and its enemies. */
function stakeOf(
  board: Board,
  encounter: Encounter,
  own: Encounter_Participant,
  mine: boolean,
  theirs: boolean,
): Stake | null {
  const fighters: (RoundSide & { readonly ship: number })[] = [];
  for (const { unit, owner, holds } of encounter.participants) {
    // Entrants are the attackers of a standing holder, whatever it chose (R8.2).
    const attacks = (owner === own.owner ? mine : theirs) && !holds;
    // An entrant that yields is in no exchange (R7.5); in a passing everybody is.
    if (encounter.kind !== EncounterKind.PASSING && !attacks && !holds) continue;
    const ship = board.ships.get(unit);
    if (ship === undefined) return null;
    fighters.push({ ship: unit, owner, hp: ship.hp, damage: ship.damage, attacks });
  }
  const fates = roundOdds(fighters).map((odds, place) => ({ odds, fighter: fighters[place] }));
  const you = fates.find(({ fighter }) => fighter?.ship === own.unit)?.odds;
  if (you === undefined) return null;
  const them = fates.flatMap(({ odds, fighter }) =>
    fighter === undefined || fighter.owner === own.owner ? [] : [{ ship: fighter.ship, odds }],
  );
  return { you, them };
}

function describeStake(stake: Stake | null): string {
  if (stake === null) return "the odds are not known";
  const loss = tenths(stake.them.reduce((sum, { odds }) => sum + odds.meanLossMilli, 0));
  const [one, ...more] = stake.them;
  const them =
    one !== undefined && more.length === 0
      ? `they sink ${percent(one.odds.sinksPpm)}, −${loss} hp`
      : `they lose ${loss} hp`;
  return `you sink ${percent(stake.you.sinksPpm)}, −${tenths(stake.you.meanLossMilli)} hp; ${them}`;
}
