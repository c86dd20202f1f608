// The whole page: the bar at the top, and below it the screen that the address names.
import { useEffect, useMemo, useState } from "preact/hooks";
import { clients } from "../api/clients";
import { seats } from "../api/seats";
import { LiveMatch, useStore } from "../live/match";
import type { LiveState } from "../live/state";
import { Boundary } from "./boundary";
import { Header } from "./header";
import { Lobby } from "./lobby/lobby";
import { NoMatch } from "./lobby/nomatch";
import { WaitingRoom } from "./lobby/waiting";
import { MatchScreen } from "./play/match";
import { ReplayScreen } from "./replay/replay";
import { go, matchAddress, useRoute } from "./route";
import "./page.css";

export function Page() {
  const route = useRoute();
  switch (route.screen) {
    case "match":
      return <MatchPage key={route.id} id={route.id} invite={route.invite} />;
    case "replay":
      return (
        <Frame screen="replay" title="Replay — Parley">
          <ReplayScreen key={route.id} id={route.id} query={route.query} />
        </Frame>
      );
    case "lobby":
      return (
        <Frame screen="lobby" title="Parley">
          <Lobby />
        </Frame>
      );
    case "nowhere":
      return (
        <Frame screen="lobby" title="Parley">
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
  readonly screen: "lobby" | "match" | "replay";
  readonly title: string;
  readonly live?: LiveMatch;
  readonly children: preact.ComponentChildren;
}

function Frame({ screen, title, live, children }: FrameProps) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class={`page ${screen}`}>
      <Header connection={live?.snapshot().connection ?? null} onRetry={() => live?.retry()} />
      <Boundary>{children}</Boundary>
    </div>
  );
}

/** A match, as whoever has this browser: a player with a stored seat, a guest with an invitation, or anybody. */
function MatchPage({ id, invite }: { readonly id: string; readonly invite: string | null }) {
  // Counts changes of the stored seat, each of which makes the page follow the match as somebody else.
  const [seated, setSeated] = useState(0);
  useMemo(() => {
    if (invite === null) return;
    // The invitation is kept here and taken out of the address, where shoulders and screenshots would find it.
    seats.keep(id, { invite });
    history.replaceState(null, "", matchAddress(id));
  }, [id, invite]);
  const live = useMemo(() => {
    const stored = seats.of(id);
    const token = stored?.seat?.token ?? stored?.invite ?? null;
    return new LiveMatch(id, stored?.seat?.number ?? null, clients(token));
  }, [id, invite, seated]);
  useEffect(() => () => live.close(), [live]);
  const state = useStore(live);
  const changed = () => setSeated(seated + 1);
  return (
    <Frame screen="match" title={titleOf(state)} live={live}>
      <MatchBody key={seated} live={live} state={state} onSeat={changed} />
    </Frame>
  );
}

interface BodyProps {
  readonly live: LiveMatch;
  readonly state: LiveState;
  readonly onSeat: () => void;
}

function MatchBody({ live, state, onSeat }: BodyProps) {
  const { connection, match } = state;
  if (connection.kind === "refused" && state.board === null) {
    return <NoMatch id={state.id} reason={connection.reason} sentence={connection.sentence} onSeat={onSeat} />;
  }
  if (match === null || (state.phase !== "open" && state.board === null)) {
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">{connection.kind === "lost" ? connection.sentence : "Sailing to the match …"}</p>
      </main>
    );
  }
  if (state.phase === "open") {
    return <WaitingRoom state={state} match={match} onSeat={onSeat} onLeave={() => go("#/")} />;
  }
  return <MatchScreen live={live} />;
}

function titleOf(state: LiveState): string {
  const name = state.match?.settings?.name || "Match";
  if (state.prompt !== null) return `Decide! — ${name} — Parley`;
  if (state.phase === "over") return `Over — ${name} — Parley`;
  return state.turn > 0 ? `Turn ${state.turn} — ${name} — Parley` : `${name} — Parley`;
}
