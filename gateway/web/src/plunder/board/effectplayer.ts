// Plays the effects of one frame over the board.
import type { Board, Effect, Ship } from "../model/model";
import { type Animation, animationOf, type Pose, type AnimationScene } from "./animations";
import type { Berth } from "./berths";
import type { Box } from "./freespace";
import { centre, rounded } from "./geometry";
import { type BarOwner, drawBar } from "./healthbar";
import { timedEffects } from "./schedule";
import { draw } from "./sprite";

/** The board that effects are played on, and how it is drawn. */
export interface EffectSetting {
  readonly board: Board;
  readonly berths: ReadonlyMap<number, Berth>;
  readonly scale: number;
  readonly still: boolean;
}

/** Ships that only effects know: they are not on the board yet, or no longer. */
export function ghosts(board: Board, effects: readonly Effect[]): Ship[] {
  const found = new Map<number, Ship>();
  for (const effect of effects) {
    if (!("ship" in effect) || board.ships.has(effect.ship.id)) continue;
    if (effect.kind === "appear" || effect.kind === "spawn" || effect.kind === "sink") found.set(effect.ship.id, effect.ship);
    else if (effect.kind === "vanish") found.set(effect.ship.id, { ...effect.ship, tile: effect.from });
    else if (effect.kind === "move") found.set(effect.ship.id, { ...effect.ship, tile: effect.from });
  }
  return [...found.values()];
}

/** The places of ships that are seen, which is where their hull and sail are. */
function shipBoxes(berths: ReadonlyMap<number, Berth>): Box[] {
  const seen = [...berths.values()].filter((berth) => !berth.under);
  return seen.map(({ x, y, scale }) => ({ x, y, wide: 19 * scale, high: 21 * scale }));
}

/** A shipyard is drawn over the middle of its tile. */
function yardBoxes(board: Board): Box[] {
  return [...board.yards.values()].map(({ tile }) => ({ ...centre(board.chart, tile), wide: 22, high: 22 }));
}

/** An effect with its animation, and the time in which it is played. */
interface PlayedEffect {
  readonly animation: Animation;
  readonly layer: SVGElement;
  readonly start: number;
  readonly end: number;
  /** The ship that comes on with it and is not seen before, if one does. */
  readonly comes: number | null;
}

/** Whether an effect has begun. None has before the frame begins, not even those that come first. */
export function hasBegun(progress: number, start: number): boolean {
  return progress > 0 && progress >= start;
}

/** Whether an effect is to be seen. What was shown last stays until the frame ends. */
export function isOn(progress: number, start: number, end: number): boolean {
  return hasBegun(progress, start) && (progress < end || end >= 1);
}

/**
 * The player and the page's renderer draw on the same ships, and the renderer does not read the drawing: it changes only
 * what it drew otherwise before. So the player writes nothing that the renderer writes, and takes back what it wrote by
 * removing it: the place and opacity of `board-actor`, and what is inside of `board-played` and of its own layer.
 */
export class EffectPlayer {
  readonly #pieces: SVGElement;
  readonly #layer: SVGElement;
  readonly #posed = new Map<number, SVGElement>();
  #played: readonly PlayedEffect[] = [];
  #berths: ReadonlyMap<number, Berth> = new Map();
  /** Bars that are drawn over those of the board. */
  readonly #bars = new Map<string, { readonly ground: Element; readonly set: (hp: number, maxHp: number) => void }>();
  #last = -1;

  /** Ships are looked for under `pieces`; acts draw on `layer`. */
  constructor(pieces: SVGElement, layer: SVGElement) {
    this.#pieces = pieces;
    this.#layer = layer;
  }

  /** Takes effects in place of those before. */
  set(effects: readonly Effect[], setting: EffectSetting): void {
    const { board, berths, scale, still } = setting;
    this.clear();
    this.#berths = berths;
    const waves = new Map<number, Box[]>();
    this.#played = timedEffects(effects).map(({ effect, start, end }) => {
      const taken = waves.get(start) ?? [...shipBoxes(berths), ...yardBoxes(board)];
      waves.set(start, taken);
      const layer = draw(this.#layer, "g", { "data-effect": effect.kind });
      const scene: AnimationScene = {
        grid: board.chart,
        layer,
        size: Math.min(3, Math.max(1, 1.3 / scale)),
        taken,
        still,
        spot: (ship, tile) => {
          const berth = berths.get(ship.id);
          return berth && board.ships.get(ship.id)?.tile === tile ? berth : centre(board.chart, tile);
        },
        pose: (ship, pose) => this.#pose(ship, pose),
        leave: (of, { id, maxHp }, hp) => this.#leave(of, id, hp, maxHp),
      };
      const comes = effect.kind === "appear" || effect.kind === "spawn" ? effect.ship.id : null;
      return { animation: animationOf(effect, scene), layer, start, end, comes };
    });
  }

  /** Shows a moment of them, from 0 to 1. */
  show(progress: number): void {
    if (progress === this.#last) return;
    if (progress < this.#last) this.#rest();
    this.#last = progress;
    for (const { animation, layer, start, end, comes } of this.#played) {
      layer.style.display = isOn(progress, start, end) ? "" : "none";
      if (hasBegun(progress, start)) animation(Math.min(1, (progress - start) / Math.max(1e-6, end - start)));
      else if (comes !== null) this.#pose(comes, { opacity: 0 });
    }
  }

  clear(): void {
    this.#rest();
    this.#layer.replaceChildren();
    this.#played = [];
    this.#last = -1;
  }

  #rest(): void {
    for (const { ground } of this.#bars.values()) ground.replaceChildren();
    this.#bars.clear();
    for (const actor of this.#posed.values()) {
      actor.removeAttribute("transform");
      actor.removeAttribute("opacity");
    }
    this.#posed.clear();
  }

  #pose(ship: number, { at, turn = 0, size = 1, opacity = 1 }: Pose): void {
    const actor = this.#posed.get(ship) ?? this.#pieces.querySelector<SVGElement>(`[data-ship="${ship}"] > .board-actor`);
    const berth = this.#berths.get(ship);
    if (!actor || !berth) return;
    this.#posed.set(ship, actor);
    const x = at ? rounded((at.x - berth.x) / berth.scale) : 0;
    const y = at ? rounded((at.y - berth.y) / berth.scale) : 0;
    actor.setAttribute("transform", `translate(${x} ${y}) rotate(${rounded(turn)}) scale(${rounded(size * 100) / 100})`);
    actor.setAttribute("opacity", String(rounded(opacity * 100) / 100));
  }

  #leave(of: BarOwner, id: number, hp: number, maxHp: number): void {
    const key = `${of} ${id}`;
    let bar = this.#bars.get(key);
    if (!bar) {
      const ground = this.#pieces.querySelector(`[data-${of}="${id}"] .board-played`);
      if (!ground) return;
      bar = { ground, set: drawBar(ground, of) };
      this.#bars.set(key, bar);
    }
    bar.set(hp, maxHp);
  }
}
