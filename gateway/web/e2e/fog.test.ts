// Fog hides: neither what the page is told nor what it has in its memory knows of a ship out of sight (R14.2).
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Change } from "../src/gen/parley/plunder/v1/change_pb";
import { readReplayFile, replayOf, writeReplayFile } from "../src/frame/verify/replayfile";
import { decode } from "../src/plunder/verifier/encode";
import { Grid } from "../src/plunder/verifier/hexes";
import { Opponent, createMatch, recordsOf } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { overhear, overheard, parts } from "./overheard";
import { setup } from "./setup";

const here = setup();
const WIDTH = 24;
const ROWS = [".".repeat(WIDTH), `.H${".".repeat(WIDTH - 4)}H.`, ".".repeat(WIDTH)];
const VISION = 3;

/** Ships in the memory of the page: objects that have an owner and hit points, by owner. */
async function remembered(page: Page): Promise<Map<number, number>> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send("Runtime.evaluate", { expression: "Object.prototype" });
  if (result.objectId === undefined) throw new Error("there is no prototype");
  const { objects } = await session.send("Runtime.queryObjects", { prototypeObjectId: result.objectId });
  const count = function (this: unknown[]) {
    const owners: number[] = [];
    for (const each of this) {
      const about = typeof each === "object" && each !== null ? Object.getOwnPropertyDescriptors(each) : {};
      const owner: unknown = (about as Record<string, PropertyDescriptor>)["owner"]?.value;
      if ("hp" in about && typeof owner === "number") owners.push(owner);
    }
    return owners;
  };
  const found = await session.send("Runtime.callFunctionOn", {
    objectId: objects.objectId ?? "",
    functionDeclaration: count.toString(),
    returnByValue: true,
  });
  const owners = found.result.value as number[];
  return new Map([...new Set(owners)].map((owner) => [owner, owners.filter((other) => other === owner).length]));
}

test("a fleet out of sight is nowhere in the browser", async () => {
  const id = await createMatch(here.server.address, ["", ""], { rows: ROWS, fog: true });
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  const captain = new Captain(page);
  await overhear(page);
  await person.goes(`#/match/${id}`);
  await captain.takesASeat("Anna");
  await page.getByText("You", { exact: true }).waitFor();
  const opponent = await Opponent.joins(here.server.address, id, "Ben");
  for (const turn of [1, 2]) {
    await captain.plans(turn);
    await captain.locksIn();
    const [ship = 0] = await opponent.ships();
    // To and fro in the far east.
    const q = turn === 1 ? WIDTH - 3 : WIDTH - 2;
    await opponent.sails(turn, ship, [[q, 1]]);
    await captain.seesAll();
  }
  await captain.plans(3);
  const told = [...parts(await overheard(page))];
  const memory = await remembered(page);

  await opponent.concedes();
  await captain.locksIn();
  await captain.seesAll();
  await page.getByRole("status", { name: "Result" }).waitFor();
  const { header, turns } = replayOf(readReplayFile(writeReplayFile(await recordsOf(here.server.address, id))));
  const { width = 0, height = 0, wrap = false, terrain = new Uint8Array() } = header.map ?? {};
  const grid = new Grid(width, height, wrap, terrain);
  const encoded = [header.initialState, ...turns.slice(0, 2).map((turn) => turn.state)];
  const states = encoded.map((state) => decode(state, grid));
  const truth = states.flatMap((state) => [...state.units.values(), ...state.structures.values()]);
  const own = truth.filter((each) => each.owner === 0);
  const hidden = truth.filter((each) => each.owner === opponent.seat);
  // The fleets were never in sight of each other, so that nothing of the other may be told.
  expect(hidden.length).toBeGreaterThan(6);
  const distances = own.flatMap((mine) => hidden.map((theirs) => grid.distance(mine.at, theirs.at)));
  expect(Math.min(...distances)).toBeGreaterThan(2 * VISION);

  const ships = states.flatMap((state) => [...state.units.values()]);
  const hiddenShips = new Set(ships.filter((ship) => ship.owner !== 0).map((ship) => ship.id));
  const units = told.filter((part) => part.$typeName === "parley.plunder.v1.Unit");
  expect(units.filter((unit) => unit["owner"] === 0).length).toBeGreaterThanOrEqual(3);
  expect(units.filter((unit) => unit["owner"] !== 0)).toEqual([]);
  expect(told.filter((part) => part.$typeName === "parley.plunder.v1.Structure" && part["owner"] !== 0)).toEqual([]);
  const structures = states.flatMap((state) => [...state.structures.values()]);
  const hiddenYards = new Set(structures.filter((structure) => structure.owner !== 0).map((structure) => structure.id));
  const changes = told.filter((part) => part.$typeName === "parley.plunder.v1.Change").map((part) => part["what"] as Change["what"]);
  expect(changes.length).toBeGreaterThan(0);
  const changed = (kind: "unit" | "structure") => changes.flatMap((what) => (what.case === kind ? [what.value.id] : []));
  expect(changed("unit").filter((ship) => hiddenShips.has(ship))).toEqual([]);
  expect(changed("structure").filter((yard) => hiddenYards.has(yard))).toEqual([]);
  const players = changes.flatMap((what) => (what.case === "player" && what.value.gold !== undefined ? [what.value.id] : []));
  expect([...new Set(players)]).toEqual([0]);
  const events = told.filter((part) => part.$typeName.startsWith("parley.plunder.v1.Event."));
  expect(events.length).toBeGreaterThan(0);
  expect(events.filter((event) => hiddenShips.has(event["unit"] as number))).toEqual([]);
  const places = told.filter((part) => part.$typeName === "parley.common.v1.Hex").map((hex) => Number(hex["q"]));
  expect(Math.max(...places)).toBeLessThan(WIDTH / 2);

  expect(memory.get(0)).toBeGreaterThanOrEqual(3);
  expect([...memory.keys()]).toEqual([0]);
  await person.leaves();
});
