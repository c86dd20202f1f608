// A turn cut into steps that a person can follow.
import type { LogLine } from "../../frame/log/logline";
import { type Event, Stage } from "../../gen/parley/plunder/v1/event_pb";
import { applyChanges } from "./changes";
import { effectsOf } from "./effects";
import { distance } from "./hex";
import { lineOf, shortfallLine, voyagesOf } from "./loglines";
import type { Board, Effect, Frame } from "./model";
import { type PlunderNews, type ToldEvent, boardAfter } from "./news";
import type { Rules } from "./rules";
import { BROADSIDES, scenesOf, END, tickOf, whenOfShortfall } from "./scenes";
import type { Scene } from "./scenes";
import { SentenceWriter } from "./sentences";

/** A step, and when in the turn it is. */
interface Step {
  readonly when: number;
  readonly frame: Frame;
}

/** Where the steps of a turn begin, what they are, and where they lead. */
interface Steps {
  readonly first: Board;
  readonly steps: Step[];
}

/**
 * The steps of a whole turn, never an empty one: each has something to see or to read. The last leads to the board that
 * the next turn is planned on. `shown` is how many of the events have been shown before, in the steps up to a prompt.
 */
export function framesOf(
  board: Board,
  news: PlunderNews,
  rules: Rules,
  names: readonly string[],
  shown = 0,
): readonly Frame[] {
  const { first, steps } = stepsOf(board, news, rules, names, shown);
  for (const shortfall of news.shortfalls) {
    const line = shortfallLine(shortfall, first);
    const when = whenOfShortfall(shortfall);
    const place = Math.max(
      0,
      steps.findLastIndex((step) => step.when <= when),
    );
    const step = steps[place];
    if (step === undefined) steps.push({ when, frame: quiet(first, line, "Not everything comes about") });
    else steps[place] = { ...step, frame: { ...step.frame, lines: [...step.frame.lines, line] } };
  }
  if (steps.length === 0) {
    // Whoever does not see everything is not told either that nothing happens anywhere.
    const title = board.chart.visible === null ? "Nothing happens" : "Nothing happens in sight";
    const line: LogLine = {
      turn: board.turn,
      tick: null,
      text: `${title}.`,
      tone: "plain",
      own: false,
      tile: null,
    };
    steps.push({ when: END, frame: quiet(first, line, title) });
  }
  return leadingTo(boardAfter(board, news, rules), steps);
}

/**
 * The steps up to a prompt. They are the first steps of the whole turn, too (only the line of a ship's way may come
 * later there), so that a turn can be played on where the prompt has paused it.
 */
export function framesSoFar(
  board: Board,
  news: PlunderNews,
  rules: Rules,
  names: readonly string[],
  shown = 0,
): readonly Frame[] {
  return leadingTo(boardAfter(board, news, rules), stepsOf(board, news, rules, names, shown).steps);
}

/** The frames of some steps, the last of which leads to a board: that of changes that no event has of its own. */
function leadingTo(after: Board, steps: readonly Step[]): readonly Frame[] {
  return steps.map(({ frame }, place) => (place === steps.length - 1 ? { ...frame, after } : frame));
}

function stepsOf(board: Board, { events }: PlunderNews, rules: Rules, names: readonly string[], shown: number): Steps {
  const teller = new SentenceWriter(names, board);
  const happened = events.map(({ event }) => event);
  const voyages = voyagesOf(happened, shown);
  const lastTick = Math.max(0, ...[...board.ships.values()].map((ship) => ship.speed));
  const steps: Step[] = [];
  let first = board;
  let before = board;
  let now = board;
  for (const scene of scenesOf(happened, apartIn(board, events, rules))) {
    const tick = tickOf(scene.when);
    const effects: Effect[] = [];
    const lines: LogLine[] = [];
    for (const { event, place } of scene.events) {
      const after = applyChanges(now, events[place]?.changes ?? [], rules);
      const defaulted = isDefaulted(happened, place);
      const line = lineOf(teller, event, now, after, tick, voyages.get(place) ?? null, defaulted);
      if (place >= shown) {
        effects.push(...effectsOf(now, event, after, defaulted));
        if (line !== null) lines.push(line);
      }
      now = after;
      if (place < shown) first = before = after;
    }
    // What neither shows nor tells anything happens together with what comes next.
    if (effects.length === 0 && lines.length === 0) continue;
    const title = titleOf(scene, board.turn, lastTick);
    steps.push({ when: scene.when, frame: { turn: board.turn, tick, title, before, effects, after: now, lines } });
    before = now;
  }
  return { first, steps };
}

/** Whether a decision is the one of somebody who did not answer in time, of which the next event tells. */
function isDefaulted(events: readonly Event[], place: number): boolean {
  const [what, next] = [events[place]?.what, events[place + 1]?.what];
  return what?.case === "decided" && next?.case === "defaulted" && next.value.unit === what.value.unit;
}

/** Whether two ships are so far apart that dice over both can be read. */
function apartIn(
  board: Board,
  events: readonly ToldEvent[],
  rules: Rules,
): (one: number, other: number) => boolean {
  // Nobody moves in the broadsides, so one look at the sea is enough.
  const first = events.findIndex(({ event }) => event.stage === Stage.BROADSIDES);
  const earlier = events.slice(0, Math.max(0, first));
  const sea = earlier.reduce((now, { changes }) => applyChanges(now, changes, rules), board);
  return (one, other) => {
    const [here, there] = [sea.ships.get(one), sea.ships.get(other)];
    return here !== undefined && there !== undefined && distance(sea.chart, here.tile, there.tile) > 1;
  };
}

function quiet(board: Board, line: LogLine, title: string): Frame {
  return {
    turn: board.turn,
    tick: null,
    title,
    before: board,
    effects: [],
    after: board,
    lines: [line],
  };
}

function titleOf(scene: Scene, turn: number, lastTick: number): string {
  const words = aboutOf(scene);
  if (scene.kind === "start") return `Start of turn ${turn}`;
  if (scene.when === 0) return `Contests: ${words}`;
  if (scene.when === BROADSIDES) return `Broadsides: ${words}`;
  // In fog somebody faster may be out of sight.
  if (tickOf(scene.when) !== null) return `Tick ${scene.when} of ${Math.max(lastTick, scene.when)}: ${words}`;
  if (scene.kind !== "end") return words;
  return scene.events.some(({ event }) => event.what.case === "ended") ? "The match is over" : `End of turn ${turn}`;
}

function aboutOf({ kind, passing, events }: Scene): string {
  switch (kind) {
    case "start":
    case "end":
      return "";
    case "withdraw":
      return "ships withdraw";
    case "move":
      return "ships move";
    case "meet":
      return "ships meet";
    case "decide":
      return passing ? "a passing encounter is decided" : "an entry encounter is decided";
    case "give-way":
      return "ships give way";
    case "exchange":
      return "an exchange of fire";
    case "sink": {
      const sunk = events.filter(({ event }) => event.what.case === "sunk").length;
      return sunk === 1 ? "a ship sinks" : `${sunk} ships sink`;
    }
    case "contest":
      return "a tile becomes contested";
    case "claim":
      return "a contest ends";
    case "bombard":
      return "Bombardment";
    case "capture":
      return "Shipyards change hands";
    case "build":
      return "Shipyards finish their work";
  }
}
