// Orders as players say them (R5.4), and how they are read from the wire.
import { Engagement as WireEngagement, Upgrade } from "../../gen/parley/plunder/v1/board_pb";
import type {
  Sheet as WireSheet,
  StructureOrder as WireStructureOrder,
  UnitOrder as WireUnitOrder,
} from "../../gen/parley/plunder/v1/orders_pb";
import type { Axial } from "./hexes";
import type { Engagement, UpgradeKey } from "./state";

/** What a ship can do in an encounter (R7.2). */
export type EncounterChoice = "PROCEED" | "YIELD" | "ATTACK";

/** What a ship can be told to do. */
export type Deed =
  | { readonly kind: "move"; readonly path: readonly Axial[] }
  | { readonly kind: "hold" | "repair" | "deploy_shipyard" | "press" }
  | { readonly kind: "upgrade"; readonly piece: UpgradeKey }
  | { readonly kind: "bombard"; readonly target: number };

/** An order for a ship; without a deed it goes on with its route (R5.3). */
export interface UnitOrder {
  readonly unit: number;
  readonly deed: Deed | null;
  readonly broadside: boolean;
  /** The new engagement; null leaves it as it is. */
  readonly engagement: Engagement | null;
}

/** An order for a shipyard. */
export interface StructureOrder {
  readonly structure: number;
  /** The key of a class to build, or a place in the queue to cancel. */
  readonly work: { readonly build: string } | { readonly cancel: number };
}

/** All orders of one player for one turn. */
export interface Sheet {
  readonly units: readonly UnitOrder[];
  readonly structures: readonly StructureOrder[];
  readonly concede: boolean;
}

/** A sheet that says something that no rule knows, in one sentence. */
export class SheetFault extends Error {}

const PIECES: Readonly<Record<number, UpgradeKey>> = {
  [Upgrade.SAILS]: "sails",
  [Upgrade.CANNONS]: "cannons",
  [Upgrade.HULL]: "hull",
};

const ENGAGEMENTS: Readonly<Record<number, Engagement | null>> = {
  [WireEngagement.UNSPECIFIED]: null,
  [WireEngagement.ASK]: "ASK",
  [WireEngagement.EVADE]: "EVADE",
  [WireEngagement.FIGHT]: "FIGHT",
  [WireEngagement.FIGHT_IF_HEALTHY]: "FIGHT_IF_HEALTHY",
};

/** Reads a sheet from the wire. */
export function readSheet(wire: WireSheet): Sheet {
  return {
    units: wire.units.map(readUnitOrder),
    structures: wire.structures.map(readStructureOrder),
    concede: wire.concede,
  };
}

function readUnitOrder(wire: WireUnitOrder): UnitOrder {
  const { unit, broadside } = wire;
  const deed = readDeed(wire);
  const engagement = ENGAGEMENTS[wire.engagement];
  if (engagement === undefined) throw new SheetFault(`unit ${unit} is given an engagement that is not known`);
  return { unit, deed, broadside, engagement };
}

function readDeed({ unit, action }: WireUnitOrder): Deed | null {
  switch (action.case) {
    case undefined:
      return null;
    case "move":
      return { kind: "move", path: action.value.path.map(({ q, r }) => [q, r]) };
    case "upgrade": {
      const piece = PIECES[action.value];
      if (piece === undefined) throw new SheetFault(`unit ${unit} is to be fitted with something that is not known`);
      return { kind: "upgrade", piece };
    }
    case "bombard":
      return { kind: "bombard", target: action.value };
    case "deployShipyard":
      return { kind: "deploy_shipyard" };
    default:
      return { kind: action.case };
  }
}

function readStructureOrder({ structure, work }: WireStructureOrder): StructureOrder {
  switch (work.case) {
    case undefined:
      throw new SheetFault(`the order for structure ${structure} says nothing`);
    case "build":
      return { structure, work: { build: work.value } };
    case "cancelBuild":
      return { structure, work: { cancel: work.value } };
  }
}
