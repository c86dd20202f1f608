// How a match ended.
import type { MatchResult } from "../../gen/parley/common/v1/result_pb";

/** One player has won, or nobody is ahead of several. */
export type FinalResult = { readonly winner: number } | { readonly draw: readonly number[] };

/** The result of a message; null where it tells none. */
export function resultOf(result: MatchResult | undefined): FinalResult | null {
  switch (result?.result.case) {
    case "winner":
      return { winner: result.result.value };
    case "draw":
      return { draw: result.result.value.players };
    default:
      return null;
  }
}
