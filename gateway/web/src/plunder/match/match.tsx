// A match while it is played or watched: the board, the plan, the log.
import { useEffect, useMemo, useState } from "preact/hooks";
import { startRematch } from "../../frame/lobby/start";
import { Log } from "../../frame/log/log";
import { boardAt } from "../../frame/playback/playback";
import { PlaybackBar } from "../../frame/playback/playbackbar";
import { go, matchAddress } from "../../frame/route";
import { useStore } from "../../frame/session/store";
import { Confirm } from "../../frame/ui/confirm";
import { BoardView } from "../board/boardview";
import type { Pointed } from "../board/props";
import { EncounterDialog } from "../encounter/dialog";
import { plunderLobby } from "../lobby/pieces";
import { rematchLacks } from "../lobby/settings";
import { budgetOf } from "../model/budget";
import type { Board, Tile } from "../model/model";
import type { Rules } from "../model/rules";
import { describe } from "../model/stagedorders";
import { warningsOf } from "../model/warnings";
import { marksOf, noMarks } from "../planning/marks";
import { Orders } from "../planning/orders";
import { usePlanning } from "../planning/planning";
import { idleShips } from "../planning/selection";
import { SelectionPanel } from "../planning/selectionpanel";
import type { PlunderSession, PlunderState } from "../session/messages";
import { EndPanel } from "./endpanel";
import { useLivePlayback } from "./liveplayback";
import { useMatchKeys } from "./matchkeys";
import { standingOf } from "./phase";
import { SidePanel } from "./sidepanel";
import { SpectatorNote } from "./spectatornote";
import { TileTooltip } from "./tiletooltip";
import { TopBar } from "./topbar";
import "../../frame/style/screens.css";
import "./match.css";

export interface MatchScreenProps {
  readonly session: PlunderSession;
}

export function MatchScreen({ session }: MatchScreenProps) {
  const state = useStore(session);
  const { board, rules } = state;
  if (board === null || rules === null) {
    return (
      <main class="plain" aria-busy="true">
        <p class="soft">Sailing to the match …</p>
      </main>
    );
  }
  return <PlayedMatch session={session} state={state} board={board} rules={rules} />;
}

interface PlayedMatchProps {
  readonly session: PlunderSession;
  readonly state: PlunderState;
  readonly board: Board;
  readonly rules: Rules;
}

type Confirmation = "lock" | "concede" | null;

function PlayedMatch({ session, state, board, rules }: PlayedMatchProps) {
  const { names, seat } = state;
  const traces = { ids: state.traces, url: state.traceUrl };
  const showing = useLivePlayback(session, state, rules);
  const { playback, frame } = showing;
  const standing = standingOf(state);
  const open = standing === "planning" && !state.locking && frame === null;
  const planned = (open || standing === "locked" || state.locking) && frame === null;
  const planning = usePlanning(session, state, board, rules, open);
  const [at, setAt] = useState<Pointed | null>(null);
  const [question, setQuestion] = useState<Confirmation>(null);
  const [spotlight, setSpotlight] = useState<readonly Tile[]>([]);
  const [closed, setClosed] = useState(false);
  const [starting, setStarting] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  const { plan, selection, ways, draft } = planning;
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
    const answer = await session.lockIn(plan);
    if (!answer.ok) planning.say(answer.refusal.sentence);
  };
  const lock = () => {
    if (!open) return;
    if (idle.length > 0 || grave.length > 0) setQuestion("lock");
    else void lockNow();
  };
  const concede = async () => {
    setQuestion(null);
    const answer = await session.concede();
    if (!answer.ok) planning.say(answer.refusal.sentence);
  };
  const again = async () => {
    if (state.match === null || starting) return;
    setStarting(true);
    setRefusal(null);
    const answer = await startRematch(plunderLobby, state.match);
    setStarting(false);
    if (answer.ok) go(matchAddress(answer.value));
    else setRefusal(answer.refusal.sentence);
  };
  useMatchKeys({ planning, board, rules, open, showing, at, lock, prompted: asked !== null });

  const shownBoard = (frame === null ? asked?.board : boardAt(showing.state, playback.progress())) ?? board;
  const ownShip = selection?.kind === "ship" ? board.ships.get(selection.id) : undefined;
  const spotted = spotlight[0];
  const lookAt = useMemo(
    () => (asked !== null && spotted !== undefined ? { tile: spotted } : planning.lookAt),
    [asked !== null, spotted, planning.lookAt],
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
      <div class="match-board">
        <BoardView
          board={shownBoard}
          names={names}
          marks={marks}
          effects={frame?.effects ?? noEffects}
          progress={playback.progress}
          controls
          lookAt={lookAt}
          onPick={(pointed) => {
            if (frame === null && asked === null) planning.pick(pointed);
          }}
          onDrag={planning.drag}
          onHover={(pointed) => {
            setAt(pointed);
            if (open) planning.hover(pointed);
          }}
        />
        {at !== null && frame === null && (
          <TileTooltip board={shownBoard} at={at} names={names} rules={rules} ship={ownShip?.owner === seat ? (ownShip ?? null) : null} />
        )}
        {(standing === "watching" || standing === "out") && <SpectatorNote state={state} />}
        <div class="board-overlay">
          <div role="status">{planning.notice !== null && <p class="notice warn toast">{planning.notice}</p>}</div>
          {state.connection.kind === "refused" && (
            <p class="notice bad toast" role="alert">
              {state.connection.sentence} What you see is how it was then.
            </p>
          )}
          {frame !== null && <PlaybackBar playback={playback} state={showing.state} onSkip={() => playback.skip()} />}
          {state.ended !== null && frame === null && !closed && (
            <EndPanel
              id={state.id}
              ended={state.ended}
              seat={seat}
              names={names}
              turn={state.turn}
              onAgain={seat === null ? null : () => void again()}
              starting={starting}
              lacks={rematchLacks(state.match?.settings?.game)}
              refusal={refusal}
              onClose={() => setClosed(true)}
            />
          )}
        </div>
      </div>
      <SidePanel
        showing={frame !== null}
        selected={selection === null ? null : `${selection.kind} ${selection.id}`}
        orders={seat === null ? null : staged.length}
        selection={
          <SelectionPanel
            board={board}
            names={names}
            rules={rules}
            planning={planning}
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
              canUndo={planning.canUndo}
              canRedo={planning.canRedo}
              onUndo={planning.undo}
              onRedo={planning.redo}
              onSelect={(what) => planning.select(what, true)}
              onRemove={planning.clear}
              onNextIdle={planning.nextIdle}
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
              onLook={planning.look}
              mine={seat !== null}
              none={untold(state)}
              traces={traces}
            />
          </>
        }
      />
      {asked !== null && seat !== null && (
        <div class="prompt-place">
          <EncounterDialog session={session} prompt={asked} names={names} seat={seat} onSpotlight={setSpotlight} />
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
function untold({ turn, phase }: PlunderState): string {
  if (phase === "over") return "What happened is in the replay.";
  if (turn <= 1) return "Nothing has happened yet.";
  return "What happens from now on is told here. What happened before is in the replay, once the match is over.";
}

const noEffects = [] as const;
const noPlan = { ships: new Map(), yards: new Map() } as const;
