// The replay of a match, shown by the game that the match says.
import { type Game, gameOf } from "../game";
import { UnknownGame } from "../lobby/unknowngame";
import { useDescribed } from "./archive";

export interface ReplayPageProps {
  readonly games: readonly Game[];
  readonly id: string;
  /** What the address says after its "?". */
  readonly query: string;
}

export function ReplayPage({ games, id, query }: ReplayPageProps) {
  const described = useDescribed(id);
  if (described === null) {
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">Fetching the match …</p>
      </main>
    );
  }
  if ("refusal" in described) {
    return (
      <main class="plain">
        <h1 class="unseen">Replay</h1>
        <p class="notice bad" role="alert">{described.refusal}</p>
        <a class="button" href="#/">
          To the lobby
        </a>
      </main>
    );
  }
  const game = gameOf(games, described.match.ruleset);
  return game === null ? <UnknownGame ruleset={described.match.ruleset} /> : <game.Replay query={query} described={described} />;
}
