// Files of the repository that tests read: rules, cases, journals.
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const DATA = fileURLToPath(new URL("../../../../../../data/", import.meta.url));
const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** The names of the files in a folder of `data`, in order. */
export function dataFiles(folder: string): string[] {
  return readdirSync(DATA + folder).sort();
}

/** A text below `data`. */
export function dataText(path: string): string {
  return readFileSync(DATA + path, "utf8");
}

/**
 * A match that a real server played. Its sheets were encoded when they had no arm yet; they were given one later, and with
 * it new receipts by the key of tests (`PUBLIC` in `forge.ts`).
 */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(`${FIXTURES}${name}.parley-replay`));
}

export type Tree = { readonly [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The default rules. Of YAML, this reads what `data/rules/plunder.yaml` has: two levels, lists and rows in braces. */
export function plunderRules(): Tree {
  const tree: Record<string, unknown> = {};
  let rows: unknown[] = [];
  let entries: Record<string, unknown> = {};
  for (const line of dataText("rules/plunder.yaml").split("\n")) {
    const [, indent = "", dash, key, value = ""] = /^( *)(- )?(?:(\w+):)? *(.*)$/.exec(line) ?? [];
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    if (dash !== undefined) rows.push(valueOf(value));
    else if (key === undefined) throw new Error(`not understood: ${line}`);
    else if (indent !== "") entries[key] = valueOf(value);
    else if (value !== "") tree[key] = valueOf(value);
    else {
      rows = [];
      entries = {};
      const [list, table] = [rows, entries];
      Object.defineProperty(tree, key, { enumerable: true, get: () => (list.length > 0 ? list : table) });
    }
  }
  return JSON.parse(JSON.stringify(tree)) as Tree;
}

function valueOf(text: string): unknown {
  const quoted = text.replace(/("[^"]*")|([A-Za-z_]\w*)/g, (_, string: string | undefined, word: string) => {
    return string ?? (word === "true" || word === "false" ? word : `"${word}"`);
  });
  return JSON.parse(quoted);
}
