// The speed of playback, kept in the browser.
import { browserStorage } from "../api/storage";
import { type Speed, speeds } from "./playback";

const key = "parley.speed";

export function readSpeed(): Speed {
  const kept = browserStorage.getItem(key);
  return speeds.find((speed) => String(speed) === kept) ?? 1;
}

export function writeSpeed(speed: Speed): void {
  browserStorage.setItem(key, String(speed));
}
