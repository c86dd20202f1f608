// What a ship or a shipyard could be told to do, in words, with what it costs and what speaks against it.
import type { Fault } from "../../gen/parley/common/v1/fault_pb";
import type { ActionOption, StructureOptions } from "../../gen/parley/plunder/v1/advice_pb";
import { Upgrade } from "../../gen/parley/plunder/v1/board_pb";
import type { Piece, ShipPlan } from "../model/model";
import type { PieceRow, Rules } from "../model/rules";

export type Action = NonNullable<ShipPlan["action"]>;

/** Something that can be clicked, or the reason why it cannot. */
export interface Option<What> {
  readonly what: What;
  readonly name: string;
  /** Says what the order is good for. */
  readonly note: string;
  readonly cost: number;
  /** One sentence; null where it is possible. */
  readonly reason: string | null;
}

const pieces: Readonly<Record<number, Piece>> = {
  [Upgrade.SAILS]: "sails",
  [Upgrade.CANNONS]: "cannons",
  [Upgrade.HULL]: "hull",
};

/** The whole sentence of a fault, which may be the end of one that begins with its subject. */
export function faultSentence(text: string, subject: string): string {
  const whole = /^[A-Z]/.test(text) ? text : `${subject} ${text}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}

function reasonOf(fault: Fault | undefined, subject: string): string | null {
  return fault === undefined ? null : faultSentence(fault.text, subject);
}

/** The action of an option; null for one that this page does not know. */
export function actionOf(option: ActionOption): Action | null {
  const action = option.order?.action;
  switch (action?.case) {
    case "hold":
      return { kind: "hold" };
    case "repair":
      return { kind: "repair" };
    case "deployShipyard":
      return { kind: "deploy" };
    case "press":
      return { kind: "press" };
    case "bombard":
      return { kind: "bombard", yard: action.value };
    case "upgrade": {
      const piece = pieces[action.value];
      return piece === undefined ? null : { kind: "upgrade", piece };
    }
    default:
      return null;
  }
}

const pieceNames: Readonly<Record<Piece, string>> = { sails: "Sails", cannons: "Cannons", hull: "Hull" };

/** The name of an action on a button. */
function actionName(action: Action): string {
  switch (action.kind) {
    case "move":
      return "Sail";
    case "hold":
      return "Hold";
    case "repair":
      return "Repair";
    case "upgrade":
      return pieceNames[action.piece];
    case "deploy":
      return "Build a shipyard here";
    case "bombard":
      return `Bombard shipyard ${action.yard}`;
    case "press":
      return "Press";
  }
}

const notes: Readonly<Record<Exclude<Action["kind"], "upgrade">, string>> = {
  move: "Sail along a path",
  hold: "Stay here",
  repair: "Back to full hp",
  deploy: "The ship becomes it and is gone",
  bombard: "After all have moved; at 0 hp it is yours",
  press: "Stay and fight on",
};

/** What a piece brings, such as "+10 hp, +1 speed, whole again". */
export function pieceNote({ speed, damage, hull, heals }: PieceRow): string {
  const gains: readonly (readonly [number, string])[] = [
    [hull, "hp"],
    [speed, "speed"],
    [damage, "damage"],
  ];
  const words = gains.filter(([gain]) => gain > 0).map(([gain, what]) => `+${gain} ${what}`);
  return [...words, ...(heals ? ["whole again"] : [])].join(", ");
}

/** What a ship can do besides sailing. */
export function shipOptions(actions: readonly ActionOption[], rules: Rules): readonly Option<Action>[] {
  return actions.flatMap((option) => {
    const what = actionOf(option);
    if (what === null) return [];
    const note = what.kind === "upgrade" ? pieceNote(rules.pieces[what.piece]) : notes[what.kind];
    return [{ what, name: actionName(what), note, cost: option.cost, reason: reasonOf(option.fault, "It") }];
  });
}

/** "this turn", "in 2 turns". */
function turnsWords(turns: number): string {
  return turns <= 1 ? "this turn" : `in ${turns} turns`;
}

/** What a shipyard can build. */
export function buildOptions(options: StructureOptions): readonly Option<string>[] {
  return options.builds.map((build) => ({
    what: build.class,
    name: `Build a ${build.class}`,
    note: `Takes ${build.turns} turns; ready ${turnsWords(build.readyIn)}`,
    cost: build.cost,
    reason: reasonOf(build.fault, "It"),
  }));
}

/** What a shipyard can take out of its queue, by place in it. */
export function cancelOptions(options: StructureOptions): readonly Option<number>[] {
  return options.cancels.map((cancel) => ({
    what: cancel.index,
    name: `Cancel the ${cancel.class}`,
    note: `Gives back ${cancel.refund} gold`,
    cost: -cancel.refund,
    reason: reasonOf(cancel.fault, "It"),
  }));
}
