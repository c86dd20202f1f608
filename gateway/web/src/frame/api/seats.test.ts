import { expect, test } from "vitest";
import { SeatStore } from "./seats";
import { type KeyValueStorage, SafeStorage } from "./storage";

class Paper implements KeyValueStorage {
  text: string | null = null;
  getItem = () => this.text;
  setItem = (_: string, text: string) => void (this.text = text);
  removeItem = () => void (this.text = null);
}

const seat = { number: 1, name: "Anna", token: "t" };

test("seats survive a reload, the newest first", () => {
  const paper = new Paper();
  let now = 1000;
  const seats = new SeatStore(paper, () => now);
  seats.keep("a", { title: "First", seat, until: 9000 });
  seats.keep("b", { host: "h", invite: "i", until: 9000 });
  now = 2000;
  const again = new SeatStore(paper, () => now);
  expect(again.all().map((stored) => stored.id)).toEqual(["b", "a"]);
  expect(again.of("a")).toEqual({ id: "a", title: "First", seat, host: null, invite: null, since: 1000, until: 9000, over: false });
  again.keep("b", { seat });
  expect(again.of("b")).toMatchObject({ host: "h", invite: "i", seat, since: 1000 });
  again.drop("a");
  expect(again.of("a")).toBeNull();
});

test("what has expired is dropped", () => {
  const paper = new Paper();
  let now = 1000;
  const seats = new SeatStore(paper, () => now);
  seats.keep("a", { seat, until: 5000 });
  now = 5000;
  expect(seats.of("a")).toBeNull();
  seats.keep("b", { until: 9000 });
  expect(paper.text).not.toContain('"a"');
});

test("what is corrupt is dropped, and the rest stays", () => {
  const paper = new Paper();
  const seats = new SeatStore(paper, () => 1000);
  for (const text of ["", "{", "7", "null", '{"id":"a"}', '[{"id":"a"}, null, 3]']) {
    paper.text = text;
    expect(seats.all()).toEqual([]);
  }
  seats.keep("a", { seat });
  paper.text = (paper.text ?? "").replace("]", ',{"id":"x","seat":{"number":"1"}}]');
  expect(seats.all().map((stored) => stored.id)).toEqual(["a"]);
});

test("a browser that keeps nothing still plays", () => {
  const seats = new SeatStore(new SafeStorage(() => null));
  expect(seats.keep("a", { seat }).seat).toEqual(seat);
  expect(seats.of("a")?.seat).toEqual(seat);
});
