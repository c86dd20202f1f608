// A new match: one button that starts it as it was chosen last, and the choices.
import { useEffect, useRef, useState } from "preact/hooks";
import { clients } from "../api/clients";
import { botName } from "../names";
import { go, matchAddress } from "../route";
import { type MatchChoices, MINUTES, withinRoom, keepChoices, readChoices, roomOf, withBots } from "./choices";
import type { LobbyPieces } from "./pieces";
import { startMatch } from "./start";

export function NewMatch({ pieces }: { readonly pieces: LobbyPieces }) {
  const [choices, setChoices] = useState(() => readChoices(pieces));
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState("");
  const change = (next: MatchChoices) => {
    const fits = withinRoom(pieces, next);
    setChoices(fits);
    keepChoices(fits);
  };
  const start = async () => {
    setBusy(true);
    setRefusal("");
    const started = await startMatch(pieces, choices);
    if (started.ok) return go(matchAddress(started.value));
    setBusy(false);
    setRefusal(started.refusal.sentence);
  };
  return (
    <section class="panel lobby-new-match" aria-label="New match">
      <button type="button" class="primary big lobby-play-now" disabled={busy} onClick={start}>
        {busy ? pieces.starting : choices.people > 0 ? "Create and invite" : "Play now"}
      </button>
      <p class="lobby-summary soft" aria-live="polite">
        {summary(choices)}
      </p>
      {refusal !== "" && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
      <details class="lobby-choices">
        <summary>Choose your match</summary>
        <ChoiceForm pieces={pieces} choices={choices} onChange={change} />
      </details>
    </section>
  );
}

/** Says in one sentence what kind of match the button starts. */
export function summary(choices: MatchChoices): string {
  const { bots, people, size, fog, minutes } = choices;
  const alike = bots.every((bot) => bot === bots[0]);
  const kind = alike && bots[0] !== undefined ? ` (${bots[0]})` : "";
  const others = [
    ...(people > 0 ? [people === 1 ? "a friend" : `${people} friends`] : []),
    ...(bots.length > 0 ? [bots.length === 1 ? `one house bot${kind}` : `${bots.length} house bots${kind}`] : []),
  ];
  const time = minutes === 0 ? "without a clock" : minutes === 1 ? "1 minute a turn" : `${minutes} minutes a turn`;
  return `Against ${others.join(" and ")} on a ${size} map, ${fog ? "in fog" : "in clear sight"}, ${time}.`;
}

interface FormProps {
  readonly pieces: LobbyPieces;
  readonly choices: MatchChoices;
  readonly onChange: (choices: MatchChoices) => void;
}

function ChoiceForm({ pieces, choices, onChange }: FormProps) {
  const policies = usePolicies();
  const room = roomOf(pieces, choices.size) - 1;
  const number = (least: number, most: number) =>
    Array.from({ length: Math.max(0, most - least) + 1 }, (_, i) => least + i);
  return (
    <div class="lobby-choice-form">
      <fieldset class="field lobby-sizes">
        <legend class="label">Map</legend>
        {pieces.sizes.map((size) => (
          <label key={size.key} class="lobby-pill">
            <input
              type="radio"
              name="size"
              checked={choices.size === size.key}
              onChange={() => onChange({ ...choices, size: size.key })}
            />
            <span>{size.title}</span>
            <span class="soft small">
              {size.width}×{size.height}
            </span>
          </label>
        ))}
      </fieldset>
      <div class="field">
        <label for="bots">House bots</label>
        <select id="bots" value={choices.bots.length} onChange={(event) => onChange(withBots(pieces, choices, Number(event.currentTarget.value)))}>
          {number(choices.people > 0 ? 0 : 1, room - choices.people).map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="people">Friends to invite</label>
        <select id="people" value={choices.people} onChange={(event) => onChange({ ...choices, people: Number(event.currentTarget.value) })}>
          {number(0, room).map((count) => (
            <option key={count} value={count}>
              {count}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="minutes">Time to plan</label>
        <select id="minutes" value={choices.minutes} onChange={(event) => onChange({ ...choices, minutes: Number(event.currentTarget.value) })}>
          {MINUTES.map((minutes) => (
            <option key={minutes} value={minutes}>
              {minutes === 0 ? "No limit" : minutes === 1 ? "1 minute" : `${minutes} minutes`}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="player-name">Your name</label>
        <input
          id="player-name"
          type="text"
          maxLength={40}
          autocomplete="nickname"
          placeholder={pieces.usualName}
          value={choices.name}
          onInput={(event) => onChange({ ...choices, name: event.currentTarget.value })}
        />
      </div>
      <BotChoices pieces={pieces} choices={choices} policies={policies} onChange={onChange} />
      <label class="check">
        <input type="checkbox" checked={choices.fog} onChange={(event) => onChange({ ...choices, fog: event.currentTarget.checked })} />
        {pieces.fogWords}
      </label>
      {choices.people > 0 && (
        <label class="check">
          <input type="checkbox" checked={choices.listed} onChange={(event) => onChange({ ...choices, listed: event.currentTarget.checked })} />
          Listed: anybody may join and watch, not only those with the link
        </label>
      )}
    </div>
  );
}

interface BotProps extends FormProps {
  readonly policies: readonly string[];
}

/** One policy for all bots, or one for each. */
function BotChoices({ pieces, choices, policies, onChange }: BotProps) {
  const { bots } = choices;
  const alike = bots.every((bot) => bot === bots[0]);
  const [each, setEach] = useState(!alike);
  if (bots.length === 0) return null;
  const all = (policy: string) => onChange({ ...choices, bots: bots.map(() => policy) });
  const one = (index: number, policy: string) => onChange({ ...choices, bots: bots.map((bot, i) => (i === index ? policy : bot)) });
  return (
    <fieldset class="field lobby-bots">
      <legend class="label">{bots.length === 1 ? "The bot plays as" : "The bots play as"}</legend>
      {each && bots.length > 1 ? (
        bots.map((bot, i) => (
          <PolicySelect key={i} pieces={pieces} label={`Bot ${i + 1}`} policy={bot} policies={policies} onChange={(policy) => one(i, policy)} />
        ))
      ) : (
        <PolicySelect pieces={pieces} label={bots.length === 1 ? "The bot" : "All bots"} policy={bots[0] ?? ""} policies={policies} onChange={all} />
      )}
      {bots.length > 1 && (
        <label class="check">
          <input
            type="checkbox"
            checked={each}
            onChange={(event) => {
              setEach(event.currentTarget.checked);
              if (!event.currentTarget.checked) all(bots[0] ?? "");
            }}
          />
          Choose for each bot
        </label>
      )}
    </fieldset>
  );
}

interface PolicyProps {
  readonly pieces: LobbyPieces;
  readonly label: string;
  readonly policy: string;
  readonly policies: readonly string[];
  readonly onChange: (policy: string) => void;
}

function PolicySelect({ pieces, label, policy, policies, onChange }: PolicyProps) {
  const { botWords } = pieces;
  const known = policies.includes(policy) || policy === "" ? policies : [policy, ...policies];
  return (
    <select aria-label={label} value={policy} onChange={(event) => onChange(event.currentTarget.value)}>
      {known.map((name) => (
        <option key={name} value={name}>
          {botWords(name) === "" ? botName(name) : `${botName(name)}: ${botWords(name)}`}
        </option>
      ))}
    </select>
  );
}

/** The policies that the server offers, the weakest first. */
function usePolicies(): readonly string[] {
  const [policies, setPolicies] = useState<readonly string[]>([]);
  const left = useRef(false);
  useEffect(() => {
    clients(null)
      .lobby.listHouseBots({})
      .then((answer) => {
        if (!left.current) setPolicies(answer.policies);
      })
      .catch(() => {
        // The policy that is chosen can still be played; only the others are not known.
      });
    return () => {
      left.current = true;
    };
  }, []);
  return policies;
}
