// The line over the board: turn, phase, purse, players, time, and the button that locks in.
import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import { Icon } from "../../frame/ui/icon";
import { incomeOf, viewer } from "../model/board";
import type { Board } from "../model/model";
import type { Rules } from "../model/rules";
import type { PlunderState } from "../session/messages";
import { phaseWords, standingOf, timeWords } from "./phase";

export interface TopBarProps {
  readonly state: PlunderState;
  readonly rules: Rules;
  /** The board that is shown: while a turn is played back nothing is told that comes later. */
  readonly board: Board;
  /** The turn that is played back; null while none is. */
  readonly showing: number | null;
  readonly onLockIn: () => void;
  readonly onConcede: () => void;
}

/** How much time is left, and whether that is little. */
function Countdown({ deadline }: { readonly deadline: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const left = deadline - now;
  return (
    <span class={left < 15_000 ? "countdown numbers bad-text" : "countdown numbers"} role="timer" aria-label="Time left">
      <Icon name="clock" />
      {timeWords(left)}
    </span>
  );
}

function Purse({ board, rules }: { readonly board: Board; readonly rules: Rules }) {
  const gold = viewer(board)?.gold ?? null;
  if (board.seat === null || gold === null) return null;
  const income = incomeOf(board, board.seat, rules);
  return (
    <span class="purse numbers" aria-label={`${gold} gold, ${income} more each turn`} title={`${income} gold come in at the start of the turn`}>
      <Icon name="coin" />
      {gold}
      <small class="soft">+{income}</small>
    </span>
  );
}

export function Players({ state, board }: { readonly state: PlunderState; readonly board: Board }) {
  const { names, seat, locks, locked } = state;
  return (
    <ul class="players" aria-label="Players">
      {board.players.map((player) => {
        const ready = state.phase !== "over" && (locks?.seats.includes(player.id) === true || (player.id === seat && locked));
        const ships = [...board.ships.values()].filter((ship) => ship.owner === player.id).length;
        // In fog nobody knows how many ships the others have.
        const counted = board.chart.visible === null || player.id === seat;
        const name = nameOf(names, player.id);
        const words = [
          player.id === seat ? `${name} (you)` : name,
          player.alive ? (ships === 1 ? "1 ship in sight" : `${ships} ships in sight`) : "out",
          player.gold === null ? "" : `${player.gold} gold`,
          ready ? "locked in" : "",
        ].filter((word) => word !== "");
        return (
          <li key={player.id} class="player" data-alive={player.alive} data-you={player.id === seat} title={words.join(", ")}>
            <Emblem owner={player.id} size={18} />
            <span class="player-name">{name}</span>
            {player.alive && counted && <span class="soft numbers">{ships}</span>}
            {ready && <Icon name="lock" />}
            <span class="unseen">{words.slice(1).join(", ")}</span>
          </li>
        );
      })}
    </ul>
  );
}

export function TopBar({ state, board, rules, showing, onLockIn, onConcede }: TopBarProps) {
  const standing = standingOf(state);
  const planning = standing === "planning";
  const concedes = planning || standing === "locked" || standing === "resolving";
  return (
    <header class="topbar">
      <div class="topbar-turn">
        <strong>Turn {showing ?? state.turn}</strong>
        <span class="phase" role="status">
          {showing === null ? phaseWords(state) : "As it happened"}
        </span>
      </div>
      {standing !== "over" && standing !== "out" && <Purse board={board} rules={rules} />}
      <Players state={state} board={board} />
      <div class="topbar-keys">
        {state.deadline !== null && showing === null && <Countdown deadline={state.deadline} />}
        {concedes &&
          (state.conceding ? (
            <span class="soft small">You give up at the end of this turn</span>
          ) : (
            <button class="icon quiet" type="button" aria-label="Give up" title="Give up" onClick={onConcede}>
              <Icon name="flag" />
            </button>
          ))}
        {state.seat !== null && (planning || standing === "locked") && (
          <button class="primary lock-in" type="button" title="Lock in (L)" disabled={!planning || state.locking || showing !== null} onClick={onLockIn}>
            <Icon name="lock" />
            {standing === "locked" ? "Locked in" : state.locking ? "Locking in …" : "Lock in"}
          </button>
        )}
      </div>
    </header>
  );
}
