// A browser, and pages in it that are watched: what they ask for, and what goes wrong in them.
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
/** A folder with a build of the page that is shown instead of the one in the binary, while it is being worked on. */
const BUILD = process.env["PARLEY_PAGE"] ?? "";
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

export function openBrowser(): Promise<Browser> {
  const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", ...quiet];
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args });
}

/** Somebody with a browser of their own. */
export class Person {
  /** What a page must never do: errors, violations of the policy, requests to somebody else. */
  readonly misdeeds: string[] = [];

  private constructor(
    readonly address: string,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrives(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Person> {
    const size = { width: 1280, height: 800 };
    const context = await browser.newContext({ viewport: size, reducedMotion: "reduce", ...options });
    if (BUILD !== "") await showBuild(context, address);
    const person = new Person(address, context, await context.newPage());
    await person.watch();
    return person;
  }

  private async watch(): Promise<void> {
    const { page, context, misdeeds, address } = this;
    page.on("pageerror", (error) => misdeeds.push(`error: ${error.message}`));
    page.on("console", (message) => {
      const lost = message.text().includes("net::ERR_") || message.text().includes("Failed to load resource");
      if (message.type() === "error" && !lost) misdeeds.push(`console: ${message.text()}`);
    });
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== address && url.protocol !== "data:" && url.protocol !== "blob:") {
        misdeeds.push(`request: ${request.url()}`);
      }
    });
    await context.addInitScript(() => {
      document.addEventListener("securitypolicyviolation", (event) => {
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
      });
    });
  }

  async goes(fragment: string): Promise<void> {
    await this.page.goto(`${this.address}/${fragment}`);
  }

  /** The page has behaved. */
  async leaves(): Promise<void> {
    await this.context.close();
    expect(this.misdeeds).toEqual([]);
  }
}

/** Serves the build under the address of the server, with the headers that the server gives its own page. */
async function showBuild(context: BrowserContext, address: string): Promise<void> {
  const { headers } = await fetch(address);
  const policy = headers.get("content-security-policy") ?? "";
  await context.route(
    (url) => url.origin === address && !url.pathname.startsWith("/parley."),
    (route) => {
      const path = new URL(route.request().url()).pathname;
      const file = path === "/" ? "/index.html" : path;
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      const body = readFileSync(join(BUILD, file));
      return route.fulfill({ body, headers: { "content-type": type, "content-security-policy": policy } });
    },
  );
}
