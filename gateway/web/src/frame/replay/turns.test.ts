import { expect, it } from "vitest";
import { Turns, pageSize } from "./turns";

function archive(last: number, most = pageSize) {
  const asked: number[] = [];
  let refuse = false;
  const turns = new Turns<number>(async (first, count) => {
    asked.push(first);
    if (refuse) throw new Error("lost");
    const length = Math.max(0, Math.min(count, most, last - first + 1));
    return { turns: Array.from({ length }, (_, place) => first + place), last };
  });
  return { asked, turns, refuse: (yes: boolean) => (refuse = yes) };
}

it("finds every turn and asks once for a page", async () => {
  const { asked, turns } = archive(70);
  for (let turn = 1; turn <= 70; turn += 1) expect(await turns.at(turn)).toEqual({ told: turn, last: 70 });
  expect(asked).toEqual([1, 1 + pageSize, 1 + 2 * pageSize]);
  expect(await turns.at(71)).toEqual({ told: null, last: 70 });
});

it("asks for the rest of a page whose turns are too large for one answer", async () => {
  const { asked, turns } = archive(40, 13);
  for (let turn = 1; turn <= 40; turn += 1) expect(await turns.at(turn)).toEqual({ told: turn, last: 40 });
  expect(asked).toEqual([1, 14, 27, 33]);
});

it("keeps a few pages only, those that were looked at last", async () => {
  const { asked, turns } = archive(1000);
  const first = (page: number) => page * pageSize + 1;
  for (const page of [0, 1, 2, 3]) await turns.at(first(page));
  await turns.at(first(0));
  await turns.at(first(4));
  asked.length = 0;
  await turns.at(first(0));
  expect(asked).toEqual([]);
  await turns.at(first(1));
  expect(asked).toEqual([first(1)]);
});

it("asks again for what could not be fetched", async () => {
  const { asked, turns, refuse } = archive(10);
  refuse(true);
  await expect(turns.at(3)).rejects.toThrow("lost");
  refuse(false);
  expect((await turns.at(3)).told).toBe(3);
  expect(asked).toEqual([1, 1]);
});

it("fetches ahead, but never beyond the end", async () => {
  const { asked, turns } = archive(40);
  turns.ahead(32, 40);
  turns.ahead(40, 40);
  await turns.at(33);
  expect(asked).toEqual([33]);
});
