// Creating matches and taking seats in them.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Match } from "../../gen/parley/v1/lobby_pb";
import { clients, requestId } from "../api/clients";
import { isPassing, ownRefusal, refusalOf } from "../api/refusal";
import { seats } from "../api/seats";
import type { CallResult } from "../session/state";
import { type MatchChoices, type NewSettings, withinRoom, readChoices, settingsOf } from "./choices";
import type { LobbyPieces } from "./pieces";
import { rematchSettings } from "./rematch";

/** How often a call is repeated where the server cannot be reached. It carries a request id, so it happens once. */
const ATTEMPTS = 3;
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const CALL_MS = 15_000;

/** Starts a match as it was chosen. The answer is its id. */
export function startMatch(pieces: LobbyPieces, choices: MatchChoices): Promise<CallResult<string>> {
  return createAndJoin(pieces, settingsOf(pieces, withinRoom(pieces, choices)), choices.name);
}

/** Starts another match like one that was played. */
export async function startRematch(pieces: LobbyPieces, { matchId, settings, seats: taken }: Match): Promise<CallResult<string>> {
  const { lobby } = clients(seats.of(matchId)?.seat?.token ?? seats.of(matchId)?.invite ?? null);
  // The settings that are told leave the rules out; these are told whole.
  const told = await repeated(() => lobby.getMatch({ matchId }, { timeoutMs: CALL_MS }));
  if (!told.ok) return told;
  return createAndJoin(pieces, rematchSettings(pieces, settings, taken, told.value.rules), readChoices(pieces).name);
}

/** Creates a match and takes a seat in it: with bots alone, it begins at once. */
async function createAndJoin(pieces: LobbyPieces, settings: NewSettings, name: string): Promise<CallResult<string>> {
  const { lobby } = clients(null);
  const create = { requestId: requestId(), settings };
  const created = await repeated(() => lobby.createMatch(create, { timeoutMs: CALL_MS }));
  if (!created.ok) return created;
  const { match, hostToken, inviteToken } = created.value;
  if (!match) return { ok: false, refusal: ownRefusal("The server created no match.") };
  seats.keep(match.matchId, { title: matchTitle(match), host: hostToken, invite: inviteToken || null });
  const joined = await takeSeat(pieces, match.matchId, name);
  return joined.ok ? { ok: true, value: match.matchId } : joined;
}

/** Takes a seat and keeps it in this browser. The answer is its number. */
export async function takeSeat({ usualName }: LobbyPieces, id: string, name: string): Promise<CallResult<number>> {
  const { lobby } = clients(seats.of(id)?.invite ?? null);
  // Bytes of one's own go into the dice, so that the server alone cannot choose them (R13.4).
  const added = crypto.getRandomValues(new Uint8Array(32));
  const join = { requestId: requestId(), matchId: id, name: name.trim() || usualName, added };
  const joined = await repeated(() => lobby.joinMatch(join, { timeoutMs: CALL_MS }));
  if (!joined.ok) return joined;
  const { seat, playerToken, expiresAt, match } = joined.value;
  seats.keep(id, {
    ...(match ? { title: matchTitle(match) } : {}),
    seat: { number: seat, name: join.name, token: playerToken },
    ...(expiresAt === undefined ? {} : { until: timestampMs(expiresAt) }),
  });
  return { ok: true, value: seat };
}

/** Gives a seat back before the match has started. */
export async function leaveSeat(id: string): Promise<CallResult> {
  const token = seats.of(id)?.seat?.token ?? null;
  const request = { requestId: requestId(), matchId: id };
  const left = await repeated(() => clients(token).lobby.leaveMatch(request, { timeoutMs: CALL_MS }));
  if (!left.ok) return left;
  seats.keep(id, { seat: null });
  return { ok: true, value: undefined };
}

/** Starts a match whose seats are all taken. */
export async function beginMatch(id: string): Promise<CallResult> {
  const token = seats.of(id)?.host ?? null;
  const request = { requestId: requestId(), matchId: id };
  const begun = await repeated(() => clients(token).lobby.startMatch(request, { timeoutMs: CALL_MS }));
  return begun.ok ? { ok: true, value: undefined } : begun;
}

/** The name of a match as people know it, or its id where it has none. */
export function matchTitle(match: Match): string {
  return match.settings?.name || `Match ${match.matchId}`;
}

async function repeated<T>(call: () => Promise<T>): Promise<CallResult<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { ok: true, value: await call() };
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      const wait = Math.max(PAUSE_MS, refusal.retryMs ?? 0);
      // Whoever is asked to wait for long is told so instead.
      if (!isPassing(refusal) || attempt === ATTEMPTS || wait > LONGEST_PAUSE_MS) return { ok: false, refusal };
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
