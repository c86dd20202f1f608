// The walls between the rooms of the page: the frame knows no game and none of its messages, and the games do not know
// each other. And the words in them: an exported name means one thing.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL(".", import.meta.url));
const GAMES = ["plunder"];
/** The only files that know both the frame and the games. */
const REGISTRY = ["games.ts", "walls.test.ts"];

interface Import {
  /** The importing file and what it imports, both seen from the folder of the sources. */
  readonly from: string;
  readonly to: string;
}

/** Everything that a text imports, exports on, loads later or names by its address, as far as it is a file beside it. */
function importsOf(from: string, text: string): Import[] {
  const found = text.matchAll(/(?:\bfrom|\bimport|\bimport\(|\bnew URL\(|\burl\(|\bmock\()\s*["'`]?(\.{1,2}\/[^"'`)\s]*)/g);
  return Array.from(found, ([, path = ""]) => ({ from, to: join(dirname(from), path).split(sep).join("/") }));
}

/** The room of a file: the folder below the sources that it is in. */
function roomOf(path: string): string {
  return path.split("/")[0] ?? "";
}

/** The game that a file belongs to, by its room or by the package of its generated messages; null where it is of none. */
function ownerOf(path: string): string | null {
  const [room = "", , bundle = ""] = path.split("/");
  const name = room === "gen" ? bundle : room;
  return GAMES.includes(name) ? name : null;
}

/** Imports that go through a wall. */
function breaches(imports: readonly Import[]): Import[] {
  return imports.filter(({ from, to }) => {
    const owner = ownerOf(to);
    return owner !== null && owner !== roomOf(from) && !REGISTRY.includes(from);
  });
}

function sources(): string[] {
  const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => relative(SOURCE, join(entry.parentPath, entry.name)).split(sep).join("/"));
  return paths.filter((path) => /\.(ts|tsx|css)$/.test(path) && roomOf(path) !== "gen");
}

/** The names that a text exports where it declares them, of types and of values alike. */
function exportsOf(text: string): string[] {
  const found = text.matchAll(/^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type|enum) +(\w+)/gm);
  return Array.from(found, ([, name = ""]) => name);
}

describe("an exported name", () => {
  it("means one thing in the whole page", () => {
    const files = new Map<string, string[]>();
    for (const path of sources()) {
      // A type and a value of one file may share a name.
      for (const name of new Set(exportsOf(readFileSync(join(SOURCE, path), "utf8")))) {
        files.set(name, [...(files.get(name) ?? []), path]);
      }
    }
    expect(files.size).toBeGreaterThan(300);
    expect([...files].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it("is found however it is declared", () => {
    const text = "export interface A {\nexport type B =\nexport class C {\nexport const D = 1\nexport async function E() {\nconst F = 2";
    expect(exportsOf(text)).toEqual(["A", "B", "C", "D", "E"]);
  });
});

describe("the wall around a game", () => {
  it("is not broken by anybody", () => {
    const imports = sources().flatMap((path) => importsOf(path, readFileSync(join(SOURCE, path), "utf8")));
    expect(breaches(imports)).toEqual([]);
    // The sources were really read: the registry reaches every game, and the games reach the frame.
    for (const game of GAMES) {
      expect(imports.some(({ from, to }) => from === "games.ts" && roomOf(to) === game)).toBe(true);
      expect(imports.some(({ from, to }) => roomOf(from) === game && roomOf(to) === "frame")).toBe(true);
      const isMessage = (path: string) => roomOf(path) === "gen" && ownerOf(path) === game;
      expect(imports.some(({ from, to }) => roomOf(from) === game && isMessage(to))).toBe(true);
    }
  });

  it("has a door in the registry only", () => {
    expect(readdirSync(SOURCE).filter((name) => !["frame", "gen", "main.tsx", ...GAMES, ...REGISTRY].includes(name))).toEqual([]);
  });

  it.each([
    ["an import", 'import { boardOf } from "../plunder/model/board";'],
    ["an import of types", 'import type {\n  Board,\n} from "../plunder/model/model";'],
    ["an import for its effects", 'import "../plunder/match/match.css";'],
    ["an export", "export * from '../plunder/model/model';"],
    ["an import at a later time", 'const game = await import("../plunder/game");'],
    ["a worker", 'new Worker(new URL("../plunder/verifier/worker.ts", import.meta.url));'],
    ["a style", '@import url("../plunder/board/board.css");'],
  ])("is broken by %s", (_, text) => {
    expect(breaches(importsOf("frame/page.tsx", text))).toHaveLength(1);
    expect(breaches(importsOf("main.tsx", text.replace("../", "./")))).toHaveLength(1);
    expect(breaches(importsOf("plunder/game.tsx", text.replace("../plunder/", "./")))).toEqual([]);
  });

  it("is around its messages, too, and not around those that all games share", () => {
    const ofTheGame = 'import type { View } from "../../gen/parley/plunder/v1/view_pb";';
    const ofAll = 'import "../../gen/parley/v1/game_pb";\nimport "../../gen/parley/common/v1/board_pb";';
    expect(breaches(importsOf("frame/session/game.ts", ofTheGame))).toHaveLength(1);
    expect(breaches(importsOf("frame/session/game.ts", ofAll))).toEqual([]);
    expect(breaches(importsOf("plunder/model/board.ts", ofTheGame))).toEqual([]);
  });
});
