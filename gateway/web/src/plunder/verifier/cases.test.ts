// Every rule case of the repository (`data/cases`), played by the verifier's own rules.
import { expect, test } from "vitest";
import { dataFiles, dataText, isTree } from "./testing/repository";
import type { Tree } from "./testing/repository";
import { Refused, result } from "./testing/scenario";
import type { ResultTree, ScenarioTree } from "./testing/scenario";

interface Expected {
  events?: Tree[];
  never?: Tree[];
  units?: Record<string, Tree | null>;
  players?: Record<string, Tree | null>;
  structures?: Record<string, Tree | null>;
  contests?: Tree[];
  result?: unknown;
  refused?: string[];
}

const CASES = dataFiles("cases");
const KNOWN = ["events", "never", "units", "players", "structures", "contests", "result"];

function matches(part: unknown, whole: unknown): boolean {
  if (isTree(part) && isTree(whole)) return Object.keys(part).every((key) => matches(part[key], whole[key]));
  return JSON.stringify(part) === JSON.stringify(whole);
}

function check(wanted: Expected, { events, state }: ResultTree): void {
  expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(wanted)));
  let rest = 0;
  for (const event of wanted.events ?? []) {
    const found = events.findIndex((other, place) => place >= rest && matches(event, other));
    expect(found, `missing, or too early: ${JSON.stringify(event)}`).not.toBe(-1);
    rest = found + 1;
  }
  for (const event of wanted.never ?? []) {
    expect(events.find((other) => matches(event, other))).toBeUndefined();
  }
  for (const kind of ["units", "players", "structures"] as const) {
    for (const [id, item] of Object.entries(wanted[kind] ?? {})) {
      const found = state[kind].find((each) => each["id"] === Number(id));
      if (item === null) expect(found).toBeUndefined();
      else expect(found).toMatchObject(item);
    }
  }
  if (wanted.contests !== undefined) {
    expect(state.contests).toHaveLength(wanted.contests.length);
    wanted.contests.forEach((contest, place) => expect(state.contests[place]).toMatchObject(contest));
  }
  if ("result" in wanted) expect(state.result).toEqual(wanted.result);
}

function refusals(tree: ScenarioTree): readonly string[] {
  try {
    result(tree);
  } catch (fault) {
    if (fault instanceof Refused) return fault.faults;
    throw fault;
  }
  return [];
}

test("there are cases", () => {
  expect(CASES.length).toBeGreaterThan(250);
});

test.each(CASES)("%s", (name) => {
  const { scenario, expect: wanted } = JSON.parse(dataText(`cases/${name}`)) as {
    scenario: ScenarioTree;
    expect: Expected;
  };
  if (wanted.refused === undefined) {
    check(wanted, result(scenario));
    return;
  }
  const found = refusals(scenario);
  for (const rule of wanted.refused) {
    expect(found.some((fault) => fault.includes(`(${rule})`)), `${rule} in ${found.join("; ")}`).toBe(true);
  }
});
