import type { SeaProps } from "./props";

/** The sea as a chart: terrain, ships, what is planned and what happens. */
export function Sea(props: SeaProps) {
  return <div class="sea" role="application" aria-label={`The sea in turn ${props.board.turn}`} tabIndex={0} />;
}
