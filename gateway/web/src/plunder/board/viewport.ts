// Moves the drawing under the port. Moving and zooming change only the transform of a layer that is already painted;
// once zooming has come to rest the layer is painted anew at its true size, so that lines are sharp again.
import { bounded, clearOf, fit, opening, reading, type Size, showing, type View, zoomed } from "./camera";
import type { Point } from "./geometry";

/** How long zooming must rest before the layer is painted anew, in milliseconds. */
const REST = 220;
/** How long a glide takes, in milliseconds. */
const GLIDE = 380;
/** How fast a push dies away, per millisecond. */
const DRAG = 0.0045;

export class Viewport {
  readonly #port: HTMLElement;
  readonly #world: HTMLElement;
  readonly #settled: (scale: number) => void;
  #drawing: Size = { width: 1, height: 1 };
  #room: Size = { width: 0, height: 0 };
  #view: View = { x: 0, y: 0, scale: 1 };
  /** The scale that the layer is painted at. */
  #painted = 0;
  /** Whether somebody has chosen what is in view; until then it follows the size of the port. */
  #chosen = false;
  /** What was in view before something was followed; null where nothing is, or somebody has chosen since. */
  #left: View | null = null;
  #around: Point = { x: 0, y: 0 };
  #rest: ReturnType<typeof setTimeout> | undefined;
  #zooms = 0;
  #frame = 0;

  constructor(port: HTMLElement, world: HTMLElement, settled: (scale: number) => void) {
    this.#port = port;
    this.#world = world;
    this.#settled = settled;
  }

  /** A drawing of another size begins anew; the first view is around a point where not all fits. */
  show(drawing: Size, around: Point): void {
    const same = drawing.width === this.#drawing.width && drawing.height === this.#drawing.height;
    if (same) return;
    this.#drawing = drawing;
    this.#around = around;
    this.#chosen = false;
    this.resize();
  }

  resize(): void {
    const room = { width: this.#port.clientWidth, height: this.#port.clientHeight };
    if (room.width === 0 || room.height === 0) return;
    const before = this.#room;
    this.#room = room;
    this.#halt();
    this.#left = null;
    if (this.#chosen) {
      const { x, y, scale } = this.#view;
      const kept = { x: x + (room.width - before.width) / 2, y: y + (room.height - before.height) / 2, scale };
      this.#place(bounded(kept, this.#drawing, room));
    } else this.#place(opening(this.#drawing, room, this.#around));
    this.#settle();
  }

  /** The point of the drawing under a point of the window. */
  pointAt(clientX: number, clientY: number): Point {
    const { left, top } = this.#port.getBoundingClientRect();
    const { x, y, scale } = this.#view;
    return { x: (clientX - left - x) / scale, y: (clientY - top - y) / scale };
  }

  pan(dx: number, dy: number): void {
    this.#halt();
    if (dx !== 0 || dy !== 0) this.#left = null;
    this.#chosen = true;
    const { x, y, scale } = this.#view;
    this.#place(bounded({ x: x + dx, y: y + dy, scale }, this.#drawing, this.#room));
  }

  /** Closer or farther, around a point of the window or the middle of the port. */
  zoom(factor: number, clientX?: number, clientY?: number): void {
    this.#halt();
    this.#left = null;
    this.#chosen = true;
    const { left, top } = this.#port.getBoundingClientRect();
    const at = {
      x: clientX === undefined ? this.#room.width / 2 : clientX - left,
      y: clientY === undefined ? this.#room.height / 2 : clientY - top,
    };
    this.#place(zoomed(this.#view, factor, at, this.#drawing, this.#room));
  }

  /** Goes on after a push, slower and slower; the speed is in pixels per millisecond. */
  push(vx: number, vy: number): void {
    let last = performance.now();
    const on = (now: number) => {
      const ms = Math.min(48, now - last);
      last = now;
      const fade = Math.exp(-DRAG * ms);
      this.pan(vx * ms, vy * ms);
      vx *= fade;
      vy *= fade;
      if (Math.hypot(vx, vy) > 0.02) this.#frame = requestAnimationFrame(on);
    };
    if (Math.hypot(vx, vy) > 0.1) this.#frame = requestAnimationFrame(on);
  }

  /** Shows all of the drawing. */
  fit(still: boolean): void {
    this.#glide(fit(this.#drawing, this.#room), still);
    this.#chosen = false;
  }

  /** Moves as little as needed to have a point well in view, close enough to be read. */
  lookAt(point: Point, still: boolean): void {
    if (this.#room.width > 0) this.#glide(reading(this.#view, point, this.#drawing, this.#room), still);
  }

  /** Moves as little as needed to have a point in view at all, beside the controls of a playback if there are some. */
  follow(point: Point, controls: boolean, still: boolean): void {
    if (this.#room.width === 0) return;
    const before = this.#left ?? this.#view;
    const to = showing(this.#view, point, this.#drawing, this.#room, clearOf(this.#room, controls));
    if (to === this.#view) return;
    this.#glide(to, still);
    this.#left = before;
  }

  /** Goes back to what was in view before something was followed, unless somebody has chosen another view since. */
  comeBack(still: boolean): void {
    if (this.#left !== null) this.#glide(this.#left, still);
  }

  close(): void {
    this.#halt();
    this.#zooms += 1;
    clearTimeout(this.#rest);
  }

  #glide(to: View, still: boolean): void {
    this.#halt();
    this.#left = null;
    const from = this.#view;
    if (from.x === to.x && from.y === to.y && from.scale === to.scale) return;
    this.#chosen = true;
    if (still) {
      this.#place(to);
      return;
    }
    let begin: number | undefined;
    const on = (now: number) => {
      begin ??= now;
      const share = Math.min(1, (now - begin) / GLIDE);
      const eased = 1 - (1 - share) ** 3;
      const mix = (a: number, b: number) => a + (b - a) * eased;
      this.#place({ x: mix(from.x, to.x), y: mix(from.y, to.y), scale: mix(from.scale, to.scale) });
      if (share < 1) this.#frame = requestAnimationFrame(on);
    };
    this.#frame = requestAnimationFrame(on);
  }

  #halt(): void {
    cancelAnimationFrame(this.#frame);
  }

  #place(view: View): void {
    this.#view = view;
    if (view.scale !== this.#painted) this.#settleLater();
    this.#write();
  }

  /** Where frames take long, two of them must have been without zooming, too. */
  #settleLater(): void {
    this.#zooms += 1;
    const zooms = this.#zooms;
    const settle = () => {
      if (zooms === this.#zooms) this.#settle();
    };
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(settle)), REST);
  }

  #settle(): void {
    clearTimeout(this.#rest);
    const { scale } = this.#view;
    this.#painted = scale;
    this.#world.style.width = `${this.#drawing.width * scale}px`;
    this.#world.style.height = `${this.#drawing.height * scale}px`;
    this.#write();
    this.#settled(scale);
  }

  #write(): void {
    const { x, y, scale } = this.#view;
    const k = this.#painted === 0 ? 1 : scale / this.#painted;
    const stretch = Math.abs(k - 1) < 1e-6 ? "" : ` scale(${k})`;
    this.#world.style.transform = `translate(${Math.round(x)}px,${Math.round(y)}px)${stretch}`;
  }
}
