// The whole page: the bar at the top, and below it the screen that the address names.
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { type Clients, clients } from "./api/clients";
import { seats } from "./api/seats";
import { Boundary } from "./boundary";
import { type Game, type OpenMatch, gameOf } from "./game";
import { Header } from "./header";
import { Lobby } from "./lobby/lobby";
import { NoMatch } from "./lobby/nomatch";
import { UnknownGame } from "./lobby/unknowngame";
import { WaitingRoom } from "./lobby/waiting";
import { ReplayPage } from "./replay/replaypage";
import { go, matchAddress, useRoute } from "./route";
import { GameFinder } from "./session/finder";
import type { Connection, SessionState } from "./session/state";
import { useStore } from "./session/store";
import "./page.css";

export interface PageProps {
  /** The games of this page. Where no match has said its game yet, the first one speaks. */
  readonly games: readonly [Game, ...Game[]];
}

export function Page({ games }: PageProps) {
  const route = useRoute();
  const [first] = games;
  switch (route.screen) {
    case "match":
      return <MatchPage key={route.id} games={games} id={route.id} invite={route.invite} />;
    case "replay":
      return (
        <Frame game={first} screen="replay" title="Replay — Parley">
          <ReplayPage key={route.id} games={games} id={route.id} query={route.query} />
        </Frame>
      );
    case "lobby":
      return (
        <Frame game={first} screen="lobby" title="Parley">
          <Lobby games={games} />
        </Frame>
      );
    case "nowhere":
      return (
        <Frame game={first} screen="lobby" title="Parley">
          <main class="plain">
            <h1 class="unseen">Parley</h1>
            <div class="notice warn">
              <p>There is nothing at this address.</p>
              <a class="button" href="#/">
                To the lobby
              </a>
            </div>
          </main>
        </Frame>
      );
  }
}

interface FrameProps {
  readonly game: Game;
  readonly screen: "lobby" | "match" | "replay";
  readonly title: string;
  readonly connection?: Connection;
  /** Tries to connect at once. */
  readonly onRetry?: () => void;
  readonly children: preact.ComponentChildren;
}

function Frame({ game, screen, title, connection, onRetry, children }: FrameProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class={`page ${screen}`}>
      <Header help={game.help} connection={connection ?? null} onRetry={() => onRetry?.()} />
      <Boundary>{children}</Boundary>
    </div>
  );
}

interface MatchPageProps {
  readonly games: readonly [Game, ...Game[]];
  readonly id: string;
  readonly invite: string | null;
}

/** A match, as whoever has this browser: a player with a stored seat, a guest with an invitation, or anybody. */
function MatchPage({ games, id, invite }: MatchPageProps) {
  // Counts changes of the stored seat, each of which makes the page follow the match as somebody else.
  const [seated, setSeated] = useState(0);
  const [ruleset, setRuleset] = useState<string | null>(null);
  useMemo(() => {
    if (invite === null) return;
    // The invitation is kept here and taken out of the address, where shoulders and screenshots would find it.
    seats.keep(id, { invite });
    history.replaceState(null, "", matchAddress(id));
  }, [id, invite]);
  const calls = useMemo(() => {
    const stored = seats.of(id);
    return clients(stored?.seat?.token ?? stored?.invite ?? null);
  }, [id, invite, seated]);
  const changed = () => setSeated(seated + 1);
  if (ruleset === null) return <SearchedMatch game={games[0]} id={id} calls={calls} onFound={setRuleset} onSeat={changed} />;
  const game = gameOf(games, ruleset);
  if (game !== null) return <FollowedMatch game={game} id={id} calls={calls} seated={seated} onSeat={changed} />;
  return (
    <Frame game={games[0]} screen="match" title="Match — Parley">
      <UnknownGame ruleset={ruleset} />
    </Frame>
  );
}

interface SearchProps {
  /** The game that speaks while it is not known which it is. */
  readonly game: Game;
  readonly id: string;
  readonly calls: Clients;
  readonly onFound: (ruleset: string) => void;
  readonly onSeat: () => void;
}

/** A match while it is found out which game it is of. */
function SearchedMatch({ game, id, calls, onFound, onSeat }: SearchProps) {
  const finder = useMemo(() => new GameFinder(id, calls.lobby), [id, calls]);
  useEffect(() => () => finder.close(), [finder]);
  const { connection, ruleset } = useStore(finder);
  // Before anything is painted: whoever waits sees no step between looking for the match and following it.
  useLayoutEffect(() => {
    if (ruleset !== null) onFound(ruleset);
  }, [ruleset]);
  return (
    <Frame game={game} screen="match" title="Match — Parley" connection={connection} onRetry={() => finder.retry()}>
      {connection.kind === "refused" ? (
        <NoMatch id={id} reason={connection.reason} sentence={connection.sentence} onSeat={onSeat} />
      ) : (
        <Waiting game={game} connection={connection} />
      )}
    </Frame>
  );
}

interface FollowProps {
  readonly game: Game;
  readonly id: string;
  readonly calls: Clients;
  readonly seated: number;
  readonly onSeat: () => void;
}

function FollowedMatch({ game, id, calls, seated, onSeat }: FollowProps) {
  const opened = useMemo(() => game.openMatch(id, seats.of(id)?.seat?.number ?? null, calls), [game, id, calls]);
  const { session } = opened;
  useEffect(() => () => session.close(), [session]);
  const state = useStore(session);
  return (
    <Frame game={game} screen="match" title={titleOf(state)} connection={state.connection} onRetry={() => session.retry()}>
      <MatchBody key={seated} game={game} opened={opened} state={state} onSeat={onSeat} />
    </Frame>
  );
}

/** What is seen before there is anything of the match. */
function Waiting({ game, connection }: { readonly game: Game; readonly connection: Connection }) {
  return (
    <main class="plain" aria-busy="true">
      <p class="soft">{connection.kind === "lost" ? connection.sentence : game.loading}</p>
    </main>
  );
}

interface BodyProps {
  readonly game: Game;
  readonly opened: OpenMatch;
  readonly state: SessionState;
  readonly onSeat: () => void;
}

function MatchBody({ game, opened, state, onSeat }: BodyProps) {
  const { connection, match } = state;
  if (connection.kind === "refused" && state.board === null) {
    return <NoMatch id={state.id} reason={connection.reason} sentence={connection.sentence} onSeat={onSeat} />;
  }
  if (match === null || (state.phase !== "open" && state.board === null)) {
    return <Waiting game={game} connection={connection} />;
  }
  if (state.phase === "open") {
    return <WaitingRoom pieces={game.lobby} state={state} match={match} onSeat={onSeat} onLeave={() => go("#/")} />;
  }
  return <>{opened.screen()}</>;
}

function titleOf(state: SessionState): string {
  const name = state.match?.settings?.name || "Match";
  if (state.prompt !== null) return `Decide! — ${name} — Parley`;
  if (state.phase === "over") return `Over — ${name} — Parley`;
  return state.turn > 0 ? `Turn ${state.turn} — ${name} — Parley` : `${name} — Parley`;
}
