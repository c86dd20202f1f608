import { defineConfig } from "vitest/config";

// The page in a real browser, served by the real binary: PARLEY_BINARY=path npm run e2e
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
