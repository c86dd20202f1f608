// Day or night. The machine's own wish holds until somebody wants it otherwise.
import { shelf } from "../api/shelf";

export type Theme = "system" | "light" | "dark";

const KEY = "parley.theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function readTheme(): Theme {
  const kept = shelf.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows a theme and remembers it. */
export function showTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") {
    delete root.dataset["theme"];
    shelf.removeItem(KEY);
  } else {
    root.dataset["theme"] = theme;
    shelf.setItem(KEY, theme);
  }
}

export function nextTheme(theme: Theme): Theme {
  return NEXT[theme];
}
