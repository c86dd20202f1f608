// Records the matches that tests below src/plunder/model read: each is played against the real server by Anna, who tries
// everything at random, and others. Recordings differ from run to run; tests say what they need to hold, so a run whose
// matches lack something is followed by another.
import { create, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, JsonObject, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, test } from "vitest";
import { Engagement } from "../src/gen/parley/plunder/v1/board_pb";
import type { Options, UnitOptions } from "../src/gen/parley/plunder/v1/advice_pb";
import { type SheetSchema, type StructureOrderSchema, type UnitOrder, UnitOrderSchema } from "../src/gen/parley/plunder/v1/orders_pb";
import { GetTurnsResponseSchema } from "../src/gen/parley/v1/archive_pb";
import type { MapChoiceSchema } from "../src/gen/parley/plunder/v1/settings_pb";
import type { Advice, Query } from "../src/gen/parley/v1/game_pb";
import { MatchStage } from "../src/gen/parley/v1/lobby_pb";
import { GetViewResponseSchema, type News, NewsSchema, type Prompt } from "../src/gen/parley/v1/play_pb";
import { adviceArm, queryWith, sheetWith, viewArm } from "../src/plunder/arms";
import { boardOf, ownShips } from "../src/plunder/model/board";
import type { MATCHES, RecordedAnswers, RecordedFile } from "../src/plunder/model/fixtures/matches";
import { type Hex, hexOf } from "../src/plunder/model/hex";
import type { Board, Ship } from "../src/plunder/model/model";
import { readRules } from "../src/plunder/model/rules";
import { askOptions } from "../src/plunder/session/options";
import { type Calls, calls, freshId, harborsOf, plunderGame } from "./api";
import { Server } from "./server";

/** A match to be recorded. */
interface Plan {
  readonly name: (typeof MATCHES)[number];
  /** The seats after Anna's: the policy of a house bot, or the name of somebody who plays as she does. */
  readonly others: readonly string[];
  readonly fog: boolean;
  /** The seed of a generated map, or the rows of a drawn one that wraps. */
  readonly map: bigint | readonly string[];
  readonly rules: JsonObject;
  /** The turn at whose end Anna gives up. */
  readonly last: number;
}

/** Shipyards that fall within a few turns. */
const WEAK = { shipyard: { hp: 8 } };
/** Ships that do not see far and do not sink soon, so that much comes into sight late. */
const BLIND = { classes: [{ key: "ship", domain: "naval", hull: 30, speed: 3, cannons: 0, vision: 2, build_cost: 50, build_turns: 3 }] };
/** Ben and Carl lie beside each other, and Anna comes upon their fights over the seam. */
const SEAM = [
  "................",
  "......##........",
  "H.....##...H.H..",
  "...##...........",
  "........H.......",
  "..H........##...",
  "................",
  "......~~~~......",
];
/** The tile between Ben and Carl, which both want. */
const LURE: Hex = { q: 11, r: 2 };
const PLANS: readonly Plan[] = [
  {
    name: "open",
    others: ["raider", "planner"],
    fog: false,
    map: 3n,
    rules: { contest_limit: 3, turn_limit: 25, ...WEAK, economy: { start_ships: 4 } },
    last: 22,
  },
  {
    name: "fog",
    others: ["raider", "planner"],
    fog: true,
    map: 5n,
    rules: { contest_limit: 3, turn_limit: 23, economy: { start_ships: 4 } },
    last: 20,
  },
  {
    name: "wrap",
    others: ["Ben", "Carl", "planner"],
    fog: true,
    map: SEAM,
    rules: { turn_limit: 25, ...WEAK, ...BLIND, economy: { start_ships: 6, start_gold: 400 } },
    last: 22,
  },
  {
    name: "short",
    others: ["wander", "cautious"],
    fog: false,
    map: 9n,
    rules: { turn_limit: 12, economy: { start_ships: 5 } },
    last: 99,
  },
];
/** In how many turns Anna asks about courses and odds, and how long she may think about an encounter. */
const ASKING = 3;
const DECISION_MS = 400;

let server: Server;
beforeAll(async () => {
  server = await Server.started();
});
afterAll(() => server.close());

function base64<Schema extends DescMessage>(schema: Schema, message: MessageShape<Schema>): string {
  return Buffer.from(toBinary(schema, message)).toString("base64");
}

/** One of several; undefined of none. */
function any<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(Math.random() * all.length)];
}

function chance(share: number): boolean {
  return Math.random() < share;
}

/**
 * Something that a ship may do: mostly it sails as near as it can to somebody else's ship, or to the lure where it sees none.
 * Ships that are lured see nothing else, and attack whatever they meet.
 */
function orderOf(options: UnitOptions, board: Board, lured: boolean): UnitOrder {
  const { unit } = options;
  const possible = options.actions.filter(({ fault, order }) => fault === undefined && order !== undefined);
  const siege = possible.find(({ order }) => order?.action.case === "bombard");
  const action = chance(0.35) ? (siege ?? any(possible))?.order : undefined;
  const order = action === undefined ? create(UnitOrderSchema, { unit }) : { ...action };
  if (action === undefined) {
    const steps = new Map(options.reach.map((step) => [`${step.hex?.q},${step.hex?.r}`, step]));
    const foes = [...board.ships.values()].filter((ship) => ship.owner !== board.seat);
    const goals = lured || foes.length === 0 ? [LURE] : foes.map((ship) => hexOf(board.chart, ship.tile));
    const far = (step: (typeof options.reach)[number]) => Math.min(...goals.map(({ q, r }) => apart((step.hex?.q ?? 0) - q, (step.hex?.r ?? 0) - r)));
    const wanted = chance(0.7) ? [...options.reach].sort((a, b) => far(a) - far(b))[0] : any(options.reach);
    const path = [];
    for (let step = wanted; step !== undefined; step = steps.get(`${step.from?.q},${step.from?.r}`)) path.unshift(step.hex ?? { q: 0, r: 0 });
    if (path.length > 0) order.action = create(UnitOrderSchema, { action: { case: "move", value: { path } } }).action;
  }
  order.broadside = options.broadsideFault === undefined && chance(0.6);
  if (lured) order.engagement = Engagement.FIGHT;
  else if (chance(0.3)) order.engagement = any([Engagement.ASK, Engagement.EVADE, Engagement.FIGHT, Engagement.FIGHT_IF_HEALTHY]) ?? 0;
  return order;
}

function apart(q: number, r: number): number {
  return (Math.abs(q) + Math.abs(r) + Math.abs(q + r)) / 2;
}

function sheetOf(options: Options, board: Board, lured: boolean): MessageInitShape<typeof SheetSchema> {
  const units = options.units.filter(() => chance(0.9)).map((each) => orderOf(each, board, lured));
  const structures = options.structures.flatMap(({ structure, builds, cancels }): MessageInitShape<typeof StructureOrderSchema>[] => {
    const build = any(builds.filter(({ fault }) => fault === undefined));
    const cancel = any(cancels.filter(({ fault }) => fault === undefined));
    if (cancel !== undefined && chance(0.15)) return [{ structure, work: { case: "cancelBuild", value: cancel.index } }];
    return build !== undefined && chance(0.5) ? [{ structure, work: { case: "build", value: build.class } }] : [];
  });
  return { units, structures };
}

/** Somebody who plays at random and remembers everything that is told. */
class Recorder {
  readonly news: string[] = [];
  readonly asked: RecordedAnswers[] = [];

  constructor(
    private readonly calls: Calls,
    private readonly matchId: string,
    private readonly rulesText: string,
    private readonly plan: Plan,
  ) {}

  /** Follows the match to its end. */
  async plays(): Promise<void> {
    for await (const { news } of this.calls.play.watch({ matchId: this.matchId, views: true })) {
      if (news === undefined) continue;
      this.news.push(base64(NewsSchema, news));
      if (await this.follows(news)) return;
    }
  }

  private async follows({ what }: News): Promise<boolean> {
    if (what.case === "turnOpened") await this.turn(what.value.turn);
    if (what.case === "prompt") await this.answers(what.value);
    if (what.case !== "outcome") return false;
    if (what.value.next) await this.turn(what.value.next.turn);
    return what.value.ended !== undefined;
  }

  private async turn(turn: number): Promise<void> {
    const { view } = await this.calls.play.getView({ matchId: this.matchId });
    if (view === undefined) throw new Error("the match has not begun");
    const board = boardOf(viewArm(view), readRules(this.rulesText));
    if (ownShips(board).length === 0) return;
    const options = await askOptions((query) => this.advise(query));
    if (turn % ASKING === 1) await this.asks(board, options);
    const sheet = turn >= this.plan.last ? { concede: true } : sheetOf(options, board, board.seat !== 0);
    const lock = (what: MessageInitShape<typeof SheetSchema>) =>
      this.calls.play.lockIn({ requestId: freshId(), matchId: this.matchId, turn, sheet: sheetWith(what) });
    // What is possible for one may be too much for all.
    await lock(sheet).catch(() => lock({ units: (sheet.units ?? []).filter(({ action }) => action?.case === "move") }));
  }

  /** Answers most questions, and leaves some to their defaults. */
  private async answers({ turn, window, questions }: Prompt): Promise<void> {
    const answered = questions.filter(() => chance(0.8));
    if (answered.length === 0) return;
    const answers = answered.map(({ id, options }) => ({ question: id, options: [Math.floor(Math.random() * options.length)] }));
    await this.calls.play.answer({ requestId: freshId(), matchId: this.matchId, turn, window, answers });
  }

  private async asks(board: Board, options: Options): Promise<void> {
    const ship = any(ownShips(board));
    if (ship === undefined) return;
    const targets = Array.from({ length: 8 }, () => Math.floor(Math.random() * board.chart.terrain.length));
    const foes = [...board.ships.values()].filter((other) => other.owner !== board.seat);
    const fights = foes.length === 0 ? [] : Array.from({ length: 4 }, () => any(foes)).flatMap((foe) => foe ?? []);
    this.asked.push({
      turn: board.turn,
      ship: ship.id,
      courses: await inTurn(targets, (target) => this.course(ship, target, board)),
      combats: await inTurn(fights, (foe) => this.combat(ship, foe)),
      reach: options.units.map(({ unit, reach }) => ({
        unit,
        reach: reach.map(({ hex, tick, from }) => [hex?.q ?? 0, hex?.r ?? 0, tick, from?.q ?? 0, from?.r ?? 0]),
      })),
    });
  }

  private async course(ship: Ship, target: number, board: Board): Promise<RecordedAnswers["courses"][number]> {
    try {
      const value = { unit: ship.id, target: hexOf(board.chart, target) };
      const told = adviceArm(await this.advise(queryWith({ query: { case: "path", value } })));
      const legs = told?.case === "path" ? told.value.legs : [];
      return { target, legs: legs.map(({ hex, turn, tick }) => [hex?.q ?? 0, hex?.r ?? 0, turn, tick]) };
    } catch (refused) {
      return { target, refused: String(refused) };
    }
  }

  private async combat(first: Ship, second: Ship): Promise<RecordedAnswers["combats"][number]> {
    const [rounds, attacker] = [any([1, 2, 5, 16, 64]) ?? 1, any([1, 2, 3]) ?? 3];
    const value = { first: first.id, second: second.id, rounds, attacker };
    const told = adviceArm(await this.advise(queryWith({ query: { case: "odds", value } })));
    if (told?.case !== "odds") throw new Error("the server answered something else than odds");
    return {
      first: [first.hp, first.damage],
      second: [second.hp, second.damage],
      rounds,
      attacker,
      odds: told.value.ships.map(({ sinksPpm, meanLossMilli, bestHp, worstHp }) => [sinksPpm, meanLossMilli, bestHp, worstHp]),
      both: told.value.bothSinkPpm ?? 0,
    };
  }

  private async advise(query: Query): Promise<Advice | undefined> {
    return (await this.calls.play.advise({ matchId: this.matchId, query })).advice;
  }
}

function sourceOf({ map, others }: Plan): NonNullable<MessageInitShape<typeof MapChoiceSchema>["source"]> {
  if (typeof map === "bigint") return { case: "generated", value: { seed: map, size: "small" } };
  const starts = harborsOf(map).slice(0, others.length + 1);
  return { case: "drawn", value: { rows: [...map], wrap: true, starts } };
}

async function inTurn<T, R>(all: readonly T[], ask: (one: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (const one of all) answers.push(await ask(one));
  return answers;
}

test.each(PLANS)("$name", { timeout: 300_000 }, async (plan) => {
  const anybody = calls(server.address);
  const isBot = (name: string) => /^[a-z]/.test(name);
  const { match } = await anybody.lobby.createMatch({
    requestId: freshId(),
    settings: {
      game: plunderGame({
        map: { source: sourceOf(plan) },
        changes: plan.rules,
        fog: plan.fog,
      }),
      seats: ["", ...plan.others].map((name) => ({ houseBot: isBot(name) ? name : "" })),
      decisionTime: durationFromMs(DECISION_MS),
      startWhenFull: true,
    },
  });
  const matchId = match?.matchId ?? "";
  const { rules } = await anybody.lobby.getMatch({ matchId });
  const names = ["Anna", ...plan.others];
  const players = await inTurn(names.filter((name) => !isBot(name)), async (name) => {
    const { playerToken } = await anybody.lobby.joinMatch({ requestId: freshId(), matchId, name });
    return calls(server.address, playerToken);
  });
  const [anna] = players;
  if (anna === undefined) throw new Error("nobody plays");
  const recorders = players.map((player) => new Recorder(player, matchId, rules, plan));
  await Promise.all(recorders.map((recorder) => recorder.plays()));
  const [recorder] = recorders;
  const last = await anna.play.getView({ matchId });
  for (;;) {
    const { match: now } = await anybody.lobby.getMatch({ matchId });
    if (now?.stage === MatchStage.FINISHED) break;
  }
  const turns: string[] = [];
  for (let first = 1; ; ) {
    const page = await anybody.archive.getTurns({ matchId, first });
    turns.push(base64(GetTurnsResponseSchema, page));
    first += page.turns.length;
    if (first > page.last) break;
  }
  const file: RecordedFile = {
    rules,
    names,
    news: recorder?.news ?? [],
    last: base64(GetViewResponseSchema, last),
    turns,
    asked: recorder?.asked ?? [],
  };
  const path = new URL(`../src/plunder/model/fixtures/${plan.name}.json.gz`, import.meta.url);
  writeFileSync(path, gzipSync(JSON.stringify(file), { level: 9 }));
});
