// One of the two answers, with what it leads to.
import type { Board, Choice } from "../../game/model";
import { percent, tenths } from "../../game/odds";
import { type Prospect, type Stake, prospectsOf } from "../../game/prospects";
import type { Question } from "./questions";

export interface ChoiceProps {
  readonly board: Board;
  readonly question: Question;
  readonly choice: Choice;
  readonly pressed: boolean;
  readonly disabled: boolean;
  readonly onChoose: () => void;
}

const KEYS: Readonly<Record<Choice, string>> = { proceed: "P", yield: "Y", attack: "A" };

export function ChoiceCard({ board, question, choice, pressed, disabled, onChoose }: ChoiceProps) {
  const prospects = prospectsOf(board, question.encounter, question.ship).filter((prospect) => prospect.choice === choice);
  return (
    <div class={`prompt-choice ${choice}`}>
      <button type="button" class="prompt-answer" aria-pressed={pressed} aria-keyshortcuts={KEYS[choice].toLowerCase()} disabled={disabled} onClick={onChoose}>
        {choice.toUpperCase()} <kbd aria-hidden="true">{KEYS[choice]}</kbd>
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
      {stake !== null && <StakeLines stake={stake} />}
    </>
  );
}

function StakeLines({ stake }: { readonly stake: Stake }) {
  const [one, ...more] = stake.them;
  const loss = stake.them.reduce((sum, { odds }) => sum + odds.meanLossMilli, 0);
  return (
    <span class="prompt-odds numbers">
      <OddsBar who="You" sinksPpm={stake.you.sinksPpm} lossMilli={stake.you.meanLossMilli} />
      {one !== undefined && more.length === 0 ? (
        <OddsBar who="They" sinksPpm={one.odds.sinksPpm} lossMilli={loss} />
      ) : (
        <span class="prompt-odd">They lose {tenths(loss)} hp together</span>
      )}
    </span>
  );
}

function OddsBar({ who, sinksPpm, lossMilli }: { readonly who: string; readonly sinksPpm: number; readonly lossMilli: number }) {
  return (
    <span class="prompt-odd">
      {who} sink {percent(sinksPpm)}, −{tenths(lossMilli)} hp
      <span class="prompt-odd-bar" aria-hidden="true">
        <span class={who === "You" ? "bad" : "good"} style={{ width: `${sinksPpm / 10_000}%` }} />
      </span>
    </span>
  );
}
