// Pictures of the page as it is: real matches, played against the real binary, each caught at a good moment.
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { Opponent, calls, createMatch, freshId, plunderGame, recordsOf } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { slimmer } from "./png";
import { setup } from "./setup";

const FOLDER = join(import.meta.dirname, "../screens");
const MOST_BYTES = 180_000;
const MOVING: BrowserContextOptions = { reducedMotion: "no-preference", colorScheme: "light" };
const NIGHT: BrowserContextOptions = { ...MOVING, colorScheme: "dark" };
const PHONE: BrowserContextOptions = { ...MOVING, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const here = setup();

/** A strait between two islands, with a harbor at either end and a free one in the south. */
const STRAIT = [
  "~~~~.....~~~~",
  "~~...##....~~",
  "~...####....~",
  "....###......",
  ".............",
  "...H.....H...",
  ".............",
  "......##.....",
  "~....###.H..~",
  "~~....##...~~",
  "~~~~.....~~~~",
];
const WIDTH = 13;
const HEIGHT = STRAIT.length;

/** A place on the map as it is drawn above: its column and its row. */
type Place = readonly [number, number];
const ANNAS: Place = [3, 5];
const EAST: Place = [5, 5];
const SOUTH: Place = [5, 6];
const NARROWS: Place = [6, 5];
const NORTH: Place = [5, 0];
const BENS: Place = [7, 5];
const FREE: Place = [9, 8];

function hexes(...places: readonly Place[]): { q: number; r: number }[] {
  return places.map(([column, r]) => ({ q: column - (r - (r & 1)) / 2, r }));
}

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}.png`);
  writeFileSync(path, slimmer(await page.screenshot()));
  expect.soft(statSync(path).size, name).toBeLessThan(MOST_BYTES);
}

/** Goes on step by step to the next fight. A step is played and then held: its dice have come to rest by then. */
async function stepsToDice(page: Page): Promise<void> {
  const dice = page.locator(".board-die:visible").first();
  for (let steps = 0; steps < 60 && !(await dice.isVisible()); steps++) {
    await page.getByRole("button", { name: "Step forward" }).click();
    await page.waitForTimeout(300);
  }
  await page.locator(".board-die.won:visible").first().waitFor();
  await page.getByRole("button", { name: "Play", exact: true }).waitFor();
}

/** A captain with an opponent in the strait. */
class Strait {
  private constructor(
    readonly person: Person,
    readonly captain: Captain,
    readonly opponent: Opponent,
    readonly touches: boolean,
  ) {}

  /** Both have left their harbors and have sailed up to the narrows. */
  static async begins(name: string, options: BrowserContextOptions): Promise<Strait> {
    const { browser, server } = here;
    const id = await createMatch(server.address, ["", ""], { name, rows: STRAIT });
    const person = await Person.arrives(browser, server.address, options);
    person.page.setDefaultTimeout(10_000);
    const captain = new Captain(person.page);
    await person.goes(`#/match/${id}`);
    await captain.takesASeat("Anna");
    await person.page.getByText("You", { exact: true }).waitFor();
    const strait = new Strait(person, captain, await Opponent.joins(server.address, id, "Ben"), options.hasTouch === true);
    await captain.plans(1);
    await strait.sends(null, EAST);
    await strait.sends(null, SOUTH);
    await captain.locksIn();
    await strait.benSails(1, [[8, 5], [7, 5]], [[8, 5], [8, 4], [7, 4]]);
    await captain.plans(2);
    return strait;
  }

  get page(): Page {
    return this.person.page;
  }

  /** How many orders there are. */
  async staged(): Promise<number> {
    const tab = await this.page.getByRole("tab", { name: /^Orders/ }).innerText();
    return Number(/\d+/.exec(tab)?.[0] ?? 0);
  }

  async clicks([column, row]: Place): Promise<void> {
    const { x, y } = await this.captain.placeOf(WIDTH, HEIGHT, row * WIDTH + column);
    if (this.touches) await this.page.touchscreen.tap(x, y);
    else await this.page.mouse.click(x, y);
  }

  /** Sends a ship somewhere: the one that lies there, or the next idle one. */
  async sends(from: Place | null, to: Place): Promise<void> {
    const staged = await this.staged();
    await this.page.keyboard.press("Escape");
    if (from === null) await this.page.keyboard.press("n");
    else await this.clicks(from);
    await this.page.getByRole("region", { name: /^Ship \d/ }).waitFor();
    await this.clicks(to);
    await expect.poll(() => this.staged()).toBe(staged + 1);
  }

  /** Ben's ships sail, each along places. */
  async benSails(turn: number, ...paths: readonly (readonly Place[])[]): Promise<void> {
    const ships = await this.opponent.ships();
    const units = paths.map((path, index) => {
      return { unit: ships[index] ?? 0, action: { case: "move" as const, value: { path: hexes(...path) } } };
    });
    await this.opponent.locksIn(turn, { units });
  }

  /** Anna sends one ship through the narrows, one to the free harbor and one around the north; her shipyard builds. */
  async planned(): Promise<void> {
    await this.sends(EAST, BENS);
    await this.sends(SOUTH, FREE);
    await this.sends(null, NORTH);
    await this.page.keyboard.press("Escape");
    await this.clicks(ANNAS);
    const yard = this.page.getByRole("region", { name: /^Shipyard/ });
    if (!(await yard.isVisible())) await this.clicks(ANNAS);
    await yard.getByRole("button", { name: /ship/i }).first().click();
    await expect.poll(() => this.staged()).toBe(4);
    await this.page.keyboard.press("Escape");
    await this.clicks(EAST);
    await this.page.getByRole("region", { name: /^Ship \d/ }).waitFor();
  }

  /** The fleets meet in the narrows. */
  async meets(): Promise<void> {
    await this.captain.locksIn();
    await this.benSails(2, [NARROWS], [NARROWS]);
    await this.captain.seesAll();
    await this.captain.prompt.waitFor();
  }

  async quiet(): Promise<void> {
    await this.page.mouse.move(2, 400);
    await this.page.waitForTimeout(600);
  }
}

/** A match of house bots on a generated map, from its beginning to its end. */
async function played(name: string, size: string, bots: readonly string[], turns: number, fog = false): Promise<string> {
  const { address } = here.server;
  const { match } = await calls(address).lobby.createMatch({
    requestId: freshId(),
    settings: {
      name,
      game: plunderGame({
        map: { source: { case: "generated", value: { size } } },
        changes: { turn_limit: turns },
        fog,
      }),
      seats: bots.map((houseBot) => ({ houseBot })),
      startWhenFull: true,
    },
  });
  const id = match?.matchId ?? "";
  const isOver = () => recordsOf(address, id).then((records) => records.length > 2, () => false);
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
  return id;
}

test("lobby and replay", async () => {
  const { browser, server } = here;
  await played("Gulf of lanterns", "small", ["planner", "raider"], 30);
  await played("Cape Farewell", "tiny", ["raider", "cautious"], 40, true);
  const id = await played("Windward passage", "standard", ["raider", "planner", "raider", "cautious"], 36);
  await createMatch(server.address, ["", "", "raider"], { name: "The skerries", rows: STRAIT });
  const running = await createMatch(server.address, ["", "planner"], { name: "Dogger bank", rows: STRAIT });
  await Opponent.joins(server.address, running, "Clara");
  const other = await createMatch(server.address, ["", ""], { name: "Sound of Sleat", rows: STRAIT, fog: true });
  for (const name of ["Dora", "Emil"]) await Opponent.joins(server.address, other, name);

  const person = await Person.arrives(browser, server.address, MOVING);
  const { page } = person;
  await person.goes("");
  await page.getByRole("link", { name: "Replay Windward passage" }).waitFor();
  await page.getByRole("link", { name: "Join The skerries" }).waitFor();
  await page.getByRole("link", { name: "Watch Dogger bank" }).waitFor();
  await page.waitForTimeout(600);
  await shoot(page, "lobby");

  await person.goes(`#/replay/${id}?turn=14`);
  await page.getByRole("slider", { name: "Turn", exact: true }).waitFor();
  await stepsToDice(page);
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify this match" }).click();
  await page.getByText("Proven.").waitFor({ timeout: 60_000 });
  await page.waitForTimeout(600);
  await shoot(page, "replay");
  await person.leaves();
});

test("planning, contest and playback", async () => {
  const strait = await Strait.begins("The narrows", MOVING);
  const { page, captain, opponent, person } = strait;
  await strait.planned();
  await strait.quiet();
  await shoot(page, "planning");
  await strait.meets();
  await captain.prompt.getByRole("button", { name: "ATTACK" }).click();
  for (const ship of (await opponent.ships()).slice(0, 2)) await opponent.answers(2, ship, "attack");
  await captain.plans(3);
  await strait.clicks(NARROWS);
  await page.getByRole("region", { name: /^Contested tile/ }).waitFor();
  await page.waitForTimeout(1_000);
  await shoot(page, "contest");
  await captain.locksIn();
  await opponent.locksIn(3);
  const playback = page.getByRole("region", { name: "Playback" });
  await playback.waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await stepsToDice(page);
  await shoot(page, "playback");
  await person.leaves();
});

test("encounter, by night", async () => {
  const strait = await Strait.begins("The narrows by night", NIGHT);
  await strait.planned();
  await strait.meets();
  await strait.quiet();
  await shoot(strait.page, "encounter");
  await strait.person.leaves();
});

test("phone", async () => {
  const strait = await Strait.begins("The narrows", PHONE);
  await strait.sends(EAST, BENS);
  await strait.page.waitForTimeout(600);
  await shoot(strait.page, "phone");
  await strait.person.leaves();
});
