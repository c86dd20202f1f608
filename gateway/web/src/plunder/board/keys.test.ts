import { describe, expect, it } from "vitest";
import { keyActionOf } from "./keys";

const grid = { width: 5, height: 4, wrap: false };
const press = (key: string, more: Partial<Record<"shiftKey" | "ctrlKey" | "altKey" | "metaKey", boolean>> = {}) =>
  keyActionOf({ key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...more }, grid, 7);

describe("deedOf", () => {
  it("moves the cursor sideways, up and down, and slantwise", () => {
    expect(press("ArrowLeft")).toEqual({ kind: "go", to: 6 });
    expect(press("ArrowRight")).toEqual({ kind: "go", to: 8 });
    expect(press("ArrowUp")).toEqual({ kind: "go", to: 2 });
    expect(press("ArrowDown")).toEqual({ kind: "go", to: 12 });
    expect(press("Home")).toEqual({ kind: "go", to: 2 });
    expect(press("PageUp")).toEqual({ kind: "go", to: 3 });
    expect(press("End")).toEqual({ kind: "go", to: 12 });
    expect(press("PageDown")).toEqual({ kind: "go", to: 13 });
  });

  it("stays where the map ends", () => {
    const at = (key: string, tile: number) =>
      keyActionOf({ key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false }, grid, tile);
    expect(at("ArrowUp", 2)).toEqual({ kind: "go", to: 2 });
    expect(at("ArrowLeft", 5)).toEqual({ kind: "go", to: 5 });
    expect(at("ArrowDown", 18)).toEqual({ kind: "go", to: 18 });
    expect(at("Home", 0)).toEqual({ kind: "go", to: 0 });
  });

  it("moves and zooms the view", () => {
    expect(press("ArrowLeft", { shiftKey: true })).toMatchObject({ kind: "pan", dy: -0 });
    expect(press("+", { shiftKey: true })).toMatchObject({ kind: "zoom" });
    expect(press("-")).toMatchObject({ kind: "zoom" });
    expect(press("0")).toEqual({ kind: "fit" });
  });

  it("leaves letters, Escape and keys with modifiers to the page", () => {
    for (const key of ["a", "q", "n", "L", "Escape", " ", "Tab", ",", "."]) expect(press(key)).toBeNull();
    expect(press("ArrowLeft", { ctrlKey: true })).toBeNull();
    expect(press("Enter", { ctrlKey: true })).toBeNull();
    expect(press("0", { metaKey: true })).toBeNull();
  });
});
