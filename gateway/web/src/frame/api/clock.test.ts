import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { ServerClock } from "./clock";

const at = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toUTCString();
const noon = Date.UTC(2030, 0, 1, 12);

test("clocks that agree are taken to agree", () => {
  const clock = new ServerClock();
  expect(clock.ahead).toBe(0);
  clock.heard(at(noon + 730), noon + 700, noon + 760);
  expect(clock.ahead).toBe(0);
  expect(clock.local(timestampFromMs(noon))).toBe(noon);
  expect(clock.local(undefined)).toBeNull();
});

test("many answers narrow down how far the server is ahead", () => {
  const clock = new ServerClock();
  const ahead = 90_250;
  for (let i = 0; i < 40; i++) {
    const asked = noon + i * 1370;
    clock.heard(at(asked + 20 + ahead), asked, asked + 40);
  }
  expect(Math.abs(clock.ahead - ahead)).toBeLessThan(60);
  expect(Math.abs((clock.local(timestampFromMs(noon + ahead)) ?? 0) - noon)).toBeLessThan(60);
});

test("a clock that is set anew is followed", () => {
  const clock = new ServerClock();
  clock.heard(at(noon), noon, noon + 10);
  clock.heard(at(noon + 3_600_000), noon + 20, noon + 30);
  expect(Math.abs(clock.ahead - 3_600_000)).toBeLessThan(1100);
});

test("answers without a date say nothing", () => {
  const clock = new ServerClock();
  clock.heard(null, noon, noon);
  clock.heard("soon", noon, noon);
  expect(clock.ahead).toBe(0);
});
