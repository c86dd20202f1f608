// A server that says what a test tells it to say. For tests only.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import type { MatchCalls } from "../../frame/session/session";
import type { MatchResult } from "../../gen/parley/common/v1/result_pb";
import type { ChangeSchema } from "../../gen/parley/plunder/v1/change_pb";
import type { ChangesSchema, Query, ViewSchema } from "../../gen/parley/v1/game_pb";
import { GetMatchResponseSchema, MatchStage } from "../../gen/parley/v1/lobby_pb";
import {
  AdviseResponseSchema,
  AnswerResponseSchema,
  ConcedeResponseSchema,
  GetViewResponseSchema,
  LockInResponseSchema,
  NewsSchema,
  Phase,
  StageOrdersResponseSchema,
  WatchResponseSchema,
  type AnswerRequest,
  type GetViewResponse,
  type LockInRequest,
  type News,
  type StageOrdersRequest,
  type WatchRequest,
  type WatchResponse,
} from "../../gen/parley/v1/play_pb";
import type { QuestionSchema } from "../../gen/parley/v1/question_pb";
import { recordedMatch as recorded } from "../model/fixtures/matches";

/** A row of six tiles of sea, with a ship of seat 0 at its west end and one of seat 1 at its east end. */
export function view(turn: number, result?: MatchResult): MessageInitShape<typeof ViewSchema> {
  const ship = (id: number, owner: number, q: number) => ({ id, class: "ship", owner, hex: { q, r: 0 }, hp: 10 });
  const value = {
    seat: 0,
    turn,
    width: 6,
    height: 1,
    terrainKeys: ["deep", "sea", "land", "harbor"],
    terrain: new Uint8Array(6).fill(1),
    players: [
      { id: 0, alive: true, gold: 100n },
      { id: 1, alive: true, gold: 100n },
    ],
    units: [ship(1, 0, 0), ship(2, 1, 5)],
    ...(result === undefined ? {} : { result }),
  };
  return { game: { case: "plunder", value } };
}

/** What GetView answers while a turn is planned. */
export function planning(turn: number, cursor: bigint): GetViewResponse {
  return create(GetViewResponseSchema, { phase: Phase.PLANNING, view: view(turn), cursor });
}

/** A piece of news. */
export function news(cursor: bigint, what: MessageInitShape<typeof NewsSchema>["what"]): News {
  return create(NewsSchema, { cursor, ...(what === undefined ? {} : { what }) });
}

/** How the board changes. */
export function changed(...changes: MessageInitShape<typeof ChangeSchema>["what"][]): MessageInitShape<typeof ChangesSchema> {
  const value = { changes: changes.map((what) => (what === undefined ? {} : { what })) };
  return { game: { case: "plunder", value } };
}

/** A turn that was resolved without anything happening, and the next. */
export function outcome(cursor: bigint, turn: number): News {
  const sharedChanges = changed({ case: "turn", value: turn + 1 });
  const traceId = Uint8Array.of(0xab, turn);
  return news(cursor, { case: "outcome", value: { turn, next: { turn: turn + 1 }, traceId, sharedChanges } });
}

/** A question about a ship in a passing, the first encounter of its prompt. */
export function question(id: number, ship: number): MessageInitShape<typeof QuestionSchema> {
  const word = (value: string) => ({ choice: { case: "word" as const, value } });
  const about = { subject: { case: "unit" as const, value: ship } };
  const options = [word("proceed"), word("attack")];
  return { id, kind: "encounter", rule: "R7.2", tick: 2, group: 1, about, options, min: 1, max: 1, default: [0] };
}

/** A connection that broke. */
export function broken(): ConnectError {
  return new ConnectError("network error", Code.Unavailable);
}

/** What a server refuses with. */
export function refused(code: Code, reason: string): ConnectError {
  const error = new ConnectError(reason.toLowerCase(), code);
  const info = new BinaryWriter().tag(1, WireType.LengthDelimited).string(reason).finish();
  error.details = [{ type: "google.rpc.ErrorInfo", value: info }];
  return error;
}

/** A refusal that says what is wrong with a field of the request. */
export function faulty(reason: string, path: string, text: string): ConnectError {
  const error = refused(Code.InvalidArgument, reason);
  const field = new BinaryWriter().tag(1, WireType.LengthDelimited).string(path);
  const violation = field.tag(2, WireType.LengthDelimited).string(text).finish();
  const value = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(violation).finish();
  error.details.push({ type: "google.rpc.BadRequest", value });
  return error;
}

/** A server that asks for patience. */
export function limited(seconds: number): ConnectError {
  const error = refused(Code.ResourceExhausted, "RATE_LIMITED");
  const delay = new BinaryWriter().tag(1, WireType.Varint).int64(seconds).finish();
  const value = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(delay).finish();
  error.details.push({ type: "google.rpc.RetryInfo", value });
  return error;
}

/** A stream that is being listened to. */
export class FakeStream {
  readonly after: bigint;
  readonly views: boolean;
  readonly #said: (() => WatchResponse | null)[] = [];
  #wake: () => void = () => {};

  constructor(request: Partial<WatchRequest>, signal: AbortSignal | undefined) {
    this.after = request.after ?? 0n;
    this.views = request.views ?? false;
    signal?.addEventListener("abort", () => this.fail(new ConnectError("aborted", Code.Canceled)));
  }

  say(...all: readonly News[]): void {
    for (const one of all) this.#add(() => create(WatchResponseSchema, { news: one }));
  }

  fail(error: ConnectError): void {
    this.#add(() => {
      throw error;
    });
  }

  end(): void {
    this.#add(() => null);
  }

  #add(what: () => WatchResponse | null): void {
    this.#said.push(what);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchResponse> {
    for (;;) {
      const next = this.#said.shift();
      if (next === undefined) {
        await new Promise<void>((wake) => (this.#wake = wake));
        continue;
      }
      const response = next();
      if (response === null) return;
      yield response;
    }
  }
}

/** Answers of one call, in order: an error is thrown. When there are no more, the last is given again. */
class Script<T> {
  readonly #answers: (T | Error)[] = [];

  then(...answers: readonly (T | Error)[]): void {
    this.#answers.push(...answers);
  }

  next(otherwise: T): T {
    const answer = this.#answers.shift() ?? otherwise;
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

export class FakeServer implements MatchCalls {
  readonly streams: FakeStream[] = [];
  readonly views = new Script<GetViewResponse>();
  readonly viewsAsked: number[] = [];
  readonly locks = new Script<null>();
  readonly lockRequests: LockInRequest[] = [];
  readonly stages = new Script<null>();
  readonly stageRequests: StageOrdersRequest[] = [];
  readonly answers = new Script<null>();
  readonly answerRequests: AnswerRequest[] = [];
  optionsAsked = 0;
  /** In how many answers options are told, each about one ship. */
  pagesOfOptions = 1;
  now: GetViewResponse = planning(1, 3n);

  get stream(): FakeStream {
    const last = this.streams.at(-1);
    if (last === undefined) throw new Error("nobody is listening");
    return last;
  }

  readonly lobby: MatchCalls["lobby"] = {
    getMatch: async () =>
      create(GetMatchResponseSchema, {
        rules: recorded("open").rulesText,
        traced: true,
        traceUrl: "http://jaeger.example/trace/",
        match: {
          matchId: "m",
          ruleset: "plunder",
          stage: MatchStage.RUNNING,
          seats: [
            { seat: 0, name: "Anna", taken: true },
            { seat: 1, name: "raider", taken: true, houseBot: "raider" },
          ],
        },
      }),
  };

  readonly play: MatchCalls["play"] = {
    getView: async () => {
      this.viewsAsked.push(Date.now());
      return this.views.next(this.now);
    },
    watch: (request, options) => {
      const stream = new FakeStream(request as Partial<WatchRequest>, options?.signal);
      this.streams.push(stream);
      options?.onHeader?.(new Headers());
      return stream;
    },
    lockIn: async (request) => {
      this.lockRequests.push(request as LockInRequest);
      this.locks.next(null);
      return create(LockInResponseSchema);
    },
    stageOrders: async (request) => {
      this.stageRequests.push(request as StageOrdersRequest);
      this.stages.next(null);
      return create(StageOrdersResponseSchema);
    },
    answer: async (request) => {
      this.answerRequests.push(request as AnswerRequest);
      this.answers.next(null);
      return create(AnswerResponseSchema);
    },
    advise: async (request) => {
      this.optionsAsked += 1;
      const { game } = request.query as Query;
      const unit = game.value?.query.case === "options" ? game.value.query.value.firstUnit : 0;
      const nextUnit = unit + 1 < this.pagesOfOptions ? unit + 1 : 0;
      const options = { case: "options" as const, value: { turn: 1, units: [{ unit }], nextUnit } };
      return create(AdviseResponseSchema, { advice: { game: { case: "plunder", value: { advice: options } } } });
    },
    concede: async () => create(ConcedeResponseSchema, { turn: 1 }),
  };
}
