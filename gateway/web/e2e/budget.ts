// What the page costs: bytes, the time until something is seen, and frames while a large sea is moved.
// Machines are busy and draw in software here: the times of a moved sea stand beside those of a page at rest.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { Opponent, calls, freshId, plunderGame } from "./api";
import { Person } from "./browser";
import { setup } from "./setup";

const BUILD = process.env["PARLEY_PAGE"] ?? join(import.meta.dirname, "../dist");
/** The limits that the page promises to keep. */
const MOST_BYTES = 250_000;
const FIRST_DRAW_MS = 1_000;

const LOADS = 10;
const DRAG_MS = 3_000;
const PLAYERS = 8;
const SHIPS_EACH = 14;
/** Turns in which the fleets leave their harbors. */
const TURNS = 6;
const here = setup();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The value that so many of a hundred are not above. */
function centile(values: readonly number[], hundredths: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? NaN;
}

test("bytes", () => {
  let all = 0;
  say(`\n${"file".padEnd(14)}${"bytes".padStart(9)}${"gzipped".padStart(9)}`);
  for (const name of readdirSync(BUILD).sort()) {
    const bytes = readFileSync(join(BUILD, name));
    const packed = gzipSync(bytes, { level: 9 }).length;
    all += packed;
    say(`${name.padEnd(14)}${String(bytes.length).padStart(9)}${String(packed).padStart(9)}`);
  }
  say(`${"all".padEnd(23)}${String(all).padStart(9)}  of ${MOST_BYTES}`);
  expect(all).toBeLessThanOrEqual(MOST_BYTES);
});

test("first draw and interactive lobby", async () => {
  const draws: number[] = [];
  const ready: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    // Everybody comes with an empty cache.
    const person = await Person.arrives(here.browser, here.server.address);
    const { page } = person;
    await person.goes("");
    // The button works, and every list has been answered.
    const answered = await page.waitForFunction(() => {
      const play = [...document.querySelectorAll("button")].find((button) => button.textContent === "Play now");
      const waits = document.body.textContent?.includes("Looking …") !== false;
      return play !== undefined && !play.disabled && !waits ? performance.now() : false;
    });
    ready.push(Number(await answered.jsonValue()));
    const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    await expect.poll(() => page.evaluate(paint)).toBeDefined();
    draws.push((await page.evaluate(paint)) ?? Infinity);
    await person.leaves();
  }
  for (const [name, times] of [["first draw", draws], ["interactive lobby", ready]] as const) {
    say(`${name}: median ${centile(times, 50).toFixed(0)} ms, worst ${Math.max(...times).toFixed(0)} ms (${LOADS} cold loads)`);
  }
  expect(centile(draws, 50)).toBeLessThan(FIRST_DRAW_MS);
});

/** A match on the largest map with a hundred ships at sea. It waits for one player, who does nothing more. */
async function crowdedSea(): Promise<{ id: string; ships: number }> {
  const { address } = here.server;
  const { match } = await calls(address).lobby.createMatch({
    requestId: freshId(),
    settings: {
      name: "A hundred ships",
      game: plunderGame({
        map: { source: { case: "generated", value: { size: "huge" } } },
        changes: { economy: { start_ships: SHIPS_EACH, ships_per_player: 2 * SHIPS_EACH } },
      }),
      seats: Array.from({ length: PLAYERS }, (_, seat) => ({ houseBot: seat === 0 ? "" : "wander" })),
      decisionTime: durationFromMs(1_000),
      startWhenFull: true,
    },
  });
  const id = match?.matchId ?? "";
  const player = await Opponent.joins(address, id, "Anna");
  for (let turn = 1; turn <= TURNS; turn++) {
    await player.locksIn(turn);
    await expect.poll(() => player.turn(), { timeout: 30_000 }).toBe(turn + 1);
  }
  return { id, ships: await player.shipsInSight() };
}

interface Frames {
  readonly times: readonly number[];
  readonly scriptMs: number;
}

/** Counts frames while something is done. */
async function framesOf(page: Page, doing: () => Promise<void>): Promise<Frames> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const script = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? NaN) * 1_000;
  };
  await page.evaluate(() => {
    const times: number[] = [];
    let last = performance.now();
    const frame = (now: number) => {
      times.push(now - last);
      last = now;
      if (!Object.hasOwn(window, "framesOver")) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    Object.assign(window, { frames: times });
  });
  const before = await script();
  await doing();
  const after = await script();
  const times = await page.evaluate(() => {
    Object.assign(window, { framesOver: true });
    return (window as unknown as { frames: number[] }).frames.slice(1);
  });
  await page.evaluate(() => Reflect.deleteProperty(window, "framesOver"));
  await session.detach();
  return { times, scriptMs: after - before };
}

/** Takes the board with the mouse and moves it to and fro, as a hand does. */
async function drag(page: Page): Promise<void> {
  const { mouse } = page;
  const [x, y] = [440, 450];
  await mouse.move(x, y);
  await mouse.down();
  const begin = performance.now();
  for (;;) {
    const ms = performance.now() - begin;
    if (ms > DRAG_MS) break;
    await mouse.move(x + 260 * Math.sin(ms / 260), y + 160 * Math.sin(ms / 410));
    await new Promise((go) => setTimeout(go, 8));
  }
  await mouse.up();
}

test("moving a sea of 32×24 with a hundred ships", async () => {
  const { id, ships } = await crowdedSea();
  const person = await Person.arrives(here.browser, here.server.address, { reducedMotion: "no-preference" });
  const { page } = person;
  await person.goes(`#/match/${id}`);
  await page.locator(".board-ship").first().waitFor();
  await expect.poll(() => page.locator(".board-ship").count()).toBe(ships);
  await page.waitForTimeout(2_000);
  const rest = await framesOf(page, () => page.waitForTimeout(DRAG_MS));
  const chart = page.locator(".board-chart").first();
  const begin = await chart.boundingBox();
  const moved = await framesOf(page, () => drag(page));
  say(`${ships} ships on 32×24, ${DRAG_MS / 1000} s each:`);
  for (const [name, { times, scriptMs }] of [["at rest", rest], ["moved", moved]] as const) {
    const words = [50, 95].map((share) => `p${share} ${centile(times, share).toFixed(1)}`);
    const script = `script ${(scriptMs / times.length).toFixed(2)} ms a frame`;
    say(`  ${name.padEnd(8)} ${words.join(", ")}, worst ${Math.max(...times).toFixed(1)} ms (${times.length} frames), ${script}`);
  }
  const ratio = (share: number) => (centile(moved.times, share) / centile(rest.times, share)).toFixed(2);
  say(`  moved to at rest: p50 ×${ratio(50)}, p95 ×${ratio(95)}`);
  expect(ships).toBeGreaterThanOrEqual(100);
  expect(await chart.boundingBox()).not.toEqual(begin);
  await person.leaves();
});
