import { expect, test } from "vitest";
import { SafeStorage } from "./storage";

const refuse = (): never => {
  throw new Error("denied");
};

test("what the browser does not keep is remembered as long as the page is open", () => {
  for (const behind of [() => null, refuse, () => ({ getItem: refuse, setItem: refuse, removeItem: refuse })]) {
    const storage = new SafeStorage(behind);
    expect(storage.getItem("a")).toBeNull();
    storage.setItem("a", "1");
    expect(storage.getItem("a")).toBe("1");
    storage.removeItem("a");
    expect(storage.getItem("a")).toBeNull();
  }
});

test("what the browser keeps, other tabs can change", () => {
  const kept = new Map<string, string>();
  const storage = new SafeStorage(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void kept.set(key, text),
    removeItem: (key) => void kept.delete(key),
  }));
  storage.setItem("a", "1");
  kept.set("a", "2");
  expect(storage.getItem("a")).toBe("2");
});
