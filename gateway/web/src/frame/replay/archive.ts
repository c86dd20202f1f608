// A finished match as the archive tells it.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { TurnTold } from "../../gen/parley/v1/archive_pb";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import { type Clients, clients } from "../api/clients";
import { refusalOf } from "../api/refusal";
import { seats } from "../api/seats";
import { namesOf } from "../names";
import type { Highlight, ReplayPieces, ReplayTypes } from "./pieces";
import { type ReplayTurn, replayTurnOf } from "./replayturn";
import { Turns, pageSize } from "./turns";

/** A match as the server describes it, whatever its game. */
export interface DescribedMatch {
  /** The calls as whoever looks at it. */
  readonly clients: Clients;
  readonly match: Match;
  /** The rules as the server sends them. */
  readonly rulesText: string;
  readonly names: readonly string[];
  /** Where the traces of turns are shown; empty: nowhere; null: turns are not traced. */
  readonly traceUrl: string | null;
}

/** What is known of a match before its first turn is looked at. */
export interface Archived<G extends ReplayTypes> extends DescribedMatch {
  readonly rules: G["Rules"];
}

/** The match, or why there is none; null while it is fetched. */
export type Description = DescribedMatch | { readonly refusal: string } | null;

/** Private matches are told to those who were in them or invited. */
export function useDescribed(id: string): Description {
  const [opened, setOpened] = useState<Description>(null);
  useEffect(() => {
    let gone = false;
    const stored = seats.of(id);
    const calls = clients(stored?.seat?.token ?? stored?.invite ?? null);
    calls.lobby.getMatch({ matchId: id }).then(
      ({ match, rules: rulesText, traced, traceUrl: url }) => {
        const traceUrl = traced ? url : null;
        if (gone) return;
        if (match === undefined) setOpened({ refusal: "There is no such match." });
        else setOpened({ clients: calls, match, rulesText, names: namesOf(match.seats), traceUrl });
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

/** The turn that is shown, and with whose eyes. */
export interface ShownTurn<G extends ReplayTypes> {
  readonly seat: number | null;
  readonly turn: number;
  readonly played: ReplayTurn<G>;
}

/** How far a replay has been fetched. */
export interface ReplayState<G extends ReplayTypes> {
  /** Null until the first turn has come. While another is fetched, the one before stays. */
  readonly shown: ShownTurn<G> | null;
  /** How many turns there are; 0 while that is not known. */
  readonly last: number;
  readonly highlights: ReadonlyMap<number, Highlight>;
  readonly refusal: string | null;
}

/** The most pages that are looked through for highlights. */
const maxPages = 64;

/** Fetches a turn as somebody saw it, and looks through all turns for what happened. */
export function useTurn<G extends ReplayTypes>(
  pieces: ReplayPieces<G>,
  { clients: calls, match, rules, names }: Archived<G>,
  seat: number | null,
  turn: number,
): ReplayState<G> {
  const [shown, setShown] = useState<ShownTurn<G> | null>(null);
  const [last, setLast] = useState(0);
  const [highlights, setHighlights] = useState<ReadonlyMap<number, Highlight>>(new Map());
  const [refusal, setRefusal] = useState<string | null>(null);
  const { matchId } = match;
  const turns = useMemo(
    () =>
      new Turns<TurnTold>(async (first, count) => {
        const who = seat === null ? {} : { seat };
        return calls.archive.getTurns({ matchId, ...who, first, count });
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
        const played = answer.told === null ? null : replayTurnOf(answer.told, pieces, rules, names);
        if (played !== null) setShown({ seat, turn, played });
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
        told.turns.forEach((each, place) => {
          const highlight = pieces.highlightOf(pieces.messages.readNews(each));
          if (highlight !== null) found.set(first + place, highlight);
        });
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
