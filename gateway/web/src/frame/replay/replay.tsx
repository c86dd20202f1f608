// A match after it was played: any moment of it, with anybody's eyes, and the proof that it was so.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReplayProps } from "../game";
import { Log } from "../log/log";
import { boardAt, Playback, wallClock } from "../playback/playback";
import { readSpeed, writeSpeed } from "../playback/speed";
import { useStore } from "../session/store";
import { useKeys } from "../ui/keys";
import { VerifyPanel } from "../verify/verifypanel";
import { listOf } from "../words";
import { type Archived, useTurn } from "./archive";
import { type Moment, momentAddress, readMoment } from "./moment";
import type { ReplayPieces, ReplayTypes } from "./pieces";
import { stepOf } from "./replayturn";
import { Scrubber } from "./scrubber";
import { Share } from "./share";
import { ViewSelect } from "./viewselect";
import "../style/screens.css";
import "./replay.css";

export interface ReplayScreenProps<G extends ReplayTypes> extends ReplayProps {
  readonly pieces: ReplayPieces<G>;
}

export function ReplayScreen<G extends ReplayTypes>({ query, pieces, described }: ReplayScreenProps<G>) {
  const archived = useMemo(() => ({ ...described, rules: pieces.messages.readRules(described.rulesText) }), [described]);
  return <Viewer query={query} pieces={pieces} archived={archived} />;
}

/** How long the moment must rest before the address follows it. Browsers do not like it changed all the time. */
const restMs = 300;

interface ViewerProps<G extends ReplayTypes> {
  readonly query: string;
  readonly pieces: ReplayPieces<G>;
  readonly archived: Archived<G>;
}

function Viewer<G extends ReplayTypes>({ query, pieces, archived }: ViewerProps<G>) {
  const { match, rules, names } = archived;
  const id = match.matchId;
  const [moment, setMoment] = useState<Moment>(() => readMoment(query));
  const [tab, setTab] = useState<"log" | "verify">("log");
  const [lookAt, setLookAt] = useState<{ readonly tile: number } | null>(null);
  const playback = useMemo(() => new Playback<G["Frame"]>(pieces.drawingMs, wallClock, readSpeed() || 1), []);
  const state = useStore(playback);
  /** Whether the next turn is to be played when it has come. */
  const plays = useRef(false);
  const { shown, last, highlights, refusal } = useTurn(pieces, archived, moment.seat, moment.turn);
  const turn = last === 0 ? moment.turn : Math.min(moment.turn, last);

  useEffect(() => () => playback.close(), [playback]);
  useEffect(() => setMoment(readMoment(query)), [query]);
  useEffect(() => writeSpeed(state.speed), [state.speed]);
  useEffect(() => {
    if (last > 0 && moment.turn > last) setMoment({ ...moment, turn: last });
  }, [last, moment]);

  // A turn that has come is shown from the wanted step on.
  useEffect(() => {
    if (shown === null) return;
    const { frames } = shown.played;
    if (plays.current) playback.load(frames, 0, true);
    else {
      playback.load(frames, 0, false);
      hold(playback, Math.min(moment.step, frames.length));
    }
    plays.current = false;
  }, [shown]);

  const step = stepOf(state, playback.progress());
  const ready = shown !== null && shown.turn === turn && shown.seat === moment.seat;
  const loaded = ready && state.frames === shown.played.frames;
  const over = loaded && state.frames.length > 0 && state.at >= state.frames.length;
  const goes = useRef(false);
  useEffect(() => {
    if (state.playing) goes.current = true;
    else if (!over) goes.current = false;
    else if (goes.current && turn < last) {
      goes.current = false;
      plays.current = true;
      setMoment({ ...moment, turn: turn + 1, step: 0 });
    }
  }, [state, over]);

  const address = momentAddress(id, { seat: moment.seat, turn, step: ready ? step : moment.step });
  useEffect(() => {
    const timer = setTimeout(() => history.replaceState(null, "", address), restMs);
    return () => clearTimeout(timer);
  }, [address]);

  const toTurn = (next: number, nextStep = 0) => {
    if (next < 1 || (last > 0 && next > last)) return;
    plays.current = state.playing;
    if (next === turn) hold(playback, nextStep);
    else setMoment({ ...moment, turn: next, step: nextStep });
  };
  const play = () => {
    // A turn that is still on its way is played when it has come.
    if (!loaded) plays.current = true;
    else if (state.at < state.frames.length) playback.toggle();
    else if (turn < last) {
      plays.current = true;
      setMoment({ ...moment, turn: turn + 1, step: 0 });
    } else playback.load(state.frames, 0, true);
  };
  const by = (way: 1 | -1) => {
    if (way === 1 && step >= state.frames.length) toTurn(turn + 1);
    else if (way === -1 && step === 0) toTurn(turn - 1, Number.MAX_SAFE_INTEGER);
    else if (way === -1) hold(playback, step - 1);
    else playback.step(1);
  };
  useKeys({
    " ": play,
    ",": () => by(-1),
    ".": () => by(1),
    "[": () => toTurn(turn - 1),
    "]": () => toTurn(turn + 1),
  });

  const frame = state.frames[state.at];
  const board = boardAt(state, playback.progress()) ?? shown?.played.before ?? null;
  const traces = { ids: new Map(shown === null ? [] : [[shown.turn, shown.played.trace]]), url: archived.traceUrl };
  const lines = useMemo(() => state.frames.slice(0, step).flatMap((told) => told.lines), [state.frames, step]);
  return (
    <main class="match-screen replay-screen">
      <h1 class="unseen">Replay</h1>
      <header class="topbar">
        <div class="topbar-turn">
          <strong>{match.settings?.name || "Replay"}</strong>
          <span class="phase">{listOf(names)}</span>
        </div>
        <ViewSelect names={names} seat={moment.seat} onSeat={(seat) => setMoment({ seat, turn, step })} />
        <div class="topbar-keys">
          <Share address={address} />
        </div>
      </header>
      <div class="match-board replay-board">
        {board !== null && (
          <pieces.Board
            board={board}
            names={names}
            rules={rules}
            frame={frame}
            progress={playback.progress}
            lookAt={lookAt}
          />
        )}
        {refusal !== null && <p class="notice bad toast replay-refusal">{refusal}</p>}
        {last === 0 && board === null && refusal === null && <p class="soft replay-wait">Fetching the turns …</p>}
      </div>
      <Scrubber
        playback={playback}
        state={state}
        turn={turn}
        last={last}
        step={step}
        highlights={highlights}
        onTurn={toTurn}
        onStep={(next) => hold(playback, next)}
        onPlay={play}
        onBy={by}
      />
      <aside class="side replay-side" aria-label="Log and proof">
        <div class="side-tabs" role="tablist" aria-label="Panels">
          <button type="button" role="tab" id="tab-log" aria-controls="side-log" aria-selected={tab === "log"} onClick={() => setTab("log")}>
            Log
          </button>
          <button
            type="button"
            role="tab"
            id="tab-verify"
            aria-controls="side-verify"
            aria-selected={tab === "verify"}
            onClick={() => setTab("verify")}
          >
            Verify
          </button>
        </div>
        <div class="side-part" id="side-log" role="tabpanel" aria-labelledby="tab-log" data-part="log" hidden={tab !== "log"}>
          <Log lines={lines} onLook={(tile) => setLookAt({ tile })} mine={false} none="Nothing of this turn has happened yet." traces={traces} />
        </div>
        <div
          class="side-part"
          id="side-verify"
          role="tabpanel"
          aria-labelledby="tab-verify"
          data-part="verify"
          hidden={tab !== "verify"}
        >
          <VerifyPanel verifier={pieces.verifier} id={id} clients={archived.clients} names={names} onTurn={(next) => toTurn(next)} />
        </div>
      </aside>
    </main>
  );
}

/** Holds a playback where so many frames are over. */
function hold(playback: Pick<Playback, "snapshot" | "seek">, step: number): void {
  const { frames } = playback.snapshot();
  if (step <= 0 || frames.length === 0) playback.seek(0, 0);
  else playback.seek(Math.min(step, frames.length) - 1, 1);
}
