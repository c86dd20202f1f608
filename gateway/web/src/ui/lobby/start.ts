// Creating matches and taking seats in them.
import { clients, requestId } from "../../api/clients";
import { type Refusal, isPassing, ownRefusal, refusalOf } from "../../api/refusal";
import { seats } from "../../api/seats";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import type { Answer } from "../../live/state";
import { Visibility } from "../../gen/parley/v1/lobby_pb";
import { type Choices, DEFAULTS, fitted, readChoices, settingsOf } from "./choices";

/** How often a call is repeated where the server cannot be reached. It carries a request id, so it happens once. */
const ATTEMPTS = 3;
const PAUSE_MS = 500;
const CALL_MS = 15_000;

/** Creates a match and takes a seat in it: with bots alone, it begins at once. The answer is its id. */
export async function startMatch(choices: Choices): Promise<Answer<string>> {
  const { lobby } = clients(null);
  const create = { requestId: requestId(), settings: settingsOf(fitted(choices)) };
  const created = await repeated(() => lobby.createMatch(create, { timeoutMs: CALL_MS }));
  if (!created.ok) return created;
  const { match, hostToken, inviteToken } = created.value;
  if (!match) return { ok: false, refusal: ownRefusal("The server created no match.") };
  seats.keep(match.matchId, { title: titleOf(match), host: hostToken, invite: inviteToken || null });
  const joined = await takeSeat(match.matchId, choices.name);
  return joined.ok ? { ok: true, value: match.matchId } : joined;
}

/** Starts another match like one that was played: same map size, bots, fog and time. */
export function startLike(match: Match): Promise<Answer<string>> {
  return startMatch(choicesLike(match, readChoices().name));
}

/** What was chosen for a match. Maps that the lobby does not offer become the usual one. */
export function choicesLike(match: Match, name: string): Choices {
  const { settings } = match;
  const source = settings?.map?.source;
  const size = (source?.case === "generated" && source.value.size) || DEFAULTS.size;
  return fitted({
    name,
    size,
    bots: match.seats.map((seat) => seat.houseBot).filter((policy) => policy !== ""),
    people: Math.max(0, match.seats.filter((seat) => seat.houseBot === "").length - 1),
    fog: settings?.fog ?? false,
    minutes: Math.round(Number(settings?.planningMs ?? 0n) / 60_000),
    listed: settings?.visibility !== Visibility.PRIVATE,
  });
}

/** Takes a seat and keeps it in this browser. The answer is its number. */
export async function takeSeat(id: string, name: string): Promise<Answer<number>> {
  const { lobby } = clients(seats.of(id)?.invite ?? null);
  // Bytes of one's own go into the dice, so that the server alone cannot choose them (R13.4).
  const added = crypto.getRandomValues(new Uint8Array(32));
  const join = { requestId: requestId(), matchId: id, name: name.trim() || "Captain", added };
  const joined = await repeated(() => lobby.joinMatch(join, { timeoutMs: CALL_MS }));
  if (!joined.ok) return joined;
  const { seat, playerToken, expiresAt, match } = joined.value;
  seats.keep(id, {
    ...(match ? { title: titleOf(match) } : {}),
    seat: { number: seat, name: join.name, token: playerToken },
    until: Number(expiresAt) * 1000,
  });
  return { ok: true, value: seat };
}

/** Gives a seat back before the match has started. */
export async function leaveSeat(id: string): Promise<Answer> {
  const token = seats.of(id)?.seat?.token ?? null;
  const request = { requestId: requestId(), matchId: id };
  const left = await repeated(() => clients(token).lobby.leaveMatch(request, { timeoutMs: CALL_MS }));
  if (!left.ok) return left;
  seats.keep(id, { seat: null });
  return { ok: true, value: undefined };
}

/** Starts a full match. */
export async function beginMatch(id: string): Promise<Answer> {
  const token = seats.of(id)?.host ?? null;
  const request = { requestId: requestId(), matchId: id };
  const begun = await repeated(() => clients(token).lobby.startMatch(request, { timeoutMs: CALL_MS }));
  return begun.ok ? { ok: true, value: undefined } : begun;
}

/** What people call a match. */
export function titleOf(match: Match): string {
  return match.settings?.name || `Match ${match.matchId}`;
}

async function repeated<T>(call: () => Promise<T>): Promise<Answer<T>> {
  let refusal: Refusal | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      return { ok: true, value: await call() };
    } catch (thrown) {
      refusal = refusalOf(thrown);
      if (!isPassing(refusal)) break;
      await new Promise((done) => setTimeout(done, Math.max(PAUSE_MS, Math.min(refusal?.retryMs ?? 0, 5000))));
    }
  }
  return { ok: false, refusal: refusal ?? ownRefusal("It was not tried.") };
}
