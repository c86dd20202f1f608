// What happens in a turn, in the words of `data/SCENARIO.md`.
import type { Axial } from "./hexes";
import type { EncounterChoice } from "./orders";
import type { UpgradeKey, StateResult } from "./state";

/** The kinds of encounters (R7.1). */
export type EncounterKind = "PASSING" | "ENTRY";

/** Why gold changed hands (R11.6). */
export type GoldReason = "income" | "deploy_shipyard" | "build" | "cancel_build" | "repair" | "upgrade" | "salvage";

/** The unit or structure whose order fell short. */
export type Subject = { readonly unit: number } | { readonly structure: number };

/** Why an order was not carried out when its turn came. */
export type SkipCause =
  | { readonly cause: "unpaid"; readonly cost: number; readonly gold: number }
  | {
      readonly cause:
        | "harbor_taken"
        | "shipyards_full"
        | "fleet_full"
        | "out_of_reach"
        | "no_target"
        | "fought_already"
        | "broadsides_off";
    };

/** What a pair did to each other (R8.3). */
export interface Exchange {
  readonly type: "exchange";
  readonly tick: number;
  readonly attacker: number;
  readonly defender: number;
  /** Three dice, highest first. */
  readonly attacker_dice: readonly number[];
  /** Two dice, highest first. */
  readonly defender_dice: readonly number[];
  readonly attacker_loses: number;
  readonly defender_loses: number;
}

type In<Type extends string> = { readonly type: Type; readonly tick: number };
type Out<Type extends string> = { readonly type: Type };

/** Something that happened. */
export type Event =
  | Exchange
  | (In<"moved" | "gave_way"> & { readonly unit: number; readonly to: Axial })
  | (In<"waited" | "blocked" | "sunk"> & { readonly unit: number })
  | (In<"withdrew"> & { readonly unit: number; readonly from: Axial })
  | (In<"encounter"> & {
      readonly kind: EncounterKind;
      readonly at: Axial | readonly Axial[];
      readonly units: readonly number[];
    })
  | (In<"decided"> & { readonly unit: number; readonly choice: EncounterChoice; readonly defaulted: boolean })
  | (In<"contest_opened"> & { readonly q: number; readonly r: number; readonly contenders: readonly number[] })
  | (Out<"contest_closed"> & {
      readonly q: number;
      readonly r: number;
      readonly reason: "claimed" | "emptied" | "expired";
    })
  | (Out<"gold"> & {
      readonly player: number;
      readonly change: number;
      readonly reason: GoldReason;
      readonly balance: number;
    })
  | (Out<"deployed"> & { readonly unit: number; readonly structure: number; readonly at: Axial })
  | (Out<"queued" | "cancelled"> & { readonly structure: number; readonly class: string })
  | (Out<"repaired"> & { readonly unit: number; readonly hp: number })
  | (Out<"upgraded"> & { readonly unit: number; readonly upgrade: UpgradeKey })
  | (Out<"skipped"> & Subject & SkipCause)
  | (Out<"bombarded"> & { readonly unit: number; readonly structure: number; readonly damage: number })
  | (Out<"captured"> & { readonly structure: number; readonly from: number | null; readonly by: number })
  | (Out<"spawned"> & {
      readonly unit: number;
      readonly owner: number;
      readonly class: string;
      readonly structure: number;
      readonly at: Axial;
    })
  | (Out<"spawn_delayed" | "neutralised"> & { readonly structure: number })
  | (Out<"removed"> & { readonly unit: number })
  | (Out<"eliminated"> & { readonly player: number; readonly conceded: boolean })
  | (Out<"ended"> & { readonly result: StateResult });
