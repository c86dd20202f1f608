import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ActionOptionSchema, StructureOptionsSchema } from "../../gen/parley/plunder/v1/advice_pb";
import { Upgrade } from "../../gen/parley/plunder/v1/board_pb";
import { buildOptions, cancelOptions, faultSentence, pieceNote, shipOptions } from "./options";
import { sampleRules } from "./sample";

it("names what a ship can do, and why it cannot", () => {
  const actions = [
    create(ActionOptionSchema, { order: { unit: 1, action: { case: "hold", value: {} } } }),
    create(ActionOptionSchema, { order: { unit: 1, action: { case: "upgrade", value: Upgrade.HULL } }, cost: 100 }),
    create(ActionOptionSchema, {
      order: { unit: 1, action: { case: "deployShipyard", value: {} } },
      cost: 100,
      fault: { rule: "R11.2", text: "is not on a harbor" },
    }),
    create(ActionOptionSchema, { order: { unit: 1, action: { case: "bombard", value: 4 } } }),
  ];
  const told = shipOptions(actions, sampleRules).map(({ what, name, cost, reason }) => [what.kind, name, cost, reason]);
  expect(told).toEqual([
    ["hold", "Hold", 0, null],
    ["upgrade", "Hull", 100, null],
    ["deploy", "Build a shipyard here", 100, "It is not on a harbor."],
    ["bombard", "Bombard shipyard 4", 0, null],
  ]);
});

it("tells what a shipyard builds, cancels and gives back", () => {
  const options = create(StructureOptionsSchema, {
    structure: 1,
    builds: [{ class: "ship", cost: 50, turns: 3, readyIn: 5 }],
    cancels: [{ index: 0, class: "ship", refund: 37 }],
  });
  expect(buildOptions(options)[0]).toMatchObject({ name: "Build a ship", cost: 50, note: "Takes 3 turns; ready in 5 turns" });
  expect(cancelOptions(options)[0]).toMatchObject({ what: 0, cost: -37, reason: null });
});

it("says what a piece brings by the rules", () => {
  expect(pieceNote(sampleRules.pieces.sails)).toBe("+1 speed");
  expect(pieceNote(sampleRules.pieces.hull)).toBe("+10 hp, +1 speed, whole again");
});

it("makes whole sentences of faults", () => {
  expect(faultSentence("is not adjacent", "It")).toBe("It is not adjacent.");
  expect(faultSentence("The match is over.", "It")).toBe("The match is over.");
});
