// A match while it is played or watched: the sea, the plan, the log.
import { useEffect, useMemo, useState } from "preact/hooks";
import { describe } from "../../game/describe";
import { budgetOf } from "../../game/budget";
import type { Board, Tile } from "../../game/model";
import type { Rules } from "../../game/rules";
import { warningsOf } from "../../game/warnings";
import type { Live, LiveState } from "../../live/state";
import { useStore } from "../../live/store";
import type { Pointed } from "../../sea/props";
import { Sea } from "../../sea/sea";
import { notAgain } from "../lobby/again";
import { startLike } from "../lobby/start";
import { EncounterDialog } from "../prompt/dialog";
import { go, matchAddress } from "../route";
import { Confirm } from "./confirm";
import { useDesk } from "./desk";
import { EndPanel } from "./endpanel";
import { useMatchKeys } from "./matchkeys";
import { Log } from "./log";
import { Look } from "./look";
import { marksOf, noMarks } from "./marks";
import { Orders } from "./orders";
import { standingOf } from "./phase";
import { Playback } from "./playback";
import { boardAt } from "./reel";
import { idleShips } from "./selection";
import { useShowing } from "./showing";
import { Side } from "./side";
import { Thing } from "./thing";
import { TopBar } from "./topbar";
import { Watching } from "./watching";
import "./play.css";

export interface MatchScreenProps {
  readonly live: Live;
}

export function MatchScreen({ live }: MatchScreenProps) {
  const state = useStore(live);
  const { board, rules } = state;
  if (board === null || rules === null) {
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">Sailing to the match …</p>
      </main>
    );
  }
  return <Table live={live} state={state} board={board} rules={rules} />;
}

interface TableProps {
  readonly live: Live;
  readonly state: LiveState;
  readonly board: Board;
  readonly rules: Rules;
}

type Question = "lock" | "concede" | null;

function Table({ live, state, board, rules }: TableProps) {
  const { names, seat } = state;
  const traces = { ids: state.traces, url: state.traceUrl };
  const showing = useShowing(live, state, rules);
  const { reel, frame } = showing;
  const standing = standingOf(state);
  const open = standing === "planning" && !state.locking && frame === null;
  const planned = (open || standing === "locked" || state.locking) && frame === null;
  const desk = useDesk(live, state, board, rules, open);
  const [at, setAt] = useState<Pointed | null>(null);
  const [question, setQuestion] = useState<Question>(null);
  const [spotlight, setSpotlight] = useState<readonly Tile[]>([]);
  const [closed, setClosed] = useState(false);
  const [starting, setStarting] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const { plan, selection, ways, draft } = desk;
  const warnings = useMemo(() => (planned ? warningsOf(board, plan, rules, names) : []), [planned, board, plan, rules, names]);
  const staged = useMemo(() => describe(plan, board, rules), [plan, board, rules]);
  const budget = useMemo(() => budgetOf(plan, board, rules), [plan, board, rules]);
  const idle = useMemo(() => idleShips(board, plan), [board, plan]);
  const asked = state.prompt !== null && frame === null ? state.prompt : null;
  const marks = useMemo(() => {
    if (planned) return marksOf({ board, plan, selection, ways, draft, warnings });
    if (asked !== null) return { ...noMarks, spotlight };
    if (frame !== null || selection === null) return noMarks;
    return marksOf({ board, plan: noPlan, selection, ways: null, draft: null, warnings: [] });
  }, [planned, board, plan, selection, ways, draft, warnings, asked, spotlight, frame]);

  // A question is about the turn in which it was asked.
  useEffect(() => setQuestion(null), [state.turn, standing]);

  const grave = warnings.filter((warning) => warning.grade === "warn");
  const lockNow = async () => {
    setQuestion(null);
    const answer = await live.lockIn(plan);
    if (!answer.ok) desk.say(answer.refusal.sentence);
  };
  const lock = () => {
    if (!open) return;
    if (idle.length > 0 || grave.length > 0) setQuestion("lock");
    else void lockNow();
  };
  const concede = async () => {
    setQuestion(null);
    const answer = await live.concede();
    if (!answer.ok) desk.say(answer.refusal.sentence);
  };
  const again = async () => {
    if (state.match === null || starting) return;
    setStarting(true);
    setRefusal(null);
    const answer = await startLike(state.match);
    setStarting(false);
    if (answer.ok) go(matchAddress(answer.value));
    else setRefusal(answer.refusal.sentence);
  };
  useMatchKeys({ desk, board, rules, open, showing, at, lock, prompted: asked !== null });

  const shownBoard = (frame === null ? asked?.board : boardAt(showing.state, reel.progress())) ?? board;
  const ownShip = selection?.kind === "ship" ? board.ships.get(selection.id) : undefined;
  const spotted = spotlight[0];
  const lookAt = useMemo(
    () => (asked !== null && spotted !== undefined ? { tile: spotted } : desk.lookAt),
    [asked !== null, spotted, desk.lookAt],
  );
  return (
    <main class="match-screen">
      <h1 class="unseen">{state.match?.settings?.name || "Match"}</h1>
      <TopBar
        state={state}
        board={shownBoard}
        rules={rules}
        showing={frame?.turn ?? null}
        onLockIn={lock}
        onConcede={() => setQuestion("concede")}
      />
      <div class="match-sea">
        <Sea
          board={shownBoard}
          names={names}
          marks={marks}
          effects={frame?.effects ?? noEffects}
          progress={reel.progress}
          controls
          lookAt={lookAt}
          onPick={(pointed) => {
            if (frame === null && asked === null) desk.pick(pointed);
          }}
          onDrag={desk.drag}
          onHover={(pointed) => {
            setAt(pointed);
            if (open) desk.hover(pointed);
          }}
        />
        {at !== null && frame === null && (
          <Look board={shownBoard} at={at} names={names} rules={rules} ship={ownShip?.owner === seat ? (ownShip ?? null) : null} />
        )}
        {(standing === "watching" || standing === "out") && <Watching state={state} />}
        <div class="over-sea">
          <div role="status">{desk.notice !== null && <p class="notice warn toast">{desk.notice}</p>}</div>
          {state.connection.kind === "refused" && (
            <p class="notice bad toast" role="alert">
              {state.connection.sentence} What you see is how it was then.
            </p>
          )}
          {frame !== null && <Playback reel={reel} state={showing.state} onSkip={() => reel.skip()} />}
          {state.ended !== null && frame === null && !closed && (
            <EndPanel
              id={state.id}
              ended={state.ended}
              seat={seat}
              names={names}
              turn={state.turn}
              onAgain={seat === null ? null : () => void again()}
              starting={starting}
              lacks={notAgain(state.match?.settings)}
              refusal={refusal}
              onClose={() => setClosed(true)}
            />
          )}
        </div>
      </div>
      <Side
        showing={frame !== null}
        selected={selection === null ? null : `${selection.kind} ${selection.id}`}
        orders={seat === null ? null : staged.length}
        thing={
          <Thing
            board={board}
            names={names}
            rules={rules}
            desk={desk}
            warnings={warnings}
            faults={state.faults}
            mode={open ? "open" : planned ? "frozen" : "look"}
          />
        }
        plan={
          seat === null || standing === "over" || standing === "out" ? null : (
            <Orders
              staged={staged}
              budget={budget}
              warnings={warnings}
              faults={state.faults}
              idle={idle.length}
              staging={state.staging}
              frozen={!open}
              canUndo={desk.canUndo}
              canRedo={desk.canRedo}
              onUndo={desk.undo}
              onRedo={desk.redo}
              onSelect={(what) => desk.select(what, true)}
              onRemove={desk.clear}
              onNextIdle={desk.nextIdle}
            />
          )
        }
        log={
          <>
            {showing.again !== null && (
              <button class="small" type="button" onClick={showing.again}>
                Show the last turn again
              </button>
            )}
            <Log
              lines={showing.log.lines}
              gone={showing.log.gone}
              onLook={desk.look}
              mine={seat !== null}
              none={untold(state)}
              traces={traces}
            />
          </>
        }
      />
      {asked !== null && seat !== null && (
        <div class="prompt-place">
          <EncounterDialog live={live} prompt={asked} names={names} seat={seat} onSpotlight={setSpotlight} />
        </div>
      )}
      {question === "lock" && (
        <Confirm title="Lock in?" yes="Lock in" no="Keep planning" onYes={() => void lockNow()} onNo={() => setQuestion(null)}>
          {idle.length > 0 && <p>{idle.length === 1 ? "1 ship has nothing to do." : `${idle.length} ships have nothing to do.`}</p>}
          <ul class="confirm-list">
            {grave.slice(0, 5).map((warning) => (
              <li key={warning.text}>{warning.text}</li>
            ))}
          </ul>
          {grave.length > 5 && <p class="soft">and {grave.length - 5} more</p>}
        </Confirm>
      )}
      {question === "concede" && (
        <Confirm title="Give up?" yes="Give up" no="Play on" grave onYes={() => void concede()} onNo={() => setQuestion(null)}>
          <p>At the end of this turn you are out, and your ships are removed. This cannot be taken back.</p>
        </Confirm>
      )}
    </main>
  );
}

/** Why the log is empty: a page that comes later is not told what was before. */
function untold({ turn, phase }: LiveState): string {
  if (phase === "over") return "What happened is in the replay.";
  if (turn <= 1) return "Nothing has happened yet.";
  return "What happens from now on is told here. What happened before is in the replay, once the match is over.";
}

const noEffects = [] as const;
const noPlan = { ships: new Map(), yards: new Map() } as const;
