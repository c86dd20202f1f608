// The speed of playback, kept in the browser.
import { shelf } from "../../api/shelf";
import { type Speed, speeds } from "./reel";

const key = "parley.speed";

export function readSpeed(): Speed {
  const kept = shelf.getItem(key);
  return speeds.find((speed) => String(speed) === kept) ?? 1;
}

export function writeSpeed(speed: Speed): void {
  shelf.setItem(key, String(speed));
}
