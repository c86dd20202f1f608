// What the frame asks of a game. The frame knows no game: each one hands these pieces in, and `src/games.ts` lists them.
import type { ComponentChildren, ComponentType } from "preact";
import type { Clients } from "./api/clients";
import type { HelpTexts } from "./help";
import type { LobbyPieces } from "./lobby/pieces";
import type { DescribedMatch } from "./replay/archive";
import type { Session } from "./session/state";

/** A match that is followed, and the game's screen for it. */
export interface OpenMatch {
  /** What the frame itself needs of the session: how the match is, how the connection is, and its end. */
  readonly session: Pick<Session, "subscribe" | "snapshot" | "retry" | "close">;
  /** The screen of the match, once there is a board to show. */
  readonly screen: () => ComponentChildren;
}

/** What the replay screen of a game is told: what the address says, and the match that it names. */
export interface ReplayProps {
  readonly described: DescribedMatch;
  /** What the address says after its "?". */
  readonly query: string;
}

/** A game as the frame sees it. */
export interface Game {
  /** The name of its ruleset, as matches say it. */
  readonly name: string;
  readonly lobby: LobbyPieces;
  readonly help: HelpTexts;
  /** What is said while a match is fetched. */
  readonly loading: string;
  /** Follows a match. The seat is null for spectators; the calls carry the token of whoever follows. */
  readonly openMatch: (id: string, seat: number | null, calls: Clients) => OpenMatch;
  readonly Replay: ComponentType<ReplayProps>;
}

/** The game whose name a match says; null where this page does not know it. */
export function gameOf(games: readonly Game[], ruleset: string): Game | null {
  return games.find(({ name }) => name === ruleset) ?? null;
}
