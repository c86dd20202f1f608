// What fingers, mouse and wheel mean: a click, a path that is drawn, or another view.
import type { Tile } from "../model/model";
import type { Viewport } from "./viewport";

/** What the gestures are told, and whom they tell. */
export interface GestureHandlers {
  readonly tileAt: (clientX: number, clientY: number) => Tile | null;
  /** The own ship that can be dragged from a tile. */
  readonly shipOn: (tile: Tile) => number | null;
  /** Whether a double click there may mean to look closer. */
  readonly idle: (tile: Tile | null) => boolean;
  readonly pick: (tile: Tile) => void;
  readonly drag: (ship: number, over: Tile, done: boolean) => void;
  readonly hover: (tile: Tile | null) => void;
}

/** A hand shakes: less than this is no movement, in pixels. */
const SHAKE = 6;
/** A push is as fast as the pointer was in this many milliseconds before it was let go. */
const RECENT = 90;

interface Finger {
  x: number;
  y: number;
}

type Doing =
  | { readonly kind: "press"; readonly x: number; readonly y: number; readonly ship: number | null; readonly tile: Tile | null }
  | { readonly kind: "pan"; trail: { readonly x: number; readonly y: number; readonly at: number }[] }
  | { readonly kind: "draw"; readonly ship: number; readonly from: Tile; over: Tile }
  | { readonly kind: "pinch" };

/** Listens on the port until the answer is called. */
export function listen(port: HTMLElement, viewport: Viewport, hands: GestureHandlers): () => void {
  const fingers = new Map<number, Finger>();
  let doing: Doing | null = null;
  let hovered: Tile | null = null;

  const hover = (tile: Tile | null) => {
    if (tile === hovered) return;
    hovered = tile;
    hands.hover(tile);
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 1) return;
    if (event.button === 1) event.preventDefault();
    port.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size > 1) {
      if (doing?.kind === "draw") hands.drag(doing.ship, doing.from, true);
      doing = { kind: "pinch" };
      return;
    }
    viewport.pan(0, 0);
    const tile = hands.tileAt(event.clientX, event.clientY);
    const ship = event.button === 0 && tile !== null ? hands.shipOn(tile) : null;
    doing =
      event.button === 1
        ? { kind: "pan", trail: [] }
        : { kind: "press", x: event.clientX, y: event.clientY, ship, tile };
  };

  const move = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (!finger || !doing) {
      if (event.pointerType === "mouse") hover(hands.tileAt(event.clientX, event.clientY));
      return;
    }
    if (doing.kind === "press") {
      if (Math.hypot(event.clientX - doing.x, event.clientY - doing.y) < SHAKE) return;
      doing =
        doing.ship !== null && doing.tile !== null
          ? { kind: "draw", ship: doing.ship, from: doing.tile, over: doing.tile }
          : { kind: "pan", trail: [] };
    }
    if (doing.kind === "pan") {
      viewport.pan(event.clientX - finger.x, event.clientY - finger.y);
      const at = event.timeStamp;
      doing.trail = [...doing.trail.filter((spot) => at - spot.at < RECENT), { x: event.clientX, y: event.clientY, at }];
    } else if (doing.kind === "draw") {
      const over = hands.tileAt(event.clientX, event.clientY);
      if (over !== null && over !== doing.over) {
        doing.over = over;
        hands.drag(doing.ship, over, false);
        hover(over);
      }
    } else if (doing.kind === "pinch") pinch(event, finger);
    finger.x = event.clientX;
    finger.y = event.clientY;
  };

  const pinch = (event: PointerEvent, finger: Finger) => {
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!other) return;
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    viewport.pan((event.clientX - finger.x) / 2, (event.clientY - finger.y) / 2);
    if (before > 0) viewport.zoom(after / before, (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
  };

  const up = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId) || !doing) return;
    const ended = doing;
    if (ended.kind === "pinch") {
      if (fingers.size === 0) doing = null;
      return;
    }
    doing = null;
    if (ended.kind === "press") {
      if (ended.tile !== null) hands.pick(ended.tile);
    } else if (ended.kind === "draw") hands.drag(ended.ship, ended.over, true);
    else {
      const [first] = ended.trail.filter((spot) => event.timeStamp - spot.at < RECENT);
      const ms = first ? event.timeStamp - first.at : 0;
      if (first && ms > 8) viewport.push((event.clientX - first.x) / ms, (event.clientY - first.y) / ms);
    }
  };

  const cancel = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return;
    if (doing?.kind === "draw") hands.drag(doing.ship, doing.from, true);
    if (doing?.kind !== "pinch" || fingers.size === 0) doing = null;
  };

  const leave = () => {
    if (fingers.size === 0) hover(null);
  };

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 18 : 1;
    // A pinch on a touchpad comes as small steps with the control key.
    const speed = event.ctrlKey ? 0.01 : 0.0016;
    const step = Math.max(-240, Math.min(240, event.deltaY * lines));
    viewport.zoom(Math.exp(-step * speed), event.clientX, event.clientY);
  };

  const twice = (event: MouseEvent) => {
    if (hands.idle(hands.tileAt(event.clientX, event.clientY))) viewport.zoom(1.6, event.clientX, event.clientY);
  };

  port.addEventListener("pointerdown", down);
  port.addEventListener("pointermove", move);
  port.addEventListener("pointerup", up);
  port.addEventListener("pointercancel", cancel);
  port.addEventListener("pointerleave", leave);
  port.addEventListener("wheel", wheel, { passive: false });
  port.addEventListener("dblclick", twice);
  return () => {
    port.removeEventListener("pointerdown", down);
    port.removeEventListener("pointermove", move);
    port.removeEventListener("pointerup", up);
    port.removeEventListener("pointercancel", cancel);
    port.removeEventListener("pointerleave", leave);
    port.removeEventListener("wheel", wheel);
    port.removeEventListener("dblclick", twice);
  };
}
