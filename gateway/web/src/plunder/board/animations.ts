// What each kind of effect looks like while it happens. An animation is told how much of it is over, from 0 to 1, and
// writes that straight into the drawing.
import { ownerColour, emblemPath } from "../../frame/ui/emblem";
import type { MapShape } from "../model/hex";
import type { Effect, Place, Ship, Tile, Yard } from "../model/model";
import { exchange } from "./exchange";
import type { Box } from "./freespace";
import { along, centre, hexPath, type Point, rounded } from "./geometry";
import type { BarOwner } from "./healthbar";
import { draw, drawMarker, type MarkerName } from "./sprite";

export type Animation = (share: number) => void;

/** The drawing that animations change, and what they need to know of it. */
export interface AnimationScene {
  readonly grid: MapShape;
  /** The layer in which animations put drawings of their own, above all ships. */
  readonly layer: SVGElement;
  /** How large signs are, so that they can be read from afar. */
  readonly size: number;
  /** What must stay in sight while this happens: ships, and dice that are there at the same time. Dice add theirs. */
  readonly taken: Box[];
  /** Whether the viewer wants less motion: then nothing slides, shakes or grows. */
  readonly still: boolean;
  /** Where a ship or shipyard is drawn; the middle of its tile if it is not on the board. */
  readonly spot: (ship: Ship, tile: Tile) => Point;
  /** Moves, turns and fades a ship, relative to where it is drawn. */
  readonly pose: (ship: number, pose: Pose) => void;
  /** Shows in its bar how much of a ship or shipyard is left. */
  readonly leave: (of: BarOwner, piece: Ship | Yard, hp: number) => void;
}

export interface Pose {
  /** The place at which the ship is drawn. */
  readonly at?: Point;
  readonly turn?: number;
  readonly size?: number;
  readonly opacity?: number;
}

/** Makes a motion begin slowly, go fast, and end slowly. */
function ease(share: number): number {
  return share < 0.5 ? 2 * share * share : 1 - (2 - 2 * share) ** 2 / 2;
}

/** Grows quickly to a little more than its size and stays. */
function pop(share: number): number {
  const t = Math.min(1, share / 0.3);
  return t >= 1 ? 1 : 1 + 2.2 * (t - 1) ** 3 + 1.2 * (t - 1) ** 2;
}

export function animationOf(effect: Effect, scene: AnimationScene): Animation {
  switch (effect.kind) {
    case "move":
      return move(effect.ship, effect.from, effect.to, scene);
    case "appear":
      return (share) => scene.pose(effect.ship.id, { opacity: scene.still ? 1 : share });
    case "vanish":
      return (share) => scene.pose(effect.ship.id, { opacity: scene.still ? Number(share < 1) : 1 - share });
    case "spawn":
      return spawn(effect.ship, scene);
    case "sink":
      return sink(effect.ship, scene);
    case "exchange":
      return exchange(effect, scene);
    case "meet":
      return over(placeOf(scene.grid, effect.place), effect.passing ? "passing" : "entry", "warn", scene, 0);
    case "decide":
      return over(
        scene.spot(effect.ship, effect.ship.tile),
        effect.choice,
        `${effect.choice === "attack" ? "danger" : "good"}${effect.defaulted ? " defaulted" : ""}`,
        scene,
      );
    case "wait":
      return over(scene.spot(effect.ship, effect.ship.tile), "wait", "soft", scene);
    case "repair":
      return work(effect.ship, "repair", "good", scene);
    case "upgrade":
      return work(effect.ship, effect.piece, "accent", scene);
    case "deploy":
      return over(centre(scene.grid, effect.yard.tile), "deploy", "accent", scene);
    case "contest":
      return contest(effect.tile, effect.open, scene);
    case "bombard":
      return bombard(scene.spot(effect.ship, effect.ship.tile), effect, scene);
    case "capture":
      return capture(centre(scene.grid, effect.yard.tile), effect.by, scene);
  }
}

function placeOf(grid: MapShape, place: Place): Point {
  return "tile" in place ? centre(grid, place.tile) : along(grid, place.edge[0], place.edge[1], 0.499);
}

function move(ship: Ship, from: Tile, to: Tile, scene: AnimationScene): Animation {
  const start = scene.spot(ship, from);
  const end = scene.spot(ship, to);
  const [first, last] = [centre(scene.grid, from), centre(scene.grid, to)];
  return (share) => {
    const t = scene.still ? Number(share >= 0.4) : ease(share);
    const { x, y } = along(scene.grid, from, to, t);
    // From where it lies among others to where it will lie.
    const dx = (start.x - first.x) * (1 - t) + (end.x - last.x) * t;
    const dy = (start.y - first.y) * (1 - t) + (end.y - last.y) * t;
    const heel = scene.still ? 0 : Math.sin(t * Math.PI * 2) * 4;
    scene.pose(ship.id, { at: { x: x + dx, y: y + dy }, turn: heel });
  };
}

/** A sign above a place, or on it. */
function over(at: Point, name: MarkerName, tone: string, scene: AnimationScene, lift = 30): Animation {
  const sign = drawMarker(scene.layer, name, tone);
  return (share) => {
    const size = scene.size * (scene.still ? 1 : pop(share));
    const y = at.y - lift * Math.max(1, scene.size * 0.8);
    sign.setAttribute("transform", `translate(${rounded(at.x)} ${rounded(y)}) scale(${Math.max(0.01, size)})`);
  };
}

/** A ring that grows and fades. */
function ripple(at: Point, tone: string, scene: AnimationScene): Animation {
  const ring = draw(scene.layer, "ellipse", { class: `board-ripple ${tone}`, cx: at.x, cy: at.y + 8, rx: 0, ry: 0 });
  return (share) => {
    const t = scene.still ? 0.6 : share;
    ring.setAttribute("rx", String(rounded(6 + 30 * t)));
    ring.setAttribute("ry", String(rounded(3 + 16 * t)));
    ring.setAttribute("opacity", String(share >= 1 ? 0 : 1 - t));
  };
}

function spawn(ship: Ship, scene: AnimationScene): Animation {
  const ring = ripple(scene.spot(ship, ship.tile), "accent", scene);
  return (share) => {
    ring(share);
    scene.pose(ship.id, scene.still ? {} : { size: Math.max(0.05, pop(share)), opacity: Math.min(1, share * 3) });
  };
}

/** A ship is repaired or fitted with something: it is left as the effect has it. */
function work(ship: Ship, name: MarkerName, tone: string, scene: AnimationScene): Animation {
  const sign = over(scene.spot(ship, ship.tile), name, tone, scene);
  return (share) => {
    sign(share);
    if (share > 0.4) scene.leave("ship", ship, ship.hp);
  };
}

function sink(ship: Ship, scene: AnimationScene): Animation {
  const at = scene.spot(ship, ship.tile);
  const rings = [ripple(at, "danger", scene), ripple(at, "foam", scene)];
  const sign = over(at, "sunk", "danger", scene, 0);
  return (share) => {
    rings[0]?.(share);
    rings[1]?.(Math.max(0, share - 0.2) / 0.8);
    const t = scene.still ? Number(share >= 0.4) : share;
    scene.pose(ship.id, { at: { x: at.x, y: at.y + 16 * t }, turn: 55 * ease(t), opacity: Math.max(0, 1 - t * 1.15) });
    sign(scene.still ? 1 : Math.max(0, share - 0.55) / 0.45);
  };
}

function contest(tile: Tile, open: boolean, scene: AnimationScene): Animation {
  const at = centre(scene.grid, tile);
  const border = draw(scene.layer, "path", { class: `board-flash ${open ? "danger" : "good"}`, d: hexPath({ x: 0, y: 0 }, 2) });
  const sign = open ? over(at, "attack", "danger", scene, 0) : null;
  return (share) => {
    const size = scene.still ? 1 : open ? 1.6 - 0.6 * ease(Math.min(1, share * 2)) : 1 + 0.3 * share;
    border.setAttribute("transform", `translate(${at.x} ${at.y}) scale(${rounded(size * 100) / 100})`);
    border.setAttribute("opacity", String(open ? 1 : 1 - share));
    sign?.(share);
  };
}

const SHOTS = 3;

type Bombardment = Extract<Effect, { kind: "bombard" }>;

function bombard(from: Point, { yard, damage, left }: Bombardment, scene: AnimationScene): Animation {
  const to = centre(scene.grid, yard.tile);
  const balls = Array.from({ length: SHOTS }, () => draw(scene.layer, "circle", { class: "board-shot", r: 4 }));
  const burst = draw(scene.layer, "path", {
    class: "board-burst",
    d: "M0-18L5-6L17-9L8 0L17 9L5 6L0 18L-5 6L-17 9L-8 0L-17-9L-5-6Z",
  });
  const loss = draw(scene.layer, "text", { class: "board-loss" });
  loss.textContent = `−${damage}`;
  return (share) => {
    balls.forEach((ball, index) => {
      const t = (share - index * 0.12) / 0.45;
      const flying = !scene.still && t > 0 && t < 1;
      ball.setAttribute("opacity", flying ? "1" : "0");
      if (!flying) return;
      ball.setAttribute("cx", String(rounded(from.x + (to.x - from.x) * t)));
      ball.setAttribute("cy", String(rounded(from.y + (to.y - from.y) * t - 60 * t * (1 - t))));
    });
    const hit = scene.still ? 1 : Math.max(0, (share - 0.42) / 0.58);
    burst.setAttribute("opacity", String(hit > 0 && hit < 0.5 ? 1 : 0));
    burst.setAttribute("transform", `translate(${to.x} ${to.y}) rotate(${rounded(hit * 60)}) scale(${0.5 + hit})`);
    loss.setAttribute("opacity", String(hit > 0 ? 1 : 0));
    if (hit > 0) scene.leave("yard", yard, left);
    loss.setAttribute("transform", `translate(${to.x} ${rounded(to.y - 22 - 10 * hit)}) scale(${scene.size})`);
  };
}

function capture(at: Point, by: number, scene: AnimationScene): Animation {
  const flag = draw(scene.layer, "g", { class: "board-raised" });
  flag.style.color = ownerColour(by);
  draw(flag, "path", { class: "board-mast", d: "M-14-34V6" });
  draw(flag, "path", { class: "board-cloth", d: "M-14-34H16V-12H-14Z" });
  draw(flag, "path", { class: "board-emblem", d: emblemPath(by), "fill-rule": "evenodd", transform: "translate(1 -23) scale(.8)" });
  return (share) => {
    const rise = scene.still ? 1 : ease(Math.min(1, share * 1.4));
    flag.setAttribute("transform", `translate(${at.x} ${rounded(at.y + 24 * (1 - rise))}) scale(${scene.size})`);
    flag.setAttribute("opacity", String(rise));
  };
}
