// A turn cut into steps that a person can follow.
import type { LogLine } from "../../frame/log/logline";
import type { Event, Shortfall } from "../../gen/parley/plunder/v1/event_pb";
import { effectsOf } from "./effects";
import { apply, endTurn } from "./events";
import { distance } from "./hex";
import { lineOf, shortfallLine, voyagesOf } from "./loglines";
import type { Board, Effect, Frame } from "./model";
import type { Rules } from "./rules";
import { BROADSIDES, scenesOf, END, stageOfShortfall, tickOf } from "./scenes";
import type { Scene } from "./scenes";
import { SentenceWriter } from "./sentences";

/** A step, and when in the turn it is. */
interface Step {
  readonly stage: number;
  readonly frame: Frame;
}

/**
 * The steps of a whole turn, never an empty one: each has something to see or to read. With `next`, the board of the
 * view after the turn, the last step leads there; it knows what no event tells.
 */
export function framesOf(
  board: Board,
  events: readonly Event[],
  shortfalls: readonly Shortfall[],
  rules: Rules,
  names: readonly string[],
  next: Board | null = null,
): Frame[] {
  const { steps, board: last } = stepsOf(board, events, rules, names);
  for (const shortfall of shortfalls) {
    const line = shortfallLine(shortfall, board);
    const stage = stageOfShortfall(shortfall);
    const place = Math.max(
      0,
      steps.findLastIndex((step) => step.stage <= stage),
    );
    const step = steps[place];
    if (step === undefined) steps.push({ stage, frame: quiet(board, line, "Not everything comes about") });
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
    steps.push({ stage: END, frame: quiet(board, line, title) });
  }
  const after = next ?? endTurn(last, events, rules);
  return steps.map(({ frame }, place) => (place === steps.length - 1 ? { ...frame, after } : frame));
}

/**
 * The steps up to a prompt. They are the first steps of the whole turn, too (only the line of a ship's way may come
 * later there), so that a turn can be played on where the prompt has paused it.
 */
export function framesSoFar(board: Board, events: readonly Event[], rules: Rules, names: readonly string[]): Frame[] {
  const { steps, board: after } = stepsOf(board, events, rules, names);
  return steps.map(({ frame }, place) => (place === steps.length - 1 ? { ...frame, after } : frame));
}

function stepsOf(
  board: Board,
  events: readonly Event[],
  rules: Rules,
  names: readonly string[],
): { steps: Step[]; board: Board } {
  const teller = new SentenceWriter(names, board);
  const voyages = voyagesOf(events);
  const lastTick = Math.max(0, ...[...board.ships.values()].map((ship) => ship.speed));
  const steps: Step[] = [];
  let before = board;
  let now = board;
  for (const scene of scenesOf(events, apartIn(board, events, rules))) {
    const tick = tickOf(scene.stage);
    const effects: Effect[] = [];
    const lines: LogLine[] = [];
    for (const { event, place } of scene.events) {
      const after = apply(now, event, rules);
      effects.push(...effectsOf(now, event, after));
      const line = lineOf(teller, event, now, after, tick, voyages.get(place) ?? null);
      if (line !== null) lines.push(line);
      now = after;
    }
    // What neither shows nor tells anything happens together with what comes next.
    if (effects.length === 0 && lines.length === 0) continue;
    const title = titleOf(scene, board.turn, lastTick);
    steps.push({ stage: scene.stage, frame: { turn: board.turn, tick, title, before, effects, after: now, lines } });
    before = now;
  }
  return { steps, board: now };
}

/** Whether two ships are so far apart that dice over both can be read. */
function apartIn(board: Board, events: readonly Event[], rules: Rules): (one: number, other: number) => boolean {
  // Nobody moves in the broadsides, so one look at the sea is enough.
  const first = events.findIndex((event) => event.tick === BROADSIDES);
  const sea = first < 0 ? board : events.slice(0, first).reduce((now, event) => apply(now, event, rules), board);
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
  if (scene.stage === 0) return `Contests: ${words}`;
  if (scene.stage === BROADSIDES) return `Broadsides: ${words}`;
  // In fog somebody faster may be out of sight.
  if (tickOf(scene.stage) !== null) return `Tick ${scene.stage} of ${Math.max(lastTick, scene.stage)}: ${words}`;
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
    case "enter":
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
