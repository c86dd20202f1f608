// How a ship answers encounters, and whether it fires at the end of the turn.
import type { Stance } from "../model/model";

export const stances: readonly { readonly stance: Stance; readonly name: string; readonly note: string }[] = [
  { stance: "ask", name: "Ask me", note: "You decide each time ships meet." },
  { stance: "evade", name: "Evade", note: "Always passes by or backs down." },
  { stance: "fight", name: "Fight", note: "Always attacks." },
  { stance: "fight-if-healthy", name: "Fight if healthy", note: "Attacks with at least half of its hp, else evades." },
];

export interface StanceProps {
  readonly ship: number;
  readonly stance: Stance;
  readonly frozen: boolean;
  readonly onPick: (stance: Stance) => void;
}

export function StanceChoice({ ship, stance, frozen, onPick }: StanceProps) {
  return (
    <fieldset class="stances" disabled={frozen}>
      <legend>When it meets others</legend>
      <div class="stance-list">
        {stances.map((other) => (
          <label key={other.stance} class="stance" title={other.note}>
            <input
              type="radio"
              name={`stance-${ship}`}
              value={other.stance}
              checked={other.stance === stance}
              onChange={() => onPick(other.stance)}
            />
            <span>{other.name}</span>
          </label>
        ))}
      </div>
      <small class="soft">{stances.find((other) => other.stance === stance)?.note}</small>
    </fieldset>
  );
}

export interface BroadsideProps {
  readonly on: boolean;
  /** Why the stance may not be chosen; null where it may. */
  readonly reason: string | null;
  readonly frozen: boolean;
  readonly onChange: (on: boolean) => void;
}

export function BroadsideChoice({ on, reason, frozen, onChange }: BroadsideProps) {
  return (
    <label class="check broadside">
      <input
        type="checkbox"
        checked={on}
        disabled={frozen || reason !== null}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        Broadside
        <small class="soft"> {reason ?? "fires on an enemy beside it in the end, if it has not fought"}</small>
      </span>
    </label>
  );
}
