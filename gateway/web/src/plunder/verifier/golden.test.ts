// The recorded matches of the repository (`data/golden`): every digest is computed again.
import { bytesToHex } from "@noble/hashes/utils.js";
import { expect, test } from "vitest";
import { dataFiles, dataText } from "./testing/repository";
import { play, read } from "./testing/scenario";
import type { Inputs, ScenarioTree } from "./testing/scenario";

interface Line {
  turn: number;
  inputs?: Inputs;
  digest: string;
}

const JOURNALS = dataFiles("golden");

test("there are journals", () => {
  expect(JOURNALS.length).toBeGreaterThanOrEqual(10);
});

test.each(JOURNALS)("%s", { timeout: 60_000 }, (name) => {
  const [first = "", ...turns] = dataText(`golden/${name}`).trimEnd().split("\n");
  let position = read(JSON.parse(first) as ScenarioTree);
  expect(turns.length).toBeGreaterThan(10);
  for (const line of turns) {
    const { turn, inputs = {}, digest: told } = JSON.parse(line) as Line;
    expect(turn).toBe(position.state.turn);
    const { state, digest } = play(position, inputs);
    expect(bytesToHex(digest), `turn ${turn}`).toBe(told);
    position = { ...position, state, digest };
  }
});
