// Plays the effects of one frame over the board.
import type { Board, Effect, Ship } from "../game/model";
import { type Act, actOf, type Pose, type Scene } from "./acts";
import type { Berth } from "./fan";
import { centre, round } from "./geometry";
import type { Box } from "./room";
import { cuesOf } from "./schedule";
import { barPath, health } from "./ship";
import { draw } from "./sprite";

/** What is on the stage when the curtain rises. */
export interface Setting {
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

/** An effect's time on the stage. Whoever is to come on is not seen before. */
interface Turn {
  readonly act: Act;
  readonly layer: SVGElement;
  readonly start: number;
  readonly end: number;
  readonly unseen: boolean;
}

/** Whether an effect is to be seen. Nothing is before the frame begins, and what was shown last stays until it ends. */
export function isOn(progress: number, start: number, end: number): boolean {
  return progress > 0 && progress >= start && (progress < end || end >= 1);
}

export class Stage {
  readonly #pieces: SVGElement;
  readonly #layer: SVGElement;
  readonly #posed = new Map<number, SVGElement>();
  #turns: readonly Turn[] = [];
  #berths: ReadonlyMap<number, Berth> = new Map();
  #ships: ReadonlyMap<number, Ship> = new Map();
  /** Bars that were changed, and how they were. */
  readonly #bars = new Map<SVGElement, { readonly d: string; readonly kind: string }>();
  #last = -1;

  /** Ships are looked for under `pieces`; acts draw on `layer`. */
  constructor(pieces: SVGElement, layer: SVGElement) {
    this.#pieces = pieces;
    this.#layer = layer;
  }

  /** Takes effects in place of those before. */
  set(effects: readonly Effect[], setting: Setting): void {
    const { board, berths, scale, still } = setting;
    this.clear();
    this.#berths = berths;
    this.#ships = board.ships;
    const waves = new Map<number, Box[]>();
    this.#turns = cuesOf(effects).map(({ effect, start, end }) => {
      const taken = waves.get(start) ?? [...shipBoxes(berths), ...yardBoxes(board)];
      waves.set(start, taken);
      const layer = draw(this.#layer, "g", { "data-effect": effect.kind });
      const scene: Scene = {
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
      };
      const unseen = effect.kind === "appear" || effect.kind === "spawn";
      return { act: actOf(effect, scene), layer, start, end, unseen };
    });
  }

  /** Shows a moment of them, from 0 to 1. */
  show(progress: number): void {
    if (progress === this.#last) return;
    if (progress < this.#last) this.#rest();
    this.#last = progress;
    for (const { act, layer, start, end, unseen } of this.#turns) {
      const begun = progress >= start;
      layer.style.display = isOn(progress, start, end) ? "" : "none";
      if (begun || unseen) act(Math.min(1, Math.max(0, (progress - start) / Math.max(1e-6, end - start))));
    }
  }

  clear(): void {
    this.#rest();
    this.#layer.replaceChildren();
    this.#turns = [];
    this.#last = -1;
  }

  #rest(): void {
    for (const [bar, { d, kind }] of this.#bars) {
      bar.setAttribute("d", d);
      bar.setAttribute("class", kind);
    }
    this.#bars.clear();
    for (const actor of this.#posed.values()) {
      actor.removeAttribute("transform");
      actor.removeAttribute("opacity");
    }
    this.#posed.clear();
  }

  #pose(ship: number, { at, turn = 0, size = 1, opacity = 1, hp }: Pose): void {
    const actor = this.#posed.get(ship) ?? this.#pieces.querySelector<SVGElement>(`[data-ship="${ship}"] > .sea-actor`);
    const berth = this.#berths.get(ship);
    if (!actor || !berth) return;
    this.#posed.set(ship, actor);
    const x = at ? round((at.x - berth.x) / berth.scale) : 0;
    const y = at ? round((at.y - berth.y) / berth.scale) : 0;
    actor.setAttribute("transform", `translate(${x} ${y}) rotate(${round(turn)}) scale(${round(size * 100) / 100})`);
    actor.setAttribute("opacity", String(round(opacity * 100) / 100));
    if (hp !== undefined) this.#leave(actor, ship, hp);
  }

  /** Shows how much of a ship is left. */
  #leave(actor: SVGElement, ship: number, hp: number): void {
    const bar = actor.querySelector<SVGElement>(".sea-hp");
    const maxHp = this.#ships.get(ship)?.maxHp;
    if (!bar || maxHp === undefined) return;
    if (!this.#bars.has(bar)) {
      this.#bars.set(bar, { d: bar.getAttribute("d") ?? "", kind: bar.getAttribute("class") ?? "" });
    }
    bar.setAttribute("d", barPath(hp, maxHp));
    bar.setAttribute("class", `sea-hp ${health(hp, maxHp)}`);
  }
}
