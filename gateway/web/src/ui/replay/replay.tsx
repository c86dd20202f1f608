// A match after it was played: any moment of it, with anybody's eyes, and the proof that it was so.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Tile } from "../../game/model";
import { list } from "../../game/words";
import { useStore } from "../../live/store";
import type { Pointed } from "../../sea/props";
import { Sea } from "../../sea/sea";
import { useKeys } from "../play/keys";
import { Log } from "../play/log";
import { Look } from "../play/look";
import { noMarks } from "../play/marks";
import { boardAt, Reel, wallClock } from "../play/reel";
import { readSpeed, writeSpeed } from "../play/speed";
import { type Archived, useArchived, useTurn } from "./archive";
import { stepOf } from "./film";
import { type Moment, momentAddress, readMoment } from "./moment";
import { Scrubber } from "./scrubber";
import { Share } from "./share";
import { ViewSelect } from "./viewselect";
import { Verify } from "./verify";
import "../play/play.css";
import "./replay.css";

export interface ReplayScreenProps {
  readonly id: string;
  /** What the address says after its "?". */
  readonly query: string;
}

export function ReplayScreen({ id, query }: ReplayScreenProps) {
  const opened = useArchived(id);
  if (opened === null) {
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">Fetching the match …</p>
      </main>
    );
  }
  if ("refusal" in opened) {
    return (
      <main class="plain">
        <h1 class="unseen">Replay</h1>
        <p class="notice bad" role="alert">{opened.refusal}</p>
        <a class="button" href="#/">
          To the lobby
        </a>
      </main>
    );
  }
  return <Viewer id={id} query={query} archived={opened} />;
}

/** How long the moment must rest before the address follows it. Browsers do not like it changed all the time. */
const restMs = 300;

interface ViewerProps extends ReplayScreenProps {
  readonly archived: Archived;
}

function Viewer({ id, query, archived }: ViewerProps) {
  const { match, rules, names } = archived;
  const [moment, setMoment] = useState<Moment>(() => readMoment(query));
  const [tab, setTab] = useState<"log" | "verify">("log");
  const [lookAt, setLookAt] = useState<{ readonly tile: Tile } | null>(null);
  const [at, setAt] = useState<Pointed | null>(null);
  const reel = useMemo(() => new Reel(wallClock, readSpeed() || 1), []);
  const state = useStore(reel);
  /** Whether the next turn is to be played when it has come. */
  const plays = useRef(false);
  const { shown, last, highlights, refusal } = useTurn(archived, moment.seat, moment.turn);
  const turn = last === 0 ? moment.turn : Math.min(moment.turn, last);

  useEffect(() => () => reel.close(), [reel]);
  useEffect(() => setMoment(readMoment(query)), [query]);
  useEffect(() => writeSpeed(state.speed), [state.speed]);
  useEffect(() => {
    if (last > 0 && moment.turn > last) setMoment({ ...moment, turn: last });
  }, [last, moment]);

  // A turn that has come is shown from the wanted step on.
  useEffect(() => {
    if (shown === null) return;
    const { frames } = shown.film;
    if (plays.current) reel.load(frames, 0, true);
    else {
      reel.load(frames, 0, false);
      hold(reel, Math.min(moment.step, frames.length));
    }
    plays.current = false;
  }, [shown]);

  const step = stepOf(state, reel.progress());
  const ready = shown !== null && shown.turn === turn && shown.seat === moment.seat;
  const loaded = ready && state.frames === shown.film.frames;
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
    if (next === turn) hold(reel, nextStep);
    else setMoment({ ...moment, turn: next, step: nextStep });
  };
  const play = () => {
    // A turn that is still on its way is played when it has come.
    if (!loaded) plays.current = true;
    else if (state.at < state.frames.length) reel.toggle();
    else if (turn < last) {
      plays.current = true;
      setMoment({ ...moment, turn: turn + 1, step: 0 });
    } else reel.load(state.frames, 0, true);
  };
  const by = (way: 1 | -1) => {
    if (way === 1 && step >= state.frames.length) toTurn(turn + 1);
    else if (way === -1 && step === 0) toTurn(turn - 1, Number.MAX_SAFE_INTEGER);
    else if (way === -1) hold(reel, step - 1);
    else reel.step(1);
  };
  useKeys({
    " ": play,
    ",": () => by(-1),
    ".": () => by(1),
    "[": () => toTurn(turn - 1),
    "]": () => toTurn(turn + 1),
  });

  const frame = state.frames[state.at];
  const board = boardAt(state, reel.progress()) ?? shown?.film.before ?? null;
  const traces = { ids: new Map(shown === null ? [] : [[shown.turn, shown.film.trace]]), url: archived.traceUrl };
  const lines = useMemo(() => state.frames.slice(0, step).flatMap((told) => told.lines), [state.frames, step]);
  return (
    <main class="match-screen replay-screen">
      <h1 class="unseen">Replay</h1>
      <header class="topbar">
        <div class="topbar-turn">
          <strong>{match.settings?.name || "Replay"}</strong>
          <span class="phase">{list(names)}</span>
        </div>
        <ViewSelect names={names} seat={moment.seat} onSeat={(seat) => setMoment({ seat, turn, step })} />
        <div class="topbar-keys">
          <Share address={address} />
        </div>
      </header>
      <div class="match-sea replay-sea">
        {board !== null && (
          <Sea
            board={board}
            names={names}
            marks={noMarks}
            effects={frame?.effects ?? noEffects}
            progress={reel.progress}
            lookAt={lookAt}
            onPick={setAt}
            onDrag={() => undefined}
            onHover={setAt}
          />
        )}
        {board !== null && at !== null && <Look board={board} at={at} names={names} rules={rules} ship={null} />}
        {refusal !== null && <p class="notice bad toast replay-refusal">{refusal}</p>}
        {last === 0 && board === null && refusal === null && <p class="soft replay-wait">Fetching the turns …</p>}
      </div>
      <Scrubber
        reel={reel}
        state={state}
        turn={turn}
        last={last}
        step={step}
        highlights={highlights}
        onTurn={toTurn}
        onStep={(next) => hold(reel, next)}
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
          <Verify id={id} clients={archived.clients} names={names} onTurn={(next) => toTurn(next)} />
        </div>
      </aside>
    </main>
  );
}

const noEffects = [] as const;

/** Holds a reel where so many frames are over. */
function hold(reel: Reel, step: number): void {
  const { frames } = reel.snapshot();
  if (step <= 0 || frames.length === 0) reel.seek(0, 0);
  else reel.seek(Math.min(step, frames.length) - 1, 1);
}
