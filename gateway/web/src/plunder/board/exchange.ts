// An exchange of fire: both ships shake, their dice roll above them and come to rest, and what they cost is told.
import { ownerColour } from "../../frame/ui/emblem";
import type { Effect, ExchangeSide } from "../model/model";
import type { Animation, AnimationScene } from "./animations";
import { type Box, freestBox } from "./freespace";
import { type Point, rounded } from "./geometry";
import { scatter } from "./outline";
import { compareDice, type Die, draw, drawDie, highestFirst } from "./sprite";

type Exchange = Extract<Effect, { kind: "exchange" }>;

/** The share of an exchange during which the dice still roll. */
const ROLLED = 0.42;
/** From here on the losses are told. */
const TOLD = 0.55;

export function exchange(effect: Exchange, scene: AnimationScene): Animation {
  const a = scene.spot(effect.attacker.ship, effect.attacker.ship.tile);
  const d = scene.spot(effect.defender.ship, effect.defender.ship.tile);
  const winners = compareDice(effect.attacker.dice, effect.defender.dice);
  const attacker = side(effect.attacker, a, d, scene);
  const defender = side(effect.defender, d, a, scene);
  const shots = draw(scene.layer, "path", { class: "board-volley", d: `M${a.x} ${a.y}L${d.x} ${d.y}` });
  return (share) => {
    const rolling = !scene.still && share < ROLLED;
    const told = scene.still || share >= TOLD;
    shots.setAttribute("opacity", String(!scene.still && share < TOLD ? 0.9 - share : 0));
    shots.setAttribute("stroke-dashoffset", String(rounded(-share * 160)));
    attacker(share, rolling, told, winners.map((winner) => winner === "attacker"));
    defender(share, rolling, told, winners.map((winner) => winner === "defender"));
  };
}

/** Half a die, and how far dice are from their ship. */
const DIE = 8;
const AWAY = 24;

/**
 * The place of some dice beside their ship: on its far side from the other one, unless that hides another ship. What
 * they fight about, between them, stays in sight, too.
 */
export function diceBox(at: Point, other: Point, dice: number, size: number, taken: readonly Box[]): Box {
  const half = { wide: (dice * 17 * size) / 2, high: DIE * size };
  const out = at.x < other.x ? -1 : 1;
  const level = Math.abs(at.y - other.y) <= 10;
  const shift = level ? out * (28 * size - 26) : 0;
  const above = { x: at.x + shift, y: at.y - AWAY - 4 - half.high, ...half };
  const below = { x: at.x + shift, y: at.y + AWAY + 6 + half.high, ...half };
  const beside = (way: number) => ({ x: at.x + way * (AWAY + half.wide), y: at.y, ...half });
  const ends: readonly [Box, Box] = at.y > other.y + 10 ? [below, above] : [above, below];
  const between = { x: (at.x + other.x) / 2, y: (at.y + other.y) / 2, wide: 20, high: 20 };
  return freestBox([...ends, beside(out), beside(-out)], [...taken, between]);
}

/** Draws the dice of one ship. */
function side({ ship, dice: faces, loses, left }: ExchangeSide, at: Point, other: Point, scene: AnimationScene) {
  const group = draw(scene.layer, "g", { class: "board-dice", "data-dice": ship.id });
  group.style.color = ownerColour(ship.owner);
  const sorted = highestFirst(faces);
  const dice = sorted.map((face, index) => drawDie(group, (index - (sorted.length - 1) / 2) * 17, face));
  const loss = draw(scene.layer, "text", { class: loses > 0 ? "board-loss" : "board-loss none" });
  loss.textContent = loses > 0 ? `−${loses}` : "0";
  const place = diceBox(at, other, faces.length, scene.size, scene.taken);
  scene.taken.push(place);
  group.setAttribute("transform", `translate(${rounded(place.x)} ${rounded(place.y)}) scale(${scene.size})`);

  return (share: number, rolling: boolean, told: boolean, wins: readonly boolean[]) => {
    dice.forEach((die, index) => roll(die, index, share, rolling, told, wins));
    loss.setAttribute("opacity", told ? "1" : "0");
    const rise = scene.still ? 8 : 14 * Math.min(1, Math.max(0, (share - TOLD) / 0.2));
    loss.setAttribute("transform", `translate(${rounded(at.x)} ${rounded(at.y + 6 - rise)}) scale(${scene.size})`);
    const hit = !scene.still && loses > 0 && share >= ROLLED && share < TOLD + 0.2;
    const shake = hit ? Math.sin(share * 90) * 3 : 0;
    scene.pose(ship.id, { at: { x: at.x + shake, y: at.y }, opacity: hit && Math.sin(share * 60) > 0.3 ? 0.45 : 1 });
    if (told) scene.leave("ship", ship, left);
  };
}

function roll(die: Die, index: number, share: number, rolling: boolean, told: boolean, wins: readonly boolean[]): void {
  const tumbled = 1 + Math.floor(6 * scatter(Math.floor(share * 40) * 11 + index * 5 + die.face));
  die.turn(rolling ? tumbled : die.face);
  const won = wins[index];
  const verdict = !told ? "" : won === undefined ? " unused" : won ? " won" : " lost";
  die.body.setAttribute("class", `board-die${verdict}`);
}
