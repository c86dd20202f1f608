import { describe, expect, it } from "vitest";
import { bounded, clearOf, CLOSEST, fit, INSIDE, opening, reading, showing, zoomed } from "./camera";

const drawing = { width: 1600, height: 1200 };
/** 48 of it are beside the drawing, under the buttons. */
const port = { width: 848, height: 800 };
const at = (view: { x: number; y: number; scale: number }, x: number, y: number) => ({
  x: view.x + view.scale * x,
  y: view.y + view.scale * y,
});

describe("fit", () => {
  it("shows all of the drawing in the middle", () => {
    const view = fit(drawing, port);
    expect(view.scale).toBe(0.5);
    expect(at(view, 800, 600)).toEqual({ x: 400, y: 400 });
  });
});

describe("opening", () => {
  it("shows all where it can be read", () => {
    const room = { width: 1648, height: 1000 };
    expect(opening(drawing, room, { x: 0, y: 0 })).toEqual(fit(drawing, room));
  });

  it("shows a readable part around a point elsewhere", () => {
    const view = opening(drawing, { width: 390, height: 844 }, { x: 700, y: 600 });
    expect(view.scale).toBeGreaterThan(0.6);
    expect(at(view, 700, 600).x).toBeCloseTo(195);
    const corner = opening(drawing, { width: 390, height: 844 }, { x: 1600, y: 0 });
    expect(at(corner, 1600, 0).x).toBeGreaterThan(340);
  });
});

describe("zoomed", () => {
  it("keeps what is under the pointer there", () => {
    const view = { x: -300, y: -200, scale: 1 };
    const nearer = zoomed(view, 1.5, { x: 100, y: 50 }, drawing, port);
    expect(nearer.scale).toBe(1.5);
    expect(at(nearer, 400, 250)).toEqual({ x: 100, y: 50 });
  });

  it("goes neither too near nor too far", () => {
    const view = { x: 0, y: 0, scale: 1 };
    expect(zoomed(view, 100, { x: 0, y: 0 }, drawing, port).scale).toBe(CLOSEST);
    expect(zoomed(view, 0.001, { x: 0, y: 0 }, drawing, port).scale).toBe(0.5);
  });
});

describe("bounded", () => {
  it("does not lose the drawing in any direction", () => {
    for (const far of [-1e6, 1e6]) {
      const view = bounded({ x: far, y: far, scale: 1 }, drawing, port);
      expect(view.x).toBeLessThan(port.width);
      expect(view.x + drawing.width).toBeGreaterThan(0);
      expect(view.y).toBeLessThan(port.height);
      expect(view.y + drawing.height).toBeGreaterThan(0);
    }
  });
});

describe("showing", () => {
  it("leaves a view as it is that shows the point already", () => {
    const view = { x: -400, y: -200, scale: 1 };
    expect(showing(view, { x: 800, y: 600 }, drawing, port, INSIDE)).toBe(view);
    expect(reading(view, { x: 800, y: 600 }, drawing, port)).toBe(view);
  });

  it("moves no further than needed", () => {
    const view = { x: 0, y: 0, scale: 1 };
    const moved = showing(view, { x: 1000, y: 400 }, drawing, port, INSIDE);
    expect(at(moved, 1000, 400).x).toBeCloseTo(848 * 0.78);
    expect(moved.y).toBe(0);
  });

  it("keeps off the controls of a playback, also where the port is low", () => {
    const view = { x: 0, y: 0, scale: 1 };
    const low = { width: 390, height: 348 };
    expect(at(showing(view, { x: 400, y: 700 }, drawing, port, clearOf(port, true)), 400, 700).y).toBeCloseTo(610);
    expect(at(showing(view, { x: 200, y: 300 }, drawing, low, clearOf(low, true)), 200, 300).y).toBeCloseTo(158);
  });

  it("leaves a view of everything as it is where no controls lie over it", () => {
    const view = fit(drawing, port);
    for (const point of [{ x: 100, y: 60 }, { x: 1500, y: 1140 }]) {
      expect(showing(view, point, drawing, port, clearOf(port, false))).toBe(view);
    }
  });
});

describe("reading", () => {
  it("comes close enough to read", () => {
    expect(reading({ x: 0, y: 0, scale: 0.2 }, { x: 800, y: 600 }, drawing, port).scale).toBeGreaterThan(0.6);
  });
});
