import type { ComponentChildren, VNode } from "preact";
import { describe, expect, it } from "vitest";
import type { Yard } from "../model/model";
import { barPath, health } from "./healthbar";
import { madeShip } from "./sample";
import { ShipMark } from "./ship";
import { YardMark } from "./yard";

describe("a bar", () => {
  it("is as long as what is left, and another colour from half and from a quarter on", () => {
    expect([10, 5, 0].map((hp) => barPath("ship", hp, 10))).toEqual(["M-17 23h34", "M-17 23h17", "M-17 23h0"]);
    expect(barPath("yard", 5, 20)).toBe("M-20 15h10");
    expect([10, 6, 5, 3, 2].map((hp) => health(hp, 10))).toEqual(["good", "good", "hurt", "hurt", "dire"]);
  });
});

/** All elements that something draws, with their attributes. */
function elements(children: ComponentChildren): VNode<Record<string, unknown>>[] {
  if (Array.isArray(children)) return children.flatMap(elements);
  if (typeof children !== "object" || children === null || !("props" in children)) return [];
  const node = children as VNode<Record<string, unknown>>;
  if (typeof node.type === "function") {
    const component = node.type as (props: Record<string, unknown>) => ComponentChildren;
    return elements(component(node.props));
  }
  return [node, ...elements(node.props["children"] as ComponentChildren)];
}

describe("what the effect player writes while something is played", () => {
  const yard: Yard = { id: 1, owner: 0, tile: 0, hp: 5, maxHp: 20, queue: [] };
  const berth = { x: 0, y: 0, scale: 1, under: false };
  const mark = { at: berth, own: true, facing: -1 as const, badge: "R" };
  const ship = new ShipMark({ ...mark, ship: madeShip(1, 0, 0), selected: true, title: "" });
  const drawn = {
    ship: elements(ship.render()),
    yard: elements(YardMark({ yard, at: berth, selected: true, title: "" })),
  };
  const withClass = (nodes: typeof drawn.ship, name: string) => nodes.filter(({ props }) => props["class"] === name);

  it("is not written by the renderer, which would not notice that it was changed", () => {
    const [actor] = withClass(drawn.ship, "board-actor");
    expect(actor?.props).not.toHaveProperty("transform");
    expect(actor?.props).not.toHaveProperty("opacity");
    for (const nodes of [drawn.ship, drawn.yard]) {
      expect(withClass(nodes, "board-played").map(({ props }) => props)).toEqual([{ class: "board-played" }]);
    }
  });

  it("hides the bar of the board, which comes right after it", () => {
    for (const nodes of [drawn.ship, drawn.yard]) {
      const place = nodes.findIndex(({ props }) => props["class"] === "board-played");
      expect(nodes[place + 1]?.props["class"]).toBe("board-health");
    }
  });
});
