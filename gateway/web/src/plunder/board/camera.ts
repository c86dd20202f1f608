// Which part of the drawing is in view, as numbers only.
import type { Point } from "./geometry";

/** A point of the drawing is at `x + scale * point.x`, `y + scale * point.y` of the port. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The closest that one can look. */
export const CLOSEST = 2.4;
/** Below this a tile is too small to be read or touched. */
const READABLE = 0.62;
/** As close as small screens begin: a tile is as wide as a finger. */
const HANDY = 0.85;
/** How much of the port may be empty beside the drawing, if somebody wants it so. */
const SLACK = 0.4;
/** How much of the port may be empty beside the drawing where nobody has chosen what is in view. */
const TIDY = 0.06;

/** The buttons at the right end of the port; small screens have no room to spare for them. */
const TOOLS = 48;
const SMALL = 600;
/** Closer than this even the whole of a small map is not shown. */
const LARGE = 1.5;

/** All of the drawing, beside the buttons. */
export function fit(drawing: Size, port: Size): View {
  const room = { width: port.width - (port.width > SMALL ? TOOLS : 0), height: port.height };
  const scale = Math.min(LARGE, room.width / drawing.width, room.height / drawing.height);
  return middleAt(room, { x: drawing.width / 2, y: drawing.height / 2 }, scale);
}

/** What is shown first: all of it, or on small screens a readable part around a point. */
export function opening(drawing: Size, port: Size, around: Point): View {
  const whole = fit(drawing, port);
  if (whole.scale >= READABLE) return whole;
  const scale = Math.min(HANDY, Math.max(READABLE, port.width / drawing.width, port.height / drawing.height));
  return bounded(middleAt(port, around, scale), drawing, port, TIDY);
}

/** A view with a point in the middle. */
function middleAt(port: Size, point: Point, scale: number): View {
  return { x: port.width / 2 - point.x * scale, y: port.height / 2 - point.y * scale, scale };
}

/** Closer by a factor, with what is at a point of the port staying there. */
export function zoomed(view: View, factor: number, at: Point, drawing: Size, port: Size): View {
  const farthest = Math.min(fit(drawing, port).scale, READABLE);
  const scale = Math.min(CLOSEST, Math.max(farthest, view.scale * factor));
  const k = scale / view.scale;
  return bounded({ x: at.x - (at.x - view.x) * k, y: at.y - (at.y - view.y) * k, scale }, drawing, port);
}

/** The nearest view that does not lose the drawing. */
export function bounded(view: View, drawing: Size, port: Size, slack = SLACK): View {
  return {
    x: within(view.x, drawing.width * view.scale, port.width, slack),
    y: within(view.y, drawing.height * view.scale, port.height, slack),
    scale: view.scale,
  };
}

function within(start: number, length: number, room: number, slack: number): number {
  const low = Math.min(room - length - room * slack, (room - length) / 2);
  const high = Math.max(room * slack, (room - length) / 2);
  return Math.min(high, Math.max(low, start));
}

/** Parts of the port at its edges that something to be looked at should not be in. */
export interface Edges {
  readonly side: number;
  readonly top: number;
  readonly bottom: number;
}

/** How far inside of the port a point counts as well in view, as a share of its size. */
export const INSIDE: Edges = { side: 0.22, top: 0.22, bottom: 0.22 };
/** The room at the bottom of the port that the controls of a playback, and dice above them, need. */
const CONTROLS = 190;

/** Anywhere in the port, but not where the controls of a playback are, if they lie over it. */
export function clearOf(port: Size, controls: boolean): Edges {
  return { side: 0.05, top: 0.08, bottom: controls ? Math.min(0.55, CONTROLS / port.height) : 0.08 };
}

/** The view that has a point inside of the edges, moved no further than needed. */
export function showing(view: View, point: Point, drawing: Size, port: Size, edges: Edges): View {
  const x = view.x + view.scale * point.x;
  const y = view.y + view.scale * point.y;
  const side = port.width * edges.side;
  const dx = Math.min(port.width - side, Math.max(side, x)) - x;
  const dy = Math.min(port.height * (1 - edges.bottom), Math.max(port.height * edges.top, y)) - y;
  return dx === 0 && dy === 0 ? view : bounded({ x: view.x + dx, y: view.y + dy, scale: view.scale }, drawing, port);
}

/** The same, and close enough to be read. */
export function reading(view: View, point: Point, drawing: Size, port: Size): View {
  if (view.scale < READABLE) return bounded(middleAt(port, point, READABLE), drawing, port, TIDY);
  return showing(view, point, drawing, port, INSIDE);
}
