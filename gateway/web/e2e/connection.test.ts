// The server goes away and comes back: the page says so, and nothing that was acknowledged is lost.
import { expect, test } from "vitest";
import { createMatch } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { setup } from "./setup";

const here = setup();

test("a server that is killed and started again is gone on with", async () => {
  const id = await createMatch(here.server.address, ["", "hold"], { rows: ["......H", "H......", "......."] });
  const person = await Person.arrives(here.browser, here.server.address);
  const { page } = person;
  const captain = new Captain(page);
  await person.goes(`#/match/${id}`);
  await captain.takesASeat("Anna");
  await captain.plans(1);
  await captain.locksIn();
  await captain.seesAll();
  await captain.plans(2);
  await captain.sails(-1);
  await page.getByText("Live", { exact: true }).waitFor();
  await here.server.kill();
  await page.getByText(/^Lost, trying again/).waitFor();
  const staged = await captain.orders().count();
  expect(staged).toBeGreaterThan(0);
  await here.server.start();
  await page.getByRole("button", { name: "Try now" }).click({ timeout: 2_000 }).catch(() => undefined);
  await page.getByText("Live", { exact: true }).waitFor({ timeout: 40_000 });
  expect(await captain.orders().count()).toBe(staged);
  await captain.locksIn();
  await captain.seesAll();
  await captain.plans(3);
  await page.reload();
  await captain.plans(3);
  await person.leaves();
});
