// A match from the lobby to its end, in the page alone.
import { expect, test } from "vitest";
import { createMatch } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { setup } from "./setup";

const here = setup();

test("one click starts a match against house bots, and it goes on turn by turn", async () => {
  const person = await Person.arrives(here.browser, here.server.address);
  const captain = new Captain(person.page);
  await person.goes("");
  await person.page.getByRole("button", { name: "Play now" }).click();
  await captain.plans(1);
  await captain.locksIn();
  await captain.seesAll();
  await captain.plans(2);
  expect(await person.page.getByRole("list", { name: "Players" }).getByRole("listitem").count()).toBeGreaterThan(1);
  await person.leaves();
});

test("a person joins in the lobby, builds a ship, wins at the turn limit, and is told so", async () => {
  const name = "The long wait";
  const rules = { turn_limit: 4, economy: { start_ships: 1 } };
  await createMatch(here.server.address, ["", "hold"], { name, rows: [".....", ".H.H.", "....."], rules });
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  const captain = new Captain(page);
  await person.goes("");
  await page.getByRole("link", { name: `Join ${name}` }).click();
  await captain.takesASeat("Anna");
  await captain.plans(1);
  // The harbor in the second row and column, with the ship on the shipyard: the first click picks one of them.
  await captain.clicks(5, 3, 6);
  const yard = page.getByRole("region", { name: /^Shipyard/ });
  if (!(await yard.isVisible())) await captain.clicks(5, 3, 6);
  await yard.getByRole("button", { name: /ship/i }).first().click();
  await captain.orders().filter({ hasText: /build/i }).waitFor();
  for (let turn = 1; turn <= 4; turn++) {
    await captain.plans(turn);
    await captain.locksIn();
    await captain.seesAll();
  }
  const result = page.getByRole("status", { name: "Result" });
  await result.waitFor();
  expect(await result.innerText()).toContain("Victory");
  await result.getByRole("link", { name: /replay/i }).click();
  await page.getByRole("slider", { name: "Turn", exact: true }).waitFor();
  await person.leaves();
});

test("a match is played with the keyboard alone", async () => {
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  const { keyboard } = page;
  const captain = new Captain(page);
  await person.goes("");
  const play = page.getByRole("button", { name: "Play now" });
  await play.waitFor();
  for (let tabs = 0; tabs < 12 && !(await play.evaluate((element) => element === document.activeElement)); tabs++) {
    await keyboard.press("Tab");
  }
  const outline = await play.evaluate((element) => getComputedStyle(element).outlineStyle);
  expect(outline).not.toBe("none");
  await keyboard.press("Enter");
  await captain.plans(1);
  await keyboard.press("n");
  await page.getByRole("region", { name: /^Ship \d/ }).waitFor();
  await keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lock in?" });
  await dialog.or(page.getByRole("button", { name: "Skip" })).first().waitFor();
  if (await dialog.isVisible()) await keyboard.press("Enter");
  const skip = page.getByRole("button", { name: "Skip" });
  await skip.waitFor();
  await keyboard.press("Escape");
  await captain.plans(2);
  await person.leaves();
});

test("two browsers play each other by a link", async () => {
  const [anna, ben] = await Promise.all([
    Person.arrives(here.browser, here.server.address),
    Person.arrives(here.browser, here.server.address),
  ]);
  await anna.goes("");
  await anna.page.getByText("Choose your match").click();
  await anna.page.getByLabel("Friends to invite").selectOption("1");
  await anna.page.getByLabel("House bots").selectOption("0");
  await anna.page.getByRole("button", { name: "Create and invite" }).click();
  const link = await anna.page.getByLabel("Share this link").inputValue();
  expect(new URL(link).search).toBe("");
  await ben.page.goto(link);
  const captains = [new Captain(anna.page), new Captain(ben.page)];
  await captains[1]?.takesASeat("Ben");
  // The invitation does not stay in the address.
  expect(ben.page.url()).not.toContain("invite");
  for (const turn of [1, 2]) {
    for (const captain of captains) {
      await captain.plans(turn);
      await captain.locksIn();
    }
    for (const captain of captains) await captain.seesAll();
  }
  for (const captain of captains) await captain.plans(3);
  expect(await anna.page.getByRole("list", { name: "Players" }).innerText()).toContain("Ben");
  await Promise.all([anna.leaves(), ben.leaves()]);
});
