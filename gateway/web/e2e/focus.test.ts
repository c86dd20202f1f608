// A dialog takes the focus, keeps it, and gives it back to what had it before.
import { expect, test } from "vitest";
import { createMatch } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { setup } from "./setup";

const here = setup();

test("whoever looks into a dialog comes back to where they were", async () => {
  const id = await createMatch(here.server.address, ["", "hold"], { rows: ["H....H"] });
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  const captain = new Captain(page);
  await person.goes(`#/match/${id}`);
  await captain.takesASeat("Anna");
  await captain.plans(1);
  const isInside = () => page.evaluate(() => document.activeElement?.closest("dialog") !== null);
  for (const name of ["Give up", "Help and keys"]) {
    const button = page.getByRole("button", { name });
    await button.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expect.poll(isInside).toBe(true);
    await page.keyboard.press("Escape");
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await person.leaves();
});
