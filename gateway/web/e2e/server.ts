// The real server as a process that ends with the test, whatever becomes of it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const BINARY = process.env["PARLEY_BINARY"] ?? "parley";
const ADMIN = "a-token-of-tests-that-is-long-enough";

/** A server on a port of its own. `start` after `kill` is on the same port and the same data. */
export class Server {
  private readonly folder = mkdtempSync(join(tmpdir(), "parley-e2e-"));
  private listen = "127.0.0.1:0";
  private process: ChildProcess | null = null;

  static async started(): Promise<Server> {
    const server = new Server();
    try {
      await server.start();
    } catch (fault) {
      await server.close();
      throw fault;
    }
    return server;
  }

  get address(): string {
    return `http://${this.listen}`;
  }

  async start(): Promise<void> {
    const flags = ["--listen", this.listen, "--data", this.folder, "--admin-token", ADMIN, "--log-filter", "error"];
    const child = spawn(BINARY, flags, { cwd: this.folder, stdio: ["ignore", "pipe", "inherit"] });
    await once(child, "spawn");
    this.process = child;
    const lines = createInterface(child.stdout);
    for await (const line of lines) {
      const found = /http:\/\/([\d.]+:\d+)/.exec(line)?.[1];
      if (found === undefined) continue;
      this.listen = found;
      break;
    }
    child.stdout.resume();
    if (this.listen.endsWith(":0")) throw new Error("the server does not say where it listens");
  }

  /** Ends the process as a power failure would. */
  async kill(): Promise<void> {
    const child = this.process;
    this.process = null;
    if (child === null || child.exitCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  /** Ends the process and removes what it wrote. */
  async close(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
