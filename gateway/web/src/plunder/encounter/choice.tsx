// One of the two answers, with what it leads to.
import type { Board, Choice } from "../model/model";
import { type ShipOdds, percent, tenths } from "../model/odds";
import { type Prospect, type Stake, prospectsOf } from "../model/prospects";
import { CHOICE_KEYS, type ShipQuestion } from "./questions";

export interface ChoiceCardProps {
  readonly board: Board;
  readonly question: ShipQuestion;
  readonly choice: Choice;
  readonly pressed: boolean;
  readonly disabled: boolean;
  readonly onChoose: () => void;
}

export function ChoiceCard({ board, question, choice, pressed, disabled, onChoose }: ChoiceCardProps) {
  const prospects = prospectsOf(board, question.encounter, question.ship).filter((prospect) => prospect.choice === choice);
  return (
    <div class={`prompt-choice ${choice}`}>
      <button type="button" class="prompt-answer" aria-pressed={pressed} aria-keyshortcuts={CHOICE_KEYS[choice].toLowerCase()} disabled={disabled} onClick={onChoose}>
        {choice.toUpperCase()} <kbd aria-hidden="true">{CHOICE_KEYS[choice]}</kbd>
      </button>
      <ul>
        {prospects.map((prospect) => (
          <li key={prospect.condition}>
            <ProspectLine prospect={prospect} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function ProspectLine({ prospect }: { readonly prospect: Prospect }) {
  const { condition, consequence, stake } = prospect;
  // The sentence tells the odds after its first part; where there is a table of them, once is enough.
  const event = stake === null ? consequence : consequence.slice(0, consequence.indexOf(";"));
  return (
    <>
      <span class="soft">{condition === "whatever they do" ? "Whatever they do" : `If ${condition}`}:</span> {event}.
      {stake !== null && <StakeTable stake={stake} />}
    </>
  );
}

/** How many enemies are told of one by one. */
const MOST_ROWS = 3;

/** What a fight costs on average, and how likely it is the end. */
function StakeTable({ stake }: { readonly stake: Stake }) {
  const { you, them } = stake;
  const rows = them.slice(0, MOST_ROWS);
  return (
    <table class="prompt-odds numbers">
      <thead>
        <tr>
          <th>
            <span class="unseen">Who</span>
          </th>
          <th scope="col">lose</th>
          <th scope="col">sink</th>
        </tr>
      </thead>
      <tbody>
        <OddsRow who="You" odds={you} tone="bad" />
        {rows.map(({ ship, odds }) => (
          <OddsRow key={ship} who={them.length === 1 ? "They" : `Ship ${ship}`} odds={odds} tone="good" />
        ))}
      </tbody>
      {them.length > rows.length && <caption class="soft">and {them.length - rows.length} more ships</caption>}
    </table>
  );
}

function OddsRow({ who, odds, tone }: { readonly who: string; readonly odds: ShipOdds; readonly tone: "good" | "bad" }) {
  return (
    <tr>
      <th scope="row">{who}</th>
      <td>≈{tenths(odds.meanLossMilli)} hp</td>
      <td class={odds.sinksPpm > 0 ? `${tone}-text` : "soft"}>{odds.sinksPpm > 0 ? percent(odds.sinksPpm) : "0%"}</td>
    </tr>
  );
}
