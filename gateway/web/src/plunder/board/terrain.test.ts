import { describe, expect, it } from "vitest";
import { madeChart } from "./sample";
import { groundOf, terrainOf, veilOf } from "./terrain";

const chart = madeChart(["~~~~~~~", "~.....~", "~.###.~", "~.###H~", "~.....~", "~~~~~~~"]);

describe("groundOf", () => {
  it("is a few paths, with one outline per island", () => {
    const ground = groundOf(chart);
    expect(ground.land.match(/M/g)).toHaveLength(1);
    expect(ground.coast.match(/M/g)).toHaveLength(1);
    expect(ground.shallows.match(/M/g)).toHaveLength(1);
    expect(ground.all.match(/M/g)).toHaveLength(1);
    expect(ground.quays.match(/M/g)).toHaveLength(1);
  });

  it("says where a map goes on at its other end", () => {
    expect(groundOf(chart).seam).toBe("");
    expect(groundOf({ ...chart, wrap: true }).seam).not.toBe("");
  });

  it("draws nothing of what is not known", () => {
    const blank = groundOf(madeChart(["???", "???"]));
    expect([blank.land, blank.shallows, blank.coast, blank.quays, blank.waves]).toEqual(["", "", "", "", ""]);
  });
});

describe("veilOf", () => {
  it("hides nothing where everything is seen", () => {
    expect(veilOf(chart)).toEqual({ remembered: "", unknown: "" });
  });

  it("dims what is remembered, and covers what is unknown", () => {
    const visible = new Uint8Array(42).fill(1, 0, 21);
    const half = veilOf({ ...chart, visible });
    expect(half.remembered).not.toBe("");
    expect(half.unknown).toBe("");
    expect(veilOf(madeChart(["..?"])).unknown).not.toBe("");
  });
});

describe("terrainOf", () => {
  it("is the key of the rules' table, or nothing", () => {
    expect(terrainOf(chart, 0)).toBe("deep");
    expect(terrainOf(chart, 26)).toBe("harbor");
    expect(terrainOf(madeChart(["?"]), 0)).toBeNull();
  });
});
