import type { Plugin, ProxyOptions } from "vite";
import { defineConfig } from "vitest/config";

// Where the service is while the page is being worked on: PARLEY=http://127.0.0.1:7400 npm run dev
const service = process.env["PARLEY"] ?? "http://127.0.0.1:7400";

// Streams without news yet are to be seen as open: their headers must not wait for their first bytes.
const proxy: Record<string, ProxyOptions> = {
  "^/parley\\.v1\\..*": {
    target: service,
    configure: (server) => server.on("proxyRes", (_, __, response) => setImmediate(() => response.flushHeaders())),
  },
};

/**
 * Writes descriptors of messages as text instead of base64, in which gzip does not see what repeats. They make up a tenth of
 * the page.
 */
function plainDescriptors(): Plugin {
  const plain = (base64: string): string => `btoa(${JSON.stringify(atob(base64))})`;
  return {
    name: "plain-descriptors",
    apply: "build",
    transform: (code, id) =>
      id.endsWith("_pb.ts") ? code.replace(/(?<=fileDesc\()"([^"]+)"/, (_, base64: string) => plain(base64)) : null,
  };
}

export default defineConfig({
  base: "./",
  // Names stay the same from build to build: the binary has the files by name, and browsers ask whether they changed.
  build: {
    assetsDir: "",
    rolldownOptions: {
      output: { entryFileNames: "page.js", chunkFileNames: "[name].js", assetFileNames: "page[extname]" },
    },
    target: "es2023",
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
  plugins: [plainDescriptors()],
  worker: { format: "es", plugins: () => [plainDescriptors()], rolldownOptions: { output: { entryFileNames: "proof.js" } } },
  server: { host: "127.0.0.1", proxy },
  preview: { host: "127.0.0.1", proxy },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
