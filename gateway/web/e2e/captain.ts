// What a person does on the match screen.
import type { Locator, Page } from "playwright-core";
import { centre } from "../src/plunder/board/geometry";

/** A match as it is on somebody's screen. */
export class Captain {
  constructor(readonly page: Page) {}

  get board(): Locator {
    return this.page.getByRole("application", { name: /^The sea/ });
  }

  get prompt(): Locator {
    return this.page.getByRole("dialog").filter({ has: this.page.getByRole("button", { name: "ATTACK" }) });
  }

  get log(): Locator {
    return this.page.getByRole("log", { name: "What has happened" });
  }

  /** Takes a seat in the waiting room. */
  async takesASeat(name: string): Promise<void> {
    await this.page.getByLabel("Your name").fill(name);
    await this.page.getByRole("button", { name: "Take a seat" }).click();
  }

  /** Waits until a turn can be planned, skipping what is played back before it. */
  async plans(turn: number): Promise<void> {
    await this.seesAll();
    await this.page.getByText(`Turn ${turn}`, { exact: true }).first().waitFor();
    await this.page.getByText("Plan your orders").waitFor();
  }

  /** Skips the playback of a turn as soon as there is one, until there is none any more. */
  async seesAll(): Promise<void> {
    const skip = this.page.getByRole("button", { name: "Skip" });
    const next = this.page.getByText(/^(Plan your orders|The match is over|Your ships have met others)/);
    for (;;) {
      await skip.or(next).first().waitFor();
      if (!(await skip.isVisible())) return;
      // It may be over by itself before the click.
      await skip.click({ timeout: 1_000 }).catch(() => undefined);
    }
  }

  /** Clicks a tile of a map with this width and height. */
  async clicks(width: number, height: number, tile: number): Promise<void> {
    const { x, y } = await this.placeOf(width, height, tile);
    await this.page.mouse.click(x, y);
  }

  /** Where a tile is on the screen. */
  async placeOf(width: number, height: number, tile: number): Promise<{ x: number; y: number }> {
    const chart = this.page.locator(".board-chart").first();
    const box = await chart.boundingBox();
    const viewBox = (await chart.getAttribute("viewBox"))?.split(" ").map(Number) ?? [];
    if (box === null) throw new Error("there is no chart");
    const scale = box.width / (viewBox[2] ?? 1);
    const { x, y } = centre({ width, height, wrap: false }, tile);
    return { x: box.x + x * scale, y: box.y + y * scale };
  }

  /** Sends the next idle ship some tiles to the east (or to the west, with a negative number), by keys. */
  async sails(tiles: number): Promise<void> {
    await this.page.keyboard.press("n");
    await this.board.focus();
    const key = tiles > 0 ? "ArrowRight" : "ArrowLeft";
    // The first key shows the cursor on the ship.
    for (let press = 0; press <= Math.abs(tiles); press++) await this.page.keyboard.press(key);
    await this.page.keyboard.press("Enter");
    await this.orders().filter({ hasText: /sail|move|go/i }).first().waitFor();
  }

  orders(): Locator {
    return this.page.getByRole("list", { name: "Staged orders" }).getByRole("listitem");
  }

  /** Locks in, and confirms it where the page asks. */
  async locksIn(): Promise<void> {
    const button = this.page.getByRole("button", { name: "Lock in", exact: true });
    await button.first().click();
    const dialog = this.page.getByRole("dialog", { name: "Lock in?" });
    const locked = this.page.getByText(/Locked in|The turn is resolving|is shown|met others|match is over/);
    await dialog.or(locked).first().waitFor();
    if (await dialog.isVisible()) await dialog.getByRole("button", { name: "Lock in" }).click();
  }
}
