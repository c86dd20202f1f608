// Day or night. The machine's own wish holds until somebody wants it otherwise.
import { browserStorage } from "./api/storage";

export type Theme = "system" | "light" | "dark";

const KEY = "parley.theme";
const NEXT: Readonly<Record<Theme, Theme>> = { system: "light", light: "dark", dark: "system" };

export function readTheme(): Theme {
  const kept = browserStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows a theme and remembers it. */
export function showTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") {
    delete root.dataset["theme"];
    browserStorage.removeItem(KEY);
  } else {
    root.dataset["theme"] = theme;
    browserStorage.setItem(KEY, theme);
  }
}

export function nextTheme(theme: Theme): Theme {
  return NEXT[theme];
}
