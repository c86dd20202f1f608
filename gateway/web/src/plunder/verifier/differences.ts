// Where two states that should be one first differ, and since when.
import { contestsInOrder } from "./encode";
import type { Event } from "./events";
import type { Grid, TileIndex } from "./hexes";
import type { PinnedRules } from "./rules";
import type { Build, ContestState, PlayerState, StateResult, State, Structure, Unit } from "./state";

/** A field that is told otherwise than it was computed. */
export interface Difference {
  readonly about: string;
  readonly field: string;
  readonly told: string;
  readonly computed: string;
  /** The last tick in which something happened to it. */
  readonly tick: number | null;
}

type Kind = "player" | "unit" | "structure" | "contest";
/** The fields of an item, as sentences have them. */
type Fields = Readonly<Record<string, string>>;

/** The first difference, in the order of the encoding. */
export function firstDifference(
  rules: PinnedRules,
  grid: Grid,
  told: State,
  computed: State,
  events: readonly Event[],
): Difference | null {
  const show = new Words(rules, grid);
  for (const [field, mine] of Object.entries(show.state(told))) {
    const other = show.state(computed)[field] ?? "";
    if (mine !== other) return { about: "the state", field, told: mine, computed: other, tick: null };
  }
  const contests = (state: State) => new Map(contestsInOrder(state, grid).map((contest) => [contest.at, contest]));
  const byHex = (a: TileIndex, b: TileIndex) => grid.compare(a, b);
  const byId = (a: number, b: number) => a - b;
  return (
    firstOf("player", told.players, computed.players, byId, show.player, events, grid) ??
    firstOf("unit", told.units, computed.units, byId, show.unit, events, grid) ??
    firstOf("structure", told.structures, computed.structures, byId, show.structure, events, grid) ??
    firstOf("contest", contests(told), contests(computed), byHex, show.contest, events, grid)
  );
}

function firstOf<Item>(
  kind: Kind,
  told: ReadonlyMap<number, Item>,
  computed: ReadonlyMap<number, Item>,
  order: (a: number, b: number) => number,
  show: (item: Item) => Fields,
  events: readonly Event[],
  grid: Grid,
): Difference | null {
  const ids = [...new Set([...told.keys(), ...computed.keys()])].sort(order);
  for (const id of ids) {
    const about = kind === "contest" ? `contest at ${grid.shown(id)}` : `${kind} ${id}`;
    const [mine, other] = [told.get(id), computed.get(id)];
    const since = (field: string) => lastTick(kind, id, field, events, grid);
    if (mine === undefined || other === undefined) {
      const there = (item: Item | undefined) => (item === undefined ? "not there" : "there");
      return { about, field: "it", told: there(mine), computed: there(other), tick: since("") };
    }
    const [shown, wanted] = [show(mine), show(other)];
    for (const [field, value] of Object.entries(shown)) {
      const right = wanted[field] ?? "";
      if (value !== right) return { about, field, told: value, computed: right, tick: since(field) };
    }
  }
  return null;
}

/** Items in words, field by field. Two items are the same exactly if their words are. */
class Words {
  constructor(
    private readonly rules: PinnedRules,
    private readonly grid: Grid,
  ) {}

  state(state: State): Fields {
    return {
      turn: String(state.turn),
      next_unit: String(state.nextUnit),
      next_structure: String(state.nextStructure),
      result: shownResult(state.result),
    };
  }

  readonly player = ({ alive, gold }: PlayerState): Fields => ({ alive: String(alive), gold: String(gold) });

  readonly unit = (unit: Unit): Fields => ({
    hex: this.grid.shown(unit.at),
    owner: String(unit.owner),
    class: this.className(unit.kind),
    hp: String(unit.hp),
    sails: String(unit.sails),
    cannons: String(unit.cannons),
    hull: String(unit.hull),
    engagement: unit.engagement,
    route: unit.route.map((tile) => this.grid.shown(tile)).join(" ") || "none",
  });

  readonly structure = (structure: Structure): Fields => ({
    hex: this.grid.shown(structure.at),
    owner: structure.owner === null ? "nobody" : String(structure.owner),
    hp: String(structure.hp),
    queue: structure.queue.map((build) => this.build(build)).join(", ") || "empty",
  });

  readonly contest = ({ since, rounds, contenders }: ContestState): Fields => ({
    since: String(since),
    rounds: String(rounds),
    contenders: contenders.join(", ") || "none",
  });

  private build({ kind, turnsLeft }: Build): string {
    return `a ${this.className(kind)} in ${turnsLeft} ${turnsLeft === 1 ? "turn" : "turns"}`;
  }

  private className(kind: number): string {
    return this.rules.classes[kind]?.key ?? `class ${kind}`;
  }
}

/** A result as sentences have it. */
export function shownResult(result: StateResult | null): string {
  if (result === null) return "none";
  return "winner" in result ? `winner ${result.winner}` : `draw of ${result.draw.join(", ")}`;
}

/** The events that change a field, for fields that not everything changes. */
const CHANGES: Readonly<Record<string, readonly Event["type"][]>> = {
  hex: ["moved", "gave_way", "spawned"],
  hp: ["exchange", "sunk", "repaired", "upgraded", "bombarded", "captured"],
  route: ["moved", "blocked", "decided", "gave_way"],
  engagement: [],
};

/** The last tick of a turn in which something happened to a field of whatever is meant. */
function lastTick(kind: Kind, id: number, field: string, events: readonly Event[], grid: Grid): number | null {
  const changes = CHANGES[field];
  const place = events.findLastIndex(
    (event) =>
      event.type !== "skipped" && concerns(kind, id, event, grid) && (changes?.includes(event.type) ?? true),
  );
  const event = events[place];
  if (event === undefined) return null;
  if ("tick" in event) return event.tick;
  // Salvage follows the sinking that it comes from.
  const isSalvage = event.type === "gold" && event.reason === "salvage";
  const sinking = isSalvage ? events.slice(0, place).findLast((each) => "tick" in each) : undefined;
  return sinking !== undefined && "tick" in sinking ? sinking.tick : null;
}

function concerns(kind: Kind, id: number, event: Event, grid: Grid): boolean {
  const has = (field: string, value: unknown) => (event as Readonly<Record<string, unknown>>)[field] === value;
  switch (kind) {
    case "player":
      return has("player", id);
    case "unit":
      return has("unit", id) || has("attacker", id) || has("defender", id);
    case "structure":
      return has("structure", id);
    case "contest": {
      const [q, r] = event.type === "withdrew" ? event.from : "q" in event ? [event.q, event.r] : [null, null];
      const [wantedQ, wantedR] = grid.hex(id);
      return q === wantedQ && r === wantedR;
    }
  }
}
