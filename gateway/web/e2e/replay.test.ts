// A replay is scrubbed, shared and proven; one that was tampered with is found out.
import { toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GetReplayResponseSchema } from "../src/gen/parley/v1/archive_pb";
import type { ReplayRecord } from "../src/gen/parley/v1/replay_pb";
import { createMatch, recordsOf } from "./api";
import { Person } from "./browser";
import { setup } from "./setup";

const here = setup();
const TURNS = 8;

/** A match of house bots on a small sea, played to its end. */
async function played(): Promise<string> {
  const rows = ["......", ".H..H.", "......", "......"];
  const id = await createMatch(here.server.address, ["raider", "raider"], { rows, rules: { turn_limit: TURNS } });
  const isOver = () => recordsOf(here.server.address, id).then((records) => records.length > 2, () => false);
  await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
  return id;
}

test("a replay is scrubbed, shared by its address, and proven", async () => {
  const id = await played();
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  await person.goes(`#/replay/${id}`);
  const turns = page.getByRole("slider", { name: "Turn", exact: true });
  await turns.waitFor();
  await turns.fill("3");
  await expect.poll(() => page.url()).toContain("turn=3");
  await page.getByRole("button", { name: "Step forward" }).click();
  const address = page.url();
  await page.reload();
  await turns.waitFor();
  await expect.poll(() => turns.inputValue()).toBe("3");
  expect(page.url()).toBe(address);
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify this match" }).click();
  await page.getByText("Proven.").waitFor();
  const wrong = page.getByRole("list", { name: "Checks" }).getByRole("img", { name: /wrong|not checked/ });
  expect(await wrong.count()).toBe(0);
  await person.leaves();
});

test("a replay that was tampered with on its way is found out, with its turn", async () => {
  const id = await played();
  const records = await recordsOf(here.server.address, id);
  const turn = records[3]?.record;
  if (turn?.case !== "turn") throw new Error("there is no third turn");
  // The first player's gold, after version, turn, result, both next ids, the count, the id and alive.
  turn.value.state[20] = (turn.value.state[20] ?? 0) ^ 1;
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  await page.route("**/parley.v1.Archive/GetReplay", (route) => {
    return route.fulfill({ body: streamed(records), headers: { "content-type": "application/grpc-web+proto" } });
  });
  await person.goes(`#/replay/${id}`);
  await page.getByRole("tab", { name: "Verify" }).click();
  await page.getByRole("button", { name: "Verify this match" }).click();
  await page.getByText("Not as told.").waitFor();
  const text = await page.getByRole("region", { name: "Verify" }).innerText();
  expect(text).toMatch(/turn 3.*player 0.*gold is/s);
  await person.leaves();
});

/** Records as a server sends them: messages with their length before them, and what is said at the end. */
function streamed(records: readonly ReplayRecord[]): Buffer {
  const frame = (kind: number, bytes: Uint8Array) => {
    const head = Buffer.alloc(5);
    head.writeUInt8(kind);
    head.writeUInt32BE(bytes.length, 1);
    return [head, bytes];
  };
  const messages = records.map((record) => {
    return toBinary(GetReplayResponseSchema, { $typeName: "parley.v1.GetReplayResponse", record });
  });
  const end = frame(128, Buffer.from("grpc-status: 0\r\n"));
  return Buffer.concat([...messages.flatMap((bytes) => frame(0, bytes)), ...end]);
}
