// What happened, in sentences.
import { ownedBy, playerName } from "../../frame/names";
import { listOf } from "../../frame/words";
import type { MatchResult } from "../../gen/parley/common/v1/result_pb";
import { ContestEnd, EncounterKind, GoldReason } from "../../gen/parley/plunder/v1/event_pb";
import type {
  Event,
  Event_ContestClosed,
  Event_Decided,
  Event_Exchanged,
  Event_Gold,
  Event_Met,
} from "../../gen/parley/plunder/v1/event_pb";
import type { Hex } from "./hex";
import type { Board } from "./model";
import { pieceOf, readTile } from "./wire";
import { at, choiceVerb, compass, reasonName, capitalised, siteName } from "./words";

/** Writes sentences about events. It remembers who owns what, so that it can name ships that are already gone. */
export class SentenceWriter {
  private readonly seat: number | null;
  /** Who owns which ship; those that are gone stay known. */
  private readonly ships = new Map<number, number>();
  /** Who owns which shipyard; null is neutral. */
  private readonly yards = new Map<number, number | null>();

  constructor(
    private readonly names: readonly string[],
    board: Board,
  ) {
    this.seat = board.seat;
    for (const ship of board.ships.values()) this.ships.set(ship.id, ship.owner);
    for (const yard of board.yards.values()) this.yards.set(yard.id, yard.owner);
  }

  /** A player within a sentence. */
  player(player: number): string {
    return playerName(this.seat, this.names, player);
  }

  /** A ship and its owner within a sentence. */
  ship(ship: number): string {
    const owner = this.ships.get(ship);
    return owner === undefined ? `ship ${ship}` : ownedBy(this.seat, this.names, owner, `ship ${ship}`);
  }

  /** A shipyard and its owner within a sentence. */
  yard(yard: number): string {
    const owner = this.yards.get(yard);
    if (owner === undefined) return `shipyard ${yard}`;
    return owner === null ? `the neutral shipyard ${yard}` : ownedBy(this.seat, this.names, owner, `shipyard ${yard}`);
  }

  /** Whether a ship is the viewer's own. */
  isOwn(ship: number): boolean {
    return this.seat !== null && this.ships.get(ship) === this.seat;
  }

  /** Whether a shipyard is the viewer's own. */
  isOwnYard(yard: number): boolean {
    return this.seat !== null && this.yards.get(yard) === this.seat;
  }

  /**
   * Tells an event and remembers what it changed; null where it is passed over in silence. `before` is the board that
   * it happens to; `defaulted` says of a decision that nobody answered in time.
   */
  tell(event: Event, before: Board, defaulted = false): string | null {
    const { what } = event;
    if (what.case === "met") for (const { unit, owner } of what.value.parties) this.ships.set(unit, owner);
    if (what.case === "appeared") this.ships.set(what.value.unit, what.value.owner);
    if (what.case === "structureSighted") this.yards.set(what.value.structure, what.value.owner ?? null);
    const text = this.words(event, before, defaulted);
    if (what.case === "deployed") this.yards.set(what.value.structure, what.value.owner);
    if (what.case === "spawned") this.ships.set(what.value.unit, what.value.owner);
    if (what.case === "captured") this.yards.set(what.value.structure, what.value.by);
    if (what.case === "neutralised") this.yards.set(what.value.structure, null);
    return text === null ? null : capitalised(text);
  }

  /** A whole way of a ship in one sentence. */
  tellVoyage(ship: number, from: Hex | undefined, to: Hex | undefined): string {
    const back = from?.q === to?.q && from?.r === to?.r;
    const way = back ? `sails about and is back at ${at(to)}` : `sails from ${at(from)} to ${at(to)}`;
    return capitalised(`${this.ship(ship)} ${way}.`);
  }

  /** How a match ended. */
  tellResult(result: MatchResult): string {
    switch (result.result.case) {
      case "winner":
        return capitalised(
          `${this.player(result.result.value)} ${this.verb(result.result.value, "wins", "win")} the match.`,
        );
      case "draw":
        return `The match ends in a draw of ${listOf(result.result.value.players.map((player) => this.player(player)))}.`;
      default:
        return "The match is over.";
    }
  }

  private list(ships: readonly number[]): string {
    return listOf(ships.map((ship) => this.ship(ship)));
  }

  private verb(player: number, they: string, you: string): string {
    return player === this.seat ? you : they;
  }

  private words({ what }: Event, before: Board, defaulted: boolean): string | null {
    switch (what.case) {
      case "gold":
        return this.gold(what.value);
      case "deployed":
        return `${this.ship(what.value.unit)} becomes shipyard ${what.value.structure} at ${at(what.value.hex)}.`;
      case "queued":
        // What others begin is not worth a player's line; what they finish is.
        if (this.seat !== null && !this.isOwnYard(what.value.structure)) return null;
        return `${this.yard(what.value.structure)} takes on the build of a ${what.value.class}.`;
      case "cancelled":
        return `${this.yard(what.value.structure)} gives up the build of a ${what.value.class}.`;
      case "repaired":
        return `${this.ship(what.value.unit)} is repaired to ${what.value.hp} hp.`;
      case "upgraded":
        return `${this.ship(what.value.unit)} is fitted with ${pieceOf(what.value.upgrade) ?? "something"}.`;
      case "withdrew":
        return `${this.ship(what.value.unit)} withdraws from the contest at ${at(what.value.hex)}.`;
      case "moved":
        return `${this.ship(what.value.unit)} moves from ${at(what.value.from)} to ${at(what.value.to)}.`;
      case "gaveWay":
        return `${this.ship(what.value.unit)} gives way ${compass(what.value.direction)}, to ${at(what.value.to)}.`;
      case "appeared":
        return `${this.ship(what.value.unit)} comes into sight at ${at(what.value.hex)}.`;
      case "vanished":
        return `${this.ship(what.value.unit)} leaves ${at(what.value.from)} and is out of sight.`;
      case "structureSighted":
        return `${this.yard(what.value.structure)} comes into sight at ${at(what.value.hex)}.`;
      case "contestSighted":
        return `a contest comes into sight at ${at(what.value.hex)}.`;
      case "met":
        return this.met(what.value);
      case "decided":
        return this.decided(what.value, defaulted);
      case "exchanged":
        return this.exchanged(what.value);
      case "sunk":
        return `${this.ship(what.value.unit)} is destroyed and sinks.`;
      case "contestOpened":
        return `${at(what.value.hex)} is contested now, by ${this.list(what.value.contenders)}.`;
      case "contestClosed":
        return `${at(what.value.hex)} is contested no more: ${this.ending(what.value, before)}.`;
      case "bombarded":
        return `${this.ship(what.value.unit)} bombards ${this.yard(what.value.structure)} for ${what.value.damage} hp.`;
      case "captured":
        return `${this.yard(what.value.structure)} falls to ${this.player(what.value.by)}.`;
      case "spawned": {
        const { unit, structure, class: kind, hex } = what.value;
        const yard = structure === undefined ? "a shipyard out of sight" : this.yard(structure);
        return `${yard} finishes ship ${unit}, a ${kind}, at ${at(hex)}.`;
      }
      case "spawnDelayed":
        return `${this.yard(what.value.structure)} has finished a ship and finds no place for it.`;
      case "removed":
        return `${this.ship(what.value.unit)} leaves the match.`;
      case "eliminated": {
        const { player, conceded } = what.value;
        const out = conceded ? this.verb(player, "gives up and is", "give up and are") : this.verb(player, "is", "are");
        return `${this.player(player)} ${out} ${conceded ? "out" : "eliminated"}.`;
      }
      case "neutralised":
        return `${this.yard(what.value.structure)} becomes neutral.`;
      case "ended":
        return this.tellResult(what.value);
      // The service tells these to their owners as shortfalls, in sentences of its own.
      case "skipped":
      case "waited":
      case "blocked":
        return null;
      // The map shows it, and what came into sight has sentences of its own.
      case "sightChanged":
      // Told with the decision.
      case "defaulted":
      case undefined:
        return null;
    }
  }

  private gold({ player, change, reason, balance }: Event_Gold): string | null {
    // Other players' money is not worth a line, apart from salvage.
    if (player !== this.seat && reason !== GoldReason.SALVAGE) return null;
    const amount = change < 0n ? -change : change;
    const verb = change < 0n ? this.verb(player, "pays", "pay") : this.verb(player, "receives", "receive");
    const has = this.verb(player, "has", "have");
    return `${this.player(player)} ${verb} ${amount} gold ${reasonName(reason)} and ${has} ${balance}.`;
  }

  private met({ kind, site, parties }: Event_Met): string {
    const name = kind === EncounterKind.PASSING ? "passing" : "entry";
    const ships = this.list(parties.map((party) => party.unit));
    return `${name} encounter ${siteName(site)}: ${ships} ${parties.length === 1 ? "meets somebody" : "meet"}.`;
  }

  private decided({ unit, choice }: Event_Decided, defaulted: boolean): string {
    return `${this.ship(unit)} ${choiceVerb(choice)}${defaulted ? ", as nobody answered in time" : ""}.`;
  }

  private ending({ hex, end }: Event_ContestClosed, before: Board): string {
    switch (end) {
      case ContestEnd.CLAIMED: {
        const contenders = before.contests.get(readTile(before.chart, hex))?.contenders ?? [];
        const [owner, ...others] = new Set(contenders.map((unit) => this.ships.get(unit)));
        return `${owner === undefined || others.length > 0 ? "one side" : this.player(owner)} claimed it`;
      }
      case ContestEnd.EMPTIED:
        return "nobody was left";
      case ContestEnd.EXPIRED:
        return "it had lasted as long as a contest may";
      default:
        return "it is over";
    }
  }

  private exchanged(exchange: Event_Exchanged): string {
    const { attacker, defender, attackerLoses, defenderLoses } = exchange;
    const [one, other] = [this.ship(attacker), this.ship(defender)];
    const dice = `${exchange.attackerDice.join(" ")} against ${exchange.defenderDice.join(" ")}`;
    const loss =
      attackerLoses === defenderLoses
        ? `each loses ${attackerLoses} hp`
        : [
            ...(attackerLoses > 0 ? [`${one} loses ${attackerLoses} hp`] : []),
            ...(defenderLoses > 0 ? [`${other} loses ${defenderLoses} hp`] : []),
          ].join(", ");
    return `${one} fires on ${other} and rolls ${dice}: ${loss}.`;
  }
}
