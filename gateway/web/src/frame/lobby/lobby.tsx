// The first screen: one button that starts a match, and everything else that can be joined, watched or gone on with.
import { useEffect, useState } from "preact/hooks";
import { MatchStage } from "../../gen/parley/v1/lobby_pb";
import { Reason } from "../../gen/parley/v1/reason_pb";
import { clients } from "../api/clients";
import { refusalOf } from "../api/refusal";
import { type StoredMatch, seats } from "../api/seats";
import type { Game } from "../game";
import { matchAddress } from "../route";
import { MatchList } from "./list";
import { NewMatch } from "./newmatch";
import "./lobby.css";

/** Reasons that say that a stored seat is of no use any more. */
const GONE = new Set([Reason.MATCH_UNKNOWN, Reason.TOKEN_EXPIRED, Reason.TOKEN_INVALID]);

const anybody = clients(null);

export interface LobbyProps {
  /** The games of this page; the first is the one that is offered. */
  readonly games: readonly [Game, ...Game[]];
}

export function Lobby({ games }: LobbyProps) {
  const pieces = games[0].lobby;
  const { heading, invitation, Picture } = pieces;
  return (
    <main class="lobby-main">
      <section class="lobby-hero">
        <Picture />
        <h1>{heading}</h1>
        <p class="lobby-hero-question">{invitation}</p>
      </section>
      <NewMatch pieces={pieces} />
      <div class="lobby-lists">
        <YourMatches />
        <MatchList
          games={games}
          title="Join a match"
          empty="No match is waiting for players. Start one and share its link."
          action="join"
          load={(pageSize, options) => anybody.lobby.listMatches({ stage: MatchStage.OPEN, pageSize }, options)}
        />
        <MatchList
          games={games}
          title="Watch"
          empty="Nobody is playing in public right now."
          action="watch"
          load={(pageSize, options) => anybody.lobby.listMatches({ stage: MatchStage.RUNNING, pageSize }, options)}
        />
        <MatchList
          games={games}
          title="Replays"
          empty="No match has been played to its end yet. The first will appear here."
          action="replay"
          load={(pageSize, options) => anybody.archive.listReplays({ pageSize }, options)}
        />
      </div>
    </main>
  );
}

/** A stored match and whether it is still going on. */
interface Own {
  readonly stored: StoredMatch;
  readonly stage: MatchStage;
  readonly turn: number;
}

/** Matches that this browser has a seat in and that are not over. */
function YourMatches() {
  const [own, setOwn] = useState<readonly Own[]>([]);
  useEffect(() => {
    let left = false;
    void ownMatches().then((found) => {
      if (!left) setOwn(found);
    });
    return () => {
      left = true;
    };
  }, []);
  if (own.length === 0) return null;
  return (
    <section class="panel lobby-list" aria-label="Your matches">
      <h2>Your matches</h2>
      <ul>
        {own.map(({ stored, stage, turn }) => (
          <li key={stored.id} class="lobby-list-row">
            <span class="grow">
              <strong>{stored.title}</strong>
              <span class="soft small"> {stage === MatchStage.OPEN ? "waiting for players" : `turn ${turn}`}</span>
            </span>
            <a class="button small primary" href={matchAddress(stored.id)} aria-label={`Go on with ${stored.title}`}>
              Go on
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many stored matches are looked after, and how long that may take. */
const MOST_OWN = 8;
const CALL_MS = 15_000;

async function ownMatches(): Promise<readonly Own[]> {
  const going = seats.all().filter((stored) => !stored.over && (stored.seat !== null || stored.host !== null));
  const kept = going.slice(0, MOST_OWN);
  const found = await Promise.all(kept.map(lookAfter));
  return found.filter((own) => own !== null);
}

/** Asks how a stored match is. One that the server does not know any more is forgotten. */
async function lookAfter(stored: StoredMatch): Promise<Own | null> {
  const token = stored.seat?.token ?? stored.invite;
  try {
    const { match } = await clients(token).lobby.getMatch({ matchId: stored.id }, { timeoutMs: CALL_MS });
    if (!match || match.stage === MatchStage.FINISHED || match.stopped !== "") {
      // It is not asked for again, and leaves room for older ones that go on. The seat still opens a private replay.
      seats.keep(stored.id, { over: true });
      return null;
    }
    return { stored, stage: match.stage, turn: match.turn };
  } catch (thrown) {
    const { reason } = refusalOf(thrown);
    if (GONE.has(reason)) seats.drop(stored.id);
    return null;
  }
}
