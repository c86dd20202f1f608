import { expect, it } from "vitest";
import { momentAddress, readMoment } from "./moment";

const query = (address: string) => address.split("?")[1] ?? "";

it("leads back to the moment that it was made of", () => {
  for (const moment of [
    { seat: null, turn: 1, step: 0 },
    { seat: 0, turn: 17, step: 4 },
    { seat: 15, turn: 200, step: 31 },
  ]) {
    expect(readMoment(query(momentAddress("7b", moment)))).toEqual(moment);
  }
  expect(momentAddress("7b", { seat: null, turn: 3, step: 2 })).toBe("#/replay/7b?view=all&turn=3&step=2");
});

it("begins at the beginning where an address says nothing or nonsense", () => {
  const beginning = { seat: null, turn: 1, step: 0 };
  for (const text of ["", "view=all", "turn=0", "turn=-3&step=x", "view=&turn=&step=", "turn=1e9&step=99999999999"]) {
    expect(readMoment(text)).toEqual(beginning);
  }
});
