// Two fleets meet: the question of the game, asked and answered in the page.
import { expect, test } from "vitest";
import { Opponent, createMatch } from "./api";
import { Person } from "./browser";
import { Captain } from "./captain";
import { setup } from "./setup";

const ONE_SHIP = { economy: { start_ships: 1, start_shipyards: 0 } };
const here = setup();

/** A match in which the person sits in the west and the opponent in the east of one row of tiles. */
async function meeting(row: string) {
  const id = await createMatch(here.server.address, ["", ""], { rows: [row], rules: ONE_SHIP });
  const person = await Person.arrives(here.browser, here.server.address);
  const captain = new Captain(person.page);
  await person.goes(`#/match/${id}`);
  await captain.takesASeat("Anna");
  await person.page.getByText("You", { exact: true }).waitFor();
  const opponent = await Opponent.joins(here.server.address, id, "Ben");
  const [ship = 0] = await opponent.ships();
  await captain.plans(1);
  return { person, captain, opponent, ship };
}

test("two that cross one edge are asked, proceed, and swap", async () => {
  const { person, captain, opponent, ship } = await meeting("H....H");
  await captain.sails(5);
  await captain.locksIn();
  await opponent.sails(1, ship, [[4, 0], [3, 0], [2, 0], [1, 0], [0, 0]]);
  await captain.prompt.waitFor();
  expect(await captain.prompt.getByRole("heading", { level: 2 }).innerText()).toMatch(/pass|cross/i);
  await captain.prompt.getByRole("button", { name: "PROCEED" }).click();
  await opponent.answers(1, ship, "proceed");
  await captain.plans(2);
  await captain.page.getByRole("tab", { name: "Log" }).click();
  expect(await captain.log.innerText()).toMatch(/proceed/i);
  await person.leaves();
});

test("two that insist on one tile contest it, and the page shows it", async () => {
  const { person, captain, opponent, ship } = await meeting("H.....H");
  await captain.sails(3);
  await captain.locksIn();
  await opponent.sails(1, ship, [[5, 0], [4, 0], [3, 0]]);
  await captain.prompt.waitFor();
  const answer = captain.prompt.getByRole("button", { name: "ATTACK" });
  expect(await captain.prompt.getByRole("button", { name: "YIELD" }).isEnabled()).toBe(true);
  await answer.focus();
  await person.page.keyboard.press("a");
  await opponent.answers(1, ship, "attack");
  await captain.plans(2);
  await captain.clicks(7, 1, 3);
  const tile = person.page.getByRole("region", { name: /^Contested tile/ });
  await tile.waitFor();
  expect(await tile.innerText()).toContain("Round 1 of 5, since turn 1.");
  expect(await tile.getByRole("listitem").count()).toBe(2);
  await person.leaves();
});
