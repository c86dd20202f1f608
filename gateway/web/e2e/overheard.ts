// Everything that a page is told by the server, as it comes over the wire.
import { fromBinary, isMessage } from "@bufbuild/protobuf";
import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { Archive } from "../src/gen/parley/v1/archive_pb";
import { Lobby } from "../src/gen/parley/v1/lobby_pb";
import { Play } from "../src/gen/parley/v1/play_pb";

/** Keeps the bytes of every answer to the page. Has to be called before the page is opened. */
export async function overhear(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const told: { path: string; bytes: number[] }[] = [];
    Object.assign(window, { overheard: told });
    const really = window.fetch.bind(window);
    window.fetch = async (...asked: Parameters<typeof fetch>) => {
      const response = await really(...asked);
      const answer: { path: string; bytes: number[] } = { path: new URL(response.url).pathname, bytes: [] };
      told.push(answer);
      const reader = response.clone().body?.getReader();
      const read = async (): Promise<void> => {
        const piece = await reader?.read();
        if (piece?.value === undefined) return;
        answer.bytes.push(...piece.value);
        return read();
      };
      void read().catch(() => undefined);
      return response;
    };
  });
}

/** What the page was told so far, message by message. */
export async function overheard(page: Page): Promise<Message[]> {
  const answers = await page.evaluate(() => {
    return (window as unknown as { overheard: { path: string; bytes: number[] }[] }).overheard;
  });
  return answers.flatMap(({ path, bytes }) => {
    const schema = schemaOf(path);
    return framesOf(Uint8Array.from(bytes)).map((frame) => fromBinary(schema, frame));
  });
}

/** All messages within messages. */
export function* parts(value: unknown): Generator<Message & Record<string, unknown>> {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  if (isMessage(value)) yield value as Message & Record<string, unknown>;
  for (const part of Object.values(value)) yield* parts(part);
}

function schemaOf(path: string): DescMessage {
  const [, service, method] = path.split("/");
  for (const known of [Lobby, Play, Archive]) {
    const found = known.methods.find((each) => each.name === method);
    if (known.typeName === service && found !== undefined) return found.output;
  }
  throw new Error(`nobody knows ${path}`);
}

/** The messages of an answer, each with its length before it. What is said at the end is no message. */
function framesOf(bytes: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  const view = new DataView(bytes.buffer);
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 5 + view.getUint32(at + 1);
    if (end > bytes.length) break;
    if (view.getUint8(at) === 0) frames.push(bytes.subarray(at + 5, end));
    at = end;
  }
  return frames;
}
