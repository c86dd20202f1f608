// The whole page: the bar at the top, and below it the screen that the address names.
import { useEffect, useMemo, useState } from "preact/hooks";
import { clients } from "./api/clients";
import { seats } from "./api/seats";
import { Boundary } from "./boundary";
import type { Game, OpenMatch } from "./game";
import { Header } from "./header";
import { Lobby } from "./lobby/lobby";
import { NoMatch } from "./lobby/nomatch";
import { WaitingRoom } from "./lobby/waiting";
import { go, matchAddress, useRoute } from "./route";
import type { SessionState } from "./session/state";
import { useStore } from "./session/store";
import "./page.css";

/** The server does not say which ruleset a match is of: for now every match is one of the first game that is listed. */
export function Page({ games: [game] }: { readonly games: readonly [Game, ...Game[]] }) {
  const route = useRoute();
  switch (route.screen) {
    case "match":
      return <MatchPage key={route.id} game={game} id={route.id} invite={route.invite} />;
    case "replay":
      return (
        <Frame game={game} screen="replay" title="Replay — Parley">
          <game.Replay key={route.id} id={route.id} query={route.query} />
        </Frame>
      );
    case "lobby":
      return (
        <Frame game={game} screen="lobby" title="Parley">
          <Lobby pieces={game.lobby} />
        </Frame>
      );
    case "nowhere":
      return (
        <Frame game={game} screen="lobby" title="Parley">
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
  readonly session?: OpenMatch["session"];
  readonly children: preact.ComponentChildren;
}

function Frame({ game, screen, title, session, children }: FrameProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class={`page ${screen}`}>
      <Header help={game.help} connection={session?.snapshot().connection ?? null} onRetry={() => session?.retry()} />
      <Boundary>{children}</Boundary>
    </div>
  );
}

interface MatchPageProps {
  readonly game: Game;
  readonly id: string;
  readonly invite: string | null;
}

/** A match, as whoever has this browser: a player with a stored seat, a guest with an invitation, or anybody. */
function MatchPage({ game, id, invite }: MatchPageProps) {
  // Counts changes of the stored seat, each of which makes the page follow the match as somebody else.
  const [seated, setSeated] = useState(0);
  useMemo(() => {
    if (invite === null) return;
    // The invitation is kept here and taken out of the address, where shoulders and screenshots would find it.
    seats.keep(id, { invite });
    history.replaceState(null, "", matchAddress(id));
  }, [id, invite]);
  const opened = useMemo(() => {
    const stored = seats.of(id);
    const token = stored?.seat?.token ?? stored?.invite ?? null;
    return game.openMatch(id, stored?.seat?.number ?? null, clients(token));
  }, [game, id, invite, seated]);
  const { session } = opened;
  useEffect(() => () => session.close(), [session]);
  const state = useStore(session);
  const changed = () => setSeated(seated + 1);
  return (
    <Frame game={game} screen="match" title={titleOf(state)} session={session}>
      <MatchBody key={seated} game={game} opened={opened} state={state} onSeat={changed} />
    </Frame>
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
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">{connection.kind === "lost" ? connection.sentence : game.loading}</p>
      </main>
    );
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
