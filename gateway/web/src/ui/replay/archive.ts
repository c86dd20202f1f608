// A finished match as the archive tells it.
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Clients, clients } from "../../api/clients";
import { refusalOf } from "../../api/refusal";
import { seats } from "../../api/seats";
import { type Rules, readRules } from "../../game/rules";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import { namesOf } from "../../game/names";
import { type Film, type Told, filmOf, pageOf } from "./film";
import { type Highlight, highlightOf } from "./highlights";
import { Turns, pageSize } from "./turns";

/** What is known of a match before its first turn is looked at. */
export interface Archived {
  readonly clients: Clients;
  readonly match: Match;
  readonly rules: Rules;
  readonly names: readonly string[];
  /** Where the traces of turns are shown; empty: nowhere; null: turns are not traced. */
  readonly traceUrl: string | null;
}

/** The match, or why there is none. */
export type Opened = Archived | { readonly refusal: string } | null;

/** Private matches are told to those who were in them or invited. */
export function useArchived(id: string): Opened {
  const [opened, setOpened] = useState<Opened>(null);
  useEffect(() => {
    let gone = false;
    const stored = seats.of(id);
    const calls = clients(stored?.seat?.token ?? stored?.invite ?? null);
    calls.lobby.getMatch({ matchId: id }).then(
      ({ match, rules, traced, traceUrl: url }) => {
        const traceUrl = traced ? url : null;
        if (gone) return;
        if (match === undefined) setOpened({ refusal: "There is no such match." });
        else setOpened({ clients: calls, match, rules: readRules(rules), names: namesOf(match.seats), traceUrl });
      },
      (thrown: unknown) => {
        if (!gone) setOpened({ refusal: refusalOf(thrown).sentence });
      },
    );
    return () => {
      gone = true;
    };
  }, [id]);
  return opened;
}

/** The turn that is looked at. */
export interface Shown {
  readonly seat: number | null;
  readonly turn: number;
  readonly film: Film;
}

export interface Reading {
  /** Null until the first turn has come. While another is fetched, the one before stays. */
  readonly shown: Shown | null;
  /** How many turns there are; 0 while that is not known. */
  readonly last: number;
  readonly highlights: ReadonlyMap<number, Highlight>;
  readonly refusal: string | null;
}

/** The most pages that are looked through for fights. */
const maxPages = 64;

/** Fetches a turn as somebody saw it, and looks through all turns for what happened. */
export function useTurn({ clients: calls, match, rules, names }: Archived, seat: number | null, turn: number): Reading {
  const [shown, setShown] = useState<Shown | null>(null);
  const [last, setLast] = useState(0);
  const [highlights, setHighlights] = useState<ReadonlyMap<number, Highlight>>(new Map());
  const [refusal, setRefusal] = useState<string | null>(null);
  const { matchId } = match;
  const turns = useMemo(
    () =>
      new Turns<Told>(async (first, count) => {
        const who = seat === null ? {} : { seat };
        return pageOf(await calls.archive.getTurns({ matchId, ...who, first, count }));
      }),
    [calls, matchId, seat],
  );

  useEffect(() => {
    let gone = false;
    turns.at(turn).then(
      (answer) => {
        if (gone) return;
        setRefusal(null);
        setLast(answer.last);
        const film = answer.told === null ? null : filmOf(answer.told, rules, names);
        if (film !== null) setShown({ seat, turn, film });
        turns.ahead(turn, answer.last);
      },
      (thrown: unknown) => {
        if (!gone) setRefusal(refusalOf(thrown).sentence);
      },
    );
    return () => {
      gone = true;
    };
  }, [turns, turn, rules, names]);

  useEffect(() => {
    let gone = false;
    const look = async () => {
      const found = new Map<number, Highlight>();
      for (let page = 0; page < maxPages && !gone; page += 1) {
        const first = page * pageSize + 1;
        const told = await turns.page(page);
        told.turns.forEach(({ turn: { events } }, place) => found.set(first + place, highlightOf(events)));
        if (gone) return;
        setHighlights(new Map(found));
        if (first + told.turns.length > told.last || told.turns.length === 0) return;
      }
    };
    // The marks are a help and no more: without them every turn can still be looked at.
    look().catch(() => undefined);
    return () => {
      gone = true;
    };
  }, [turns]);

  return { shown, last, highlights, refusal };
}
