import { defineConfig } from "vitest/config";

// Where the service is while the page is being worked on: PARLEY=http://127.0.0.1:7400 npm run dev
const service = process.env["PARLEY"] ?? "http://127.0.0.1:7400";

export default defineConfig({
  base: "./",
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, reportCompressedSize: true },
  server: { host: "127.0.0.1", proxy: { "^/parley\\.v1\\..*": service } },
  preview: { host: "127.0.0.1", proxy: { "^/parley\\.v1\\..*": service } },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
