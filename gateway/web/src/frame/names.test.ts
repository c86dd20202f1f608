import { expect, test } from "vitest";
import { nameOf, namesOf, ownedBy, playerName } from "./names";

const person = (seat: number, name: string) => ({ seat, name, houseBot: "" });
const bot = (seat: number, houseBot: string) => ({ seat, name: houseBot, houseBot });

test("house bots are called by their policies, and told apart by numbers", () => {
  expect(namesOf([person(0, " Anna "), bot(1, "raider"), bot(2, "hold"), bot(3, "raider"), bot(4, "raider")])).toEqual([
    "Anna",
    "Raider",
    "Hold",
    "Raider 2",
    "Raider 3",
  ]);
});

test("people of one name are told apart, also from bots, and the nameless have numbers", () => {
  expect(namesOf([person(0, "Raider 2"), person(1, ""), bot(2, "raider"), bot(3, "raider"), person(4, "raider")])).toEqual([
    "Raider 2",
    "Player 2",
    "Raider",
    "Raider 3",
    "raider 4",
  ]);
  expect(namesOf([person(1, "Anna"), person(0, "Anna")])).toEqual(["Anna", "Anna 2"]);
});

test("a player is named within sentences", () => {
  const names = ["Anna", "Raider"];
  expect([playerName(0, names, 0), playerName(0, names, 1), nameOf(names, 4)]).toEqual(["you", "Raider", "Player 5"]);
  expect([ownedBy(0, names, 0, "ship 3"), ownedBy(null, names, 0, "ship 3")]).toEqual(["your ship 3", "Anna's ship 3"]);
});
