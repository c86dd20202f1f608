import { expect, test } from "vitest";
import { SureShelf } from "./shelf";

const refuse = (): never => {
  throw new Error("denied");
};

test("what the browser does not keep is remembered as long as the page is open", () => {
  for (const behind of [() => null, refuse, () => ({ getItem: refuse, setItem: refuse, removeItem: refuse })]) {
    const shelf = new SureShelf(behind);
    expect(shelf.getItem("a")).toBeNull();
    shelf.setItem("a", "1");
    expect(shelf.getItem("a")).toBe("1");
    shelf.removeItem("a");
    expect(shelf.getItem("a")).toBeNull();
  }
});

test("what the browser keeps, other tabs can change", () => {
  const kept = new Map<string, string>();
  const shelf = new SureShelf(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void kept.set(key, text),
    removeItem: (key) => void kept.delete(key),
  }));
  shelf.setItem("a", "1");
  kept.set("a", "2");
  expect(shelf.getItem("a")).toBe("2");
});
