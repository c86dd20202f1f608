// A list of matches that keeps itself fresh and grows page by page.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions } from "@connectrpc/connect";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import { refusalOf } from "../api/refusal";
import { type Game, gameOf } from "../game";
import { nameOf, namesOf } from "../names";
import { matchAddress } from "../route";
import type { LobbyPieces } from "./pieces";
import { matchTitle } from "./start";

export interface ListProps {
  /** The games of this page. A match of another is listed, too, with less said of it. */
  readonly games: readonly Game[];
  readonly title: string;
  /** The sentence that stands in place of an empty list. */
  readonly empty: string;
  readonly action: "join" | "watch" | "replay";
  /** Asks the server for so many of the newest matches. */
  readonly load: (pageSize: number, options: CallOptions) => Promise<ListedMatches>;
}

interface ListedMatches {
  readonly matches: readonly Match[];
  readonly nextPageToken: string;
}

const PAGE = 5;
const MOST = 100;
const FRESH_MS = 6_000;
const CALL_MS = 15_000;

export function MatchList({ games, title, empty, action, load }: ListProps) {
  const [page, setPage] = useState<ListedMatches | null>(null);
  const [sentence, setSentence] = useState("");
  const shown = useRef(PAGE);
  /** The newest call; what an older one answers is not shown any more. */
  const asking = useRef<AbortController | null>(null);
  const refresh = async () => {
    asking.current?.abort();
    const call = new AbortController();
    asking.current = call;
    try {
      const fresh = await load(shown.current, { signal: call.signal, timeoutMs: CALL_MS });
      if (call.signal.aborted) return;
      setPage(fresh);
      setSentence("");
    } catch (thrown) {
      if (!call.signal.aborted) setSentence(refusalOf(thrown).sentence);
    }
    if (asking.current === call) asking.current = null;
  };
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && asking.current === null) void refresh();
    }, FRESH_MS);
    return () => {
      clearInterval(timer);
      asking.current?.abort();
    };
  }, []);
  const more = () => {
    shown.current = Math.min(MOST, shown.current + 2 * PAGE);
    void refresh();
  };
  const matches = page?.matches ?? [];
  return (
    <section class="panel lobby-list" aria-label={title}>
      <h2>{title}</h2>
      {sentence !== "" && <p class="notice bad">{sentence}</p>}
      {page === null && sentence === "" && <p class="soft">Looking …</p>}
      {page !== null && matches.length === 0 && <p class="soft">{empty}</p>}
      <ul>
        {matches.map((match) => (
          <MatchRow key={match.matchId} games={games} match={match} action={action} />
        ))}
      </ul>
      {page !== null && page.nextPageToken !== "" && shown.current < MOST && (
        <button type="button" class="small quiet" onClick={more}>
          Show more
        </button>
      )}
    </section>
  );
}

interface MatchRowProps extends Pick<ListProps, "games" | "action"> {
  readonly match: Match;
}

function MatchRow({ games, match, action }: MatchRowProps) {
  const title = matchTitle(match);
  const pieces = gameOf(games, match.ruleset)?.lobby ?? null;
  const href = action === "replay" ? `#/replay/${match.matchId}` : matchAddress(match.matchId);
  const word = { join: "Join", watch: "Watch", replay: "Replay" }[action];
  return (
    <li class="lobby-list-row">
      <span class="grow">
        <strong>{title}</strong>
        <span class="soft small lobby-list-about"> {aboutMatch(pieces, match, action, Date.now()).replaceAll(" ·", "\u00a0·")}</span>
      </span>
      <a class="button small" href={href} aria-label={`${word} ${title}`}>
        {word}
      </a>
    </li>
  );
}

/** What somebody wants to know before choosing a match; the pieces are null where its game is not known here. */
export function aboutMatch(pieces: LobbyPieces | null, match: Match, action: ListProps["action"], now: number): string {
  const everybody = namesOf(match.seats);
  const names = match.seats.filter((seat) => seat.taken).map((seat) => nameOf(everybody, seat.seat));
  const free = match.seats.filter((seat) => !seat.taken).length;
  const players = action === "join" ? `${free} of ${match.seats.length} seats free` : listed(names);
  const settings = pieces?.settingsWords(match.settings?.game) ?? [];
  const parts = [players, resultWords(match, everybody), ...settings, ...(match.createdAt === undefined ? [] : [age(now - timestampMs(match.createdAt))])];
  return parts.filter((part) => part !== "").join(" · ");
}

function resultWords(match: Match, names: readonly string[]): string {
  const result = match.result?.result;
  if (match.stopped !== "") return "stopped";
  if (result?.case === "winner") return `won by ${nameOf(names, result.value)}`;
  return result?.case === "draw" ? "a draw" : "";
}

const MOST_NAMES = 4;

function listed(names: readonly string[]): string {
  const some = names.slice(0, MOST_NAMES).join(", ");
  return names.length > MOST_NAMES ? `${some} and ${names.length - MOST_NAMES} more` : some;
}

/** Says roughly how long ago something was, such as "5 min ago". */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "yesterday" : `${days} days ago`;
}
