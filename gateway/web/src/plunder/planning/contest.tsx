// A contested tile: who contends for it, and what own contenders can do.
import { nameOf } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import { tileName } from "../model/hex";
import type { Board, Contest, Plan, Ship } from "../model/model";
import type { Rules } from "../model/rules";

export interface ContestPanelProps {
  readonly board: Board;
  readonly contest: Contest;
  readonly names: readonly string[];
  readonly rules: Rules;
  readonly plan: Plan;
  /** open: orders can be given; frozen: they are locked in; look: there are none. */
  readonly mode: "open" | "frozen" | "look";
  readonly onPress: (ship: number) => void;
  readonly onWithdraw: (ship: number) => void;
  readonly onSelect: (ship: number) => void;
}

/** "Round 2 of 5, since turn 4." */
export function roundsWords(contest: Contest, limit: number): string {
  return `Round ${contest.rounds}${limit > 0 ? ` of ${limit}` : ""}, since turn ${contest.since}.`;
}

export function ContestPanel(props: ContestPanelProps) {
  const { board, contest, rules } = props;
  const seen = contest.contenders.flatMap((id) => board.ships.get(id) ?? []);
  const unseen = contest.contenders.length - seen.length;
  return (
    <section class="selection" aria-label={`Contested tile ${tileName(board.chart, contest.tile)}`}>
      <header class="selection-head">
        <h2>Contested tile</h2>
        <span class="soft">{tileName(board.chart, contest.tile)}</span>
      </header>
      <p>{roundsWords(contest, rules.contestLimit)}</p>
      <p class="soft small">
        Nobody stands on it. Those who press fight another round at the start of the turn; whoever is left alone takes it.
        {rules.contestLimit > 0 && ` After round ${rules.contestLimit} nobody gets it.`}
      </p>
      <ul class="contenders" aria-label="Contenders">
        {seen.map((ship) => (
          <Contender key={ship.id} ship={ship} {...props} />
        ))}
        {unseen > 0 && <li class="soft">and {unseen} out of sight</li>}
      </ul>
    </section>
  );
}

function Contender({ ship, board, names, plan, mode, onPress, onWithdraw, onSelect }: { readonly ship: Ship } & ContestPanelProps) {
  const own = board.seat !== null && ship.owner === board.seat;
  const action = plan.ships.get(ship.id)?.action ?? null;
  const leaves = action?.kind === "move";
  const title = own ? `Your ship ${ship.id}` : `${nameOf(names, ship.owner)}'s ship ${ship.id}`;
  return (
    <li class="contender">
      <Emblem owner={ship.owner} size={18} />
      <button class="log-look grow" type="button" onClick={() => onSelect(ship.id)}>
        {title}
      </button>
      <span class="numbers soft">
        {ship.hp}/{ship.maxHp} hp
      </span>
      {own && mode !== "look" && (
        <span class="row">
          <button class="small" type="button" aria-pressed={!leaves} disabled={mode === "frozen"} onClick={() => onPress(ship.id)}>
            Press
          </button>
          <button class="small" type="button" aria-pressed={leaves} disabled={mode === "frozen"} onClick={() => onWithdraw(ship.id)}>
            Withdraw
          </button>
        </span>
      )}
    </li>
  );
}
