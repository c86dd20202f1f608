// One browser and one server for the tests of a file.
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./browser";
import { Server } from "./server";

export interface TestSetup {
  browser: Browser;
  server: Server;
}

/** Opens both before the tests of a file and closes them afterwards. */
export function setup(): TestSetup {
  const open = {} as TestSetup;
  beforeAll(async () => {
    [open.browser, open.server] = await Promise.all([openBrowser(), Server.started()]);
  });
  afterAll(async () => {
    await open.browser?.close();
    await open.server?.close();
  });
  return open;
}
