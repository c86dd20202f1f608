// The speed of playback, kept in the browser.
import { shelf } from "../../api/seats";
import { type Speed, speeds } from "./reel";

const key = "parley.speed";

export function readSpeed(): Speed {
  try {
    const kept = shelf()?.getItem(key);
    return speeds.find((speed) => String(speed) === kept) ?? 1;
  } catch {
    return 1;
  }
}

export function writeSpeed(speed: Speed): void {
  try {
    shelf()?.setItem(key, String(speed));
  } catch {
    // A browser that keeps nothing plays at the usual speed next time.
  }
}
