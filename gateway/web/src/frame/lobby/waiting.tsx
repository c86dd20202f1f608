// A match before it starts: its seats as they fill, and the link that lets others in.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import { seats } from "../api/seats";
import { nameOf } from "../names";
import { matchAddress, wholeAddress } from "../route";
import type { CallResult, SessionState } from "../session/state";
import { Emblem } from "../ui/emblem";
import { keepChoices, readChoices } from "./choices";
import type { LobbyPieces } from "./pieces";
import { beginMatch, leaveSeat, takeSeat, matchTitle } from "./start";
import "./lobby.css";

export interface WaitingProps {
  readonly pieces: LobbyPieces;
  readonly state: SessionState;
  readonly match: Match;
  /** Called after the seat of this browser was taken or given back. */
  readonly onSeat: () => void;
  readonly onLeave: () => void;
}

export function WaitingRoom({ pieces, state, match, onSeat, onLeave }: WaitingProps) {
  const stored = seats.of(state.id);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState("");
  const open = match.seats.filter((seat) => !seat.taken).length;
  const attempt = async (what: Promise<CallResult<unknown>>, then: () => void) => {
    setBusy(true);
    setRefusal("");
    const answer = await what;
    setBusy(false);
    if (answer.ok) then();
    else setRefusal(answer.refusal.sentence);
  };
  if (state.ended !== null || match.stopped !== "") {
    return (
      <main class="plain">
        <div class="notice warn">
          <p>This match was stopped before it began.</p>
          <a class="button" href="#/">
            To the lobby
          </a>
        </div>
      </main>
    );
  }
  return (
    <main class="plain">
      <section class="panel lobby-waiting" aria-label="Waiting room">
        <h1>{matchTitle(match)}</h1>
        <p role="status">{waitingWords(open, stored !== null && stored.host !== null, match.settings?.startWhenFull ?? false)}</p>
        <ul class="lobby-seats" aria-label="Seats">
          {match.seats.map((seat) => (
            <li key={seat.seat} class={seat.taken ? "lobby-seat" : "lobby-seat open"}>
              <Emblem owner={seat.seat} size={22} />
              <span class="grow">
                {seat.taken ? nameOf(state.names, seat.seat) : "Open"}
                {seat.houseBot !== "" && <span class="soft small"> {pieces.botWords(seat.houseBot) || "a house bot"}</span>}
              </span>
              {seat.seat === state.seat && <span class="chip">You</span>}
            </li>
          ))}
        </ul>
        {state.seat === null && open > 0 && (
          <JoinForm pieces={pieces} busy={busy} onJoin={(name) => attempt(takeSeat(pieces, state.id, name), onSeat)} />
        )}
        {open > 0 && <ShareLink address={wholeAddress(matchAddress(state.id, stored?.invite ?? null))} />}
        {refusal !== "" && (
          <p class="notice bad" role="alert">
            {refusal}
          </p>
        )}
        <div class="row">
          {stored?.host && !match.settings?.startWhenFull && (
            <button type="button" class="primary" disabled={busy || open > 0} onClick={() => attempt(beginMatch(state.id), () => {})}>
              Start
            </button>
          )}
          {state.seat !== null && (
            <button type="button" class="danger" disabled={busy} onClick={() => attempt(leaveSeat(state.id), onLeave)}>
              Leave the match
            </button>
          )}
          <a class="button quiet" href="#/">
            To the lobby
          </a>
        </div>
      </section>
    </main>
  );
}

function waitingWords(open: number, host: boolean, byItself: boolean): string {
  if (open === 0) return host && !byItself ? "Everybody is here. Start when you are ready." : "Everybody is here.";
  const seatsOpen = open === 1 ? "One seat is open." : `${open} seats are open.`;
  return byItself ? `${seatsOpen} The match begins when every seat is taken.` : seatsOpen;
}

interface JoinFormProps {
  readonly pieces: LobbyPieces;
  readonly busy: boolean;
  readonly onJoin: (name: string) => void;
}

function JoinForm({ pieces, busy, onJoin }: JoinFormProps) {
  const [name, setName] = useState(() => readChoices(pieces).name);
  const join = (event: Event) => {
    event.preventDefault();
    keepChoices({ ...readChoices(pieces), name });
    onJoin(name);
  };
  return (
    <form class="row lobby-join" onSubmit={join}>
      <div class="field grow">
        <label for="joining-name">Your name</label>
        <input
          id="joining-name"
          type="text"
          maxLength={40}
          autocomplete="nickname"
          placeholder={pieces.usualName}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="primary" disabled={busy}>
        Take a seat
      </button>
    </form>
  );
}

function ShareLink({ address }: { readonly address: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(address);
      setCopied(true);
    } catch {
      // Without permission, or without TLS, the selected text can still be copied by hand.
    }
  };
  return (
    <div class="row lobby-share">
      <div class="field grow">
        <label for="share-link">Share this link</label>
        <input id="share-link" ref={field} type="text" readOnly value={address} onFocus={() => field.current?.select()} />
      </div>
      <button type="button" onClick={copy}>
        Copy
      </button>
      <span class="good-text" role="status">
        {copied ? "Copied." : ""}
      </span>
    </div>
  );
}
