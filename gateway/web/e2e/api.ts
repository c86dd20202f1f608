// Matches made through the API, and players who are driven by calls instead of a page.
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import type { Client, Interceptor } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { readReplayFile, writeReplayFile } from "../src/frame/verify/replayfile";
import type { SheetSchema } from "../src/gen/parley/plunder/v1/orders_pb";
import type { SettingsSchema } from "../src/gen/parley/plunder/v1/settings_pb";
import type { View } from "../src/gen/parley/plunder/v1/view_pb";
import { Archive } from "../src/gen/parley/v1/archive_pb";
import type { GameSettingsSchema } from "../src/gen/parley/v1/game_pb";
import { Lobby } from "../src/gen/parley/v1/lobby_pb";
import type { MatchSettingsSchema } from "../src/gen/parley/v1/lobby_pb";
import { Play } from "../src/gen/parley/v1/play_pb";
import type { ReplayRecord } from "../src/gen/parley/v1/replay_pb";
import { sheetWith, viewArm } from "../src/plunder/arms";

export interface Calls {
  readonly lobby: Client<typeof Lobby>;
  readonly play: Client<typeof Play>;
  readonly archive: Client<typeof Archive>;
}

/** The services as somebody with this token sees them; without one, as anybody. */
export function calls(address: string, token: string | null = null): Calls {
  const bear: Interceptor = (next) => (request) => {
    if (token !== null) request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
  const transport = createGrpcWebTransport({ baseUrl: address, interceptors: [bear] });
  return {
    lobby: createClient(Lobby, transport),
    play: createClient(Play, transport),
    archive: createClient(Archive, transport),
  };
}

export function freshId(): string {
  return crypto.randomUUID();
}

/** What a match is to be like, beside its seats. */
export interface Wishes {
  readonly name?: string;
  /** Rows of a drawn map; the seats start from its harbors in reading order. Further harbors are free. */
  readonly rows: readonly string[];
  /** Changes to the rules. */
  readonly rules?: JsonObject;
  readonly fog?: boolean;
}

/** Creates a public match that begins when it is full. A seat is empty for a player, or the policy of a house bot. */
export async function createMatch(address: string, seats: readonly string[], wishes: Wishes): Promise<string> {
  const { name = "", rows, rules = {}, fog = false } = wishes;
  const settings: MessageInitShape<typeof MatchSettingsSchema> = {
    name,
    game: plunderGame({
      map: { source: { case: "drawn", value: { rows: [...rows], starts: harborsOf(rows).slice(0, seats.length) } } },
      changes: rules,
      fog,
    }),
    seats: seats.map((houseBot) => ({ houseBot })),
    planningTime: durationFromMs(0),
    decisionTime: durationFromMs(0),
    startWhenFull: true,
  };
  const { match } = await calls(address).lobby.createMatch({ requestId: freshId(), settings });
  if (match === undefined) throw new Error("the server created no match");
  return match.matchId;
}

/** The settings of the naval game among those of a match. */
export function plunderGame(value: MessageInitShape<typeof SettingsSchema>): MessageInitShape<typeof GameSettingsSchema> {
  return { game: { case: "plunder", value } };
}

/** The hexes of the harbors of a drawn map, in reading order. */
export function harborsOf(rows: readonly string[]): { q: number; r: number }[] {
  return rows.flatMap((row, r) =>
    [...row].flatMap((symbol, column) => (symbol === "H" ? [{ q: column - (r - (r & 1)) / 2, r }] : [])),
  );
}

/** The records of a finished match, as they come from the file that they make. */
export async function recordsOf(address: string, matchId: string): Promise<ReplayRecord[]> {
  const records: ReplayRecord[] = [];
  for await (const { record } of calls(address).archive.getReplay({ matchId })) {
    if (record !== undefined) records.push(record);
  }
  return readReplayFile(writeReplayFile(records));
}

/** A player without a page. */
export class Opponent {
  private constructor(
    private readonly matchId: string,
    private readonly calls: Calls,
    readonly seat: number,
  ) {}

  static async joins(address: string, matchId: string, name: string): Promise<Opponent> {
    const request = { requestId: freshId(), matchId, name };
    const { seat, playerToken } = await calls(address).lobby.joinMatch(request);
    return new Opponent(matchId, calls(address, playerToken), seat);
  }

  /** What the player sees now. */
  async view(): Promise<View> {
    const { view } = await this.calls.play.getView({ matchId: this.matchId });
    if (view === undefined) throw new Error("the match has not begun");
    return viewArm(view);
  }

  /** The player's ships as they are now. */
  async ships(): Promise<number[]> {
    return (await this.view()).units.filter((unit) => unit.owner === this.seat).map((unit) => unit.id);
  }

  /** The turn that is being planned. */
  async turn(): Promise<number> {
    return (await this.view()).turn;
  }

  /** How many ships the player sees, own ones included. */
  async shipsInSight(): Promise<number> {
    return (await this.view()).units.length;
  }

  async locksIn(turn: number, sheet: MessageInitShape<typeof SheetSchema> = {}): Promise<void> {
    await this.calls.play.lockIn({ requestId: freshId(), matchId: this.matchId, turn, sheet: sheetWith(sheet) });
  }

  /** Sends a ship along hexes. */
  async sails(turn: number, unit: number, path: readonly (readonly [number, number])[]): Promise<void> {
    const value = { path: path.map(([q, r]) => ({ q, r })) };
    await this.locksIn(turn, { units: [{ unit, action: { case: "move", value } }] });
  }

  /** Answers the question about one ship with one of its words, as soon as it is asked. */
  async answers(turn: number, unit: number, word: "proceed" | "yield" | "attack"): Promise<void> {
    for (let left = 100; left > 0; left--) {
      const { prompt } = await this.calls.play.getView({ matchId: this.matchId });
      const question = prompt?.questions.find(({ about }) => about?.subject.case === "unit" && about.subject.value === unit);
      if (prompt?.turn === turn && question !== undefined) {
        const option = question.options.findIndex(({ choice }) => choice.case === "word" && choice.value === word);
        const answers = [{ question: question.id, options: [option] }];
        await this.calls.play.answer({ requestId: freshId(), matchId: this.matchId, turn, window: prompt.window, answers });
        return;
      }
      await new Promise((go) => setTimeout(go, 100));
    }
    throw new Error(`ship ${unit} was not asked in turn ${turn}`);
  }

  async concedes(): Promise<void> {
    await this.calls.play.concede({ requestId: freshId(), matchId: this.matchId });
  }
}
