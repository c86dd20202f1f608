import { defineConfig } from "vitest/config";

// The page in a real browser, served by the real binary: PARLEY_BINARY=path npm run e2e
const part = (name: string, include: string) => ({ extends: true as const, test: { name, include: [include] } });

export default defineConfig({
  test: {
    root: import.meta.dirname,
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 60_000,
    disableConsoleIntercept: true,
    // What must hold, what it looks like, what it costs, and matches for tests without a server.
    projects: [
      part("e2e", "**/*.test.ts"),
      part("screens", "screens.ts"),
      part("budget", "budget.ts"),
      part("record", "record.ts"),
    ],
  },
});
