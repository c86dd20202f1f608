// A rules file as numbers; what they mean is in `data/RULES.md`.
import type { Grid, TileIndex } from "./hexes";
import { RulesFault, readRulesFile } from "./rulesfile";
import type { ClassRow, RulesFile, UpgradeRow } from "./rulesfile";
import { PIECES } from "./state";
import type { Unit } from "./state";

/** The rules of a match. Sight is not here, because it changes nothing (R14.1). */
export class PinnedRules {
  constructor(
    /** The JSON that the hash is made of. */
    readonly text: string,
    private readonly file: RulesFile,
  ) {}

  get contestLimit() {
    return this.file.contest_limit;
  }

  get turnLimit() {
    return this.file.turn_limit;
  }

  get broadsides() {
    return this.file.broadsides === "on_order";
  }

  /** A structure saves its owner from elimination (R12.1). */
  get structuresSave() {
    return this.file.elimination === "no_ships_and_no_structures";
  }

  get stages() {
    return this.file.stages;
  }

  get terrains() {
    return this.file.terrains;
  }

  get classes() {
    return this.file.classes;
  }

  get upgrades() {
    return this.file.upgrades;
  }

  get combat() {
    return this.file.combat;
  }

  get shipyard() {
    return this.file.shipyard;
  }

  get economy() {
    return this.file.economy;
  }

  /** The class in a row of the table. */
  classAt(kind: number): ClassRow {
    const row = this.classes[kind];
    if (row === undefined) throw new Error(`there is no class in row ${kind}`);
    return row;
  }

  /** The class's hull and what is fitted (R4). */
  maxHp(unit: Unit): number {
    return this.classAt(unit.kind).hull + this.fitted(unit, "hull");
  }

  /** Tiles per turn (R4). */
  speed(unit: Unit): number {
    return this.classAt(unit.kind).speed + this.fitted(unit, "speed");
  }

  /** What a hit costs beyond the common damage (R4). */
  firepower(unit: Unit): number {
    return this.classAt(unit.kind).cannons + this.fitted(unit, "damage");
  }

  private fitted(unit: Unit, what: keyof UpgradeRow & ("hull" | "speed" | "damage")): number {
    return PIECES.reduce((sum, piece) => sum + unit[piece] * this.upgrades[piece][what], 0);
  }

  /** Whether the terrain lets a class in (R3.2). */
  isNavigable(grid: Grid, at: TileIndex, kind: number): boolean {
    return this.terrainAt(grid, at).domains.includes(this.classAt(kind).domain);
  }

  /** Whether structures may stand here. */
  isHarbor(grid: Grid, at: TileIndex): boolean {
    return this.terrainAt(grid, at).harbor;
  }

  private terrainAt(grid: Grid, at: TileIndex) {
    const row = this.terrains[grid.terrain[at] ?? -1];
    if (row === undefined) throw new Error(`tile ${at} has no terrain`);
    return row;
  }
}

/** Reads the rules of a match from their JSON. Their text is the canonical one, without spaces (R13.3). */
export function parseRules(text: string): PinnedRules {
  const file = readRulesFile(text);
  try {
    return new PinnedRules(JSON.stringify(file), file);
  } catch {
    throw new RulesFault("the rules are nested too deeply");
  }
}
