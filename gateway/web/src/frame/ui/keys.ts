// Keys of a screen with a board. The board has the arrows for itself; dialogs have all keys.
import { useEffect, useRef } from "preact/hooks";

/** A key as it is named in a table: "n", "Ctrl+z", "Ctrl+Shift+z", "Escape". Letters are small. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">): string {
  const { key } = event;
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const shifted = event.shiftKey && (key.length > 1 || /[a-z]/i.test(key));
  const parts = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.altKey ? "Alt" : "", shifted ? "Shift" : ""];
  return [...parts.filter((part) => part !== ""), letter].join("+");
}

/** Elements that want plain keys for themselves. */
function takesKeys(target: EventTarget | null, name: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog") !== null) return true;
  if (name.startsWith("Arrow")) return target !== document.body;
  if (target.isContentEditable || target.matches("textarea, select, input:not([type='radio'], [type='checkbox'], [type='range'])")) {
    return true;
  }
  const presses = name === " " || name === "Enter";
  return presses && target.matches("button, a, summary, input");
}

/** Listens for keys as long as the component is there. Each key does one thing; null is left alone. */
export function useKeys(deeds: Readonly<Record<string, (() => void) | null>>): void {
  const latest = useRef(deeds);
  latest.current = deeds;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const name = keyName(event);
      const deed = latest.current[name];
      if (deed === undefined || deed === null || event.defaultPrevented || takesKeys(event.target, name)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      event.stopPropagation();
      deed();
    };
    // This listens before the board does, so that the keys of a playback work while the board has the focus.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}
