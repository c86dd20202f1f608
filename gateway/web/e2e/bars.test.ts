// After every turn of a long fight, and at every turn of its replay, the chart shows what the server's view says.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Upgrade } from "../src/gen/parley/plunder/v1/board_pb";
import type { SheetSchema, UnitOrderSchema } from "../src/gen/parley/plunder/v1/orders_pb";
import type { View } from "../src/gen/parley/plunder/v1/view_pb";
import { newsArm } from "../src/plunder/arms";
import { Opponent, calls, createMatch } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { drawn, expected } from "./drawn";
import { setup } from "./setup";

const here = setup();
const TURNS = 22;
/** In how many turns at least somebody fires. */
const FIGHTS = 20;
/** Anna lies in the western harbor, Ben beside her, and the one in the east is free for a shipyard of Ben's. */
const ROWS = [".....", ".HHH.", "....."];
const FREE = { q: 3, r: 1 };
const WHOLE = { ship: 16, hull: 10, yard: 20 };
const RULES = {
  turn_limit: TURNS,
  classes: [{ key: "ship", domain: "naval", hull: WHOLE.ship, speed: 3, cannons: 0, vision: 3, build_cost: 50, build_turns: 3 }],
  economy: { start_ships: 5, start_gold: 1000 },
};

/**
 * What Ben does in a turn: his weakest ship fires, others bombard Anna's shipyard, repair, are fitted with a hull, sail
 * to the free harbor and become a shipyard there, and his shipyard builds.
 */
function sheetOf(view: View, seat: number): MessageInitShape<typeof SheetSchema> {
  const { turn } = view;
  const fleet = view.units.filter(({ owner, hex }) => owner === seat && hex?.q !== FREE.q).sort((a, b) => a.hp - b.hp);
  const settler = view.units.find(({ owner, hex }) => owner === seat && hex?.q === FREE.q);
  const target = view.structures.find(({ owner }) => owner !== seat);
  const yard = view.structures.find(({ owner }) => owner === seat);
  const [weak, hurt, gunner, other] = fleet;
  const units: MessageInitShape<typeof UnitOrderSchema>[] = [];
  if (weak) units.push({ unit: weak.id, action: { case: "hold", value: {} }, broadside: true });
  if (hurt && turn % 4 === 0) units.push({ unit: hurt.id, action: { case: "repair", value: {} } });
  if (hurt && hurt.hull < 2 && turn % 7 === 0) units.push({ unit: hurt.id, action: { case: "upgrade", value: Upgrade.HULL } });
  if (gunner && target) units.push({ unit: gunner.id, action: { case: "bombard", value: target.id } });
  if (other && turn === 1) units.push({ unit: other.id, action: { case: "move", value: { path: [FREE] } } });
  if (settler && turn === 3) units.push({ unit: settler.id, action: { case: "deployShipyard", value: {} } });
  const structures = yard && turn % 5 === 2 ? [{ structure: yard.id, work: { case: "build" as const, value: "ship" } }] : [];
  return { units, structures };
}

/** The chart comes to show a view, and nothing else. */
async function shows(person: Person, view: View, when: string): Promise<void> {
  const wanted = expected(view, WHOLE);
  await expect.poll(() => drawn(person.page, view), { message: when, timeout: 5_000, interval: 20 }).toEqual(wanted);
}

/** Watches the playback of a turn: from its beginning to its end, or step by step, or only its beginning. */
async function watches(person: Person, turn: number, after: View): Promise<void> {
  const { page } = person;
  const playback = page.getByRole("region", { name: "Playback" });
  await playback.waitFor();
  if (turn % 3 === 0) return;
  if (turn % 3 === 1) {
    await playback.waitFor({ state: "hidden" });
    return;
  }
  const words = () => playback.locator(".numbers").innerText();
  const pause = playback.getByRole("button", { name: "Pause" });
  // On a slow machine it may be over before it is paused; then it is shown again.
  while (!(await pause.click({ timeout: 2_000 }).then(() => true, () => false))) await page.keyboard.press("v");
  for (;;) {
    const [step, last] = (await words()).split(" of ");
    if (step === last) break;
    await page.keyboard.press(".");
    await expect.poll(words).not.toBe(`${step} of ${last}`);
  }
  // When the last step has been played it is held: its dice are still there, and the board is already the one after it.
  await page.keyboard.press(",");
  await page.keyboard.press(".");
  await playback.getByRole("button", { name: "Play", exact: true }).waitFor();
  await shows(person, after, `at the end of turn ${turn}`);
}

test("every bar is as long as the view says after every turn of a fight, and in its replay", async () => {
  const { address } = here.server;
  const id = await createMatch(address, ["", ""], { name: "Two quays", rows: ROWS, rules: RULES });
  const anna = await Person.arrives(here.browser, address, { reducedMotion: "no-preference" });
  const { page } = anna;
  await page.addInitScript(() => localStorage.setItem("parley.speed", "4"));
  const captain = new Captain(page);
  await anna.goes(`#/match/${id}`);
  await captain.takesASeat("Anna");
  await page.getByText("You", { exact: true }).waitFor();
  const ben = await Opponent.joins(address, id, "Ben");
  await captain.plans(1);
  // From here on the page knows the chart from the changes that it is told, and asks for no view.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const views: View[] = [await ben.view()];
  for (let turn = 1; turn <= TURNS; turn++) {
    const view = views.at(-1);
    if (view === undefined) throw new Error("there is no view");
    await captain.plans(turn);
    await shows(anna, view, `when turn ${turn} is planned`);
    await captain.locksIn();
    await ben.locksIn(turn, sheetOf(view, ben.seat));
    await expect.poll(() => ben.turn()).toBe(turn + 1);
    const after = await ben.view();
    views.push(after);
    await watches(anna, turn, after);
    await captain.seesAll();
    await shows(anna, after, `after turn ${turn}`);
  }

  expect(asked).toContain("/parley.v1.Play/LockIn");
  expect(asked).not.toContain("/parley.v1.Play/GetView");

  const { turns } = await calls(address).archive.getTurns({ matchId: id });
  const news = turns.map((turn) => newsArm(turn.news));
  const fights = news.filter(({ events }) => events.some(({ what }) => what.case === "exchanged"));
  const happened = new Set(news.flatMap(({ events }) => events.map(({ what }) => what.case)));
  const colours = new Set(views.flatMap((view) => Object.values(expected(view, WHOLE).ships).map(({ bar }) => bar[1])));
  expect(fights.length).toBeGreaterThanOrEqual(FIGHTS);
  expect([...happened]).toEqual(expect.arrayContaining(["sunk", "repaired", "upgraded", "bombarded", "captured", "deployed", "spawned"]));
  expect(colours.size).toBe(3);

  await anna.goes(`#/replay/${id}`);
  const [slider, steps] = ["Turn", "Step of the turn"].map((name) => page.getByRole("slider", { name, exact: true }));
  if (slider === undefined || steps === undefined) throw new Error("there are no sliders");
  const planned = page.getByText("As it was planned", { exact: true });
  const at = (turn: number) => views[turn - 1] ?? expect.fail(`there is no view of turn ${turn}`);
  await slider.waitFor();
  // Some turns are played, one after the other.
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect.poll(() => slider.inputValue(), { timeout: 20_000 }).toBe("4");
  await page.getByRole("button", { name: "Pause" }).click();
  for (let turn = 1; turn <= TURNS; turn++) {
    await slider.fill(String(turn));
    await planned.waitFor();
    await shows(anna, at(turn), `in the replay, before turn ${turn}`);
    await steps.fill((await steps.getAttribute("max")) ?? "");
    await shows(anna, at(turn + 1), `in the replay, after turn ${turn}`);
  }
  // Without motion, what a step has led to is drawn as soon as the step is shown.
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (let turn = TURNS; turn >= 1; turn--) {
    await steps.fill("0");
    await planned.waitFor();
    await shows(anna, at(turn), `going back, before turn ${turn}`);
    if (turn === 1) break;
    await page.keyboard.press(",");
    await planned.waitFor({ state: "hidden" });
    await shows(anna, at(turn), `going back, after turn ${turn - 1}`);
  }
  await anna.leaves();
});
