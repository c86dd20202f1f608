// Which screen is shown. It stands in the fragment of the address, so that every link works from a plain file server.
import { useEffect, useState } from "preact/hooks";

export type Route =
  | { readonly screen: "lobby" }
  | { readonly screen: "match"; readonly id: string; readonly invite: string | null }
  | { readonly screen: "replay"; readonly id: string; readonly query: string }
  | { readonly screen: "nowhere" };

/** Reads a fragment, with or without its "#". */
export function readRoute(fragment: string): Route {
  const [path = "", query = ""] = split(fragment.replace(/^#/, ""), "?");
  if (path === "" || path === "/") return { screen: "lobby" };
  const found = /^\/(match|replay)\/([A-Za-z0-9_-]{1,64})\/?$/.exec(path);
  const id = found?.[2];
  if (id === undefined) return { screen: "nowhere" };
  if (found?.[1] === "replay") return { screen: "replay", id, query };
  return { screen: "match", id, invite: new URLSearchParams(query).get("invite") || null };
}

function split(text: string, at: string): [string, string] {
  const place = text.indexOf(at);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

/** The fragment of the address that leads to a match. */
export function matchAddress(id: string, invite: string | null = null): string {
  return invite === null ? `#/match/${id}` : `#/match/${id}?invite=${encodeURIComponent(invite)}`;
}

/** The whole address of a fragment, to be given to others. */
export function wholeAddress(fragment: string): string {
  return `${location.origin}${location.pathname}${fragment}`;
}

/** Goes to another screen. */
export function go(fragment: string): void {
  location.hash = fragment;
}

/** The screen that the address names now. */
export function useRoute(): Route {
  const [fragment, changed] = useState(location.hash);
  useEffect(() => {
    const read = () => changed(location.hash);
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  return readRoute(fragment);
}
