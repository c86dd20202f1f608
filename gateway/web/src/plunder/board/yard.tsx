// One shipyard: a hall with a slipway, its owner's flag, what is left of it, and what it builds.
import { emblemPath, ownerColour } from "../../frame/ui/emblem";
import type { Yard } from "../model/model";
import type { Point } from "./geometry";
import { HealthBar } from "./healthbar";

export interface YardProps {
  readonly yard: Yard;
  readonly at: Point;
  readonly selected: boolean;
  readonly title: string;
}

export function YardMark({ yard, at, selected, title }: YardProps) {
  const head = yard.queue?.[0];
  return (
    <g
      class={`board-yard${selected ? " selected" : ""}`}
      data-yard={yard.id}
      data-owner={yard.owner ?? ""}
      data-tile={yard.tile}
      transform={`translate(${at.x} ${at.y})`}
      style={{ color: ownerColour(yard.owner) }}
    >
      <title>{title}</title>
      <circle class="board-touch" r="25" />
      <path class="board-hall" d="M-21 10V-6L-7-15L7-6V-15L21-6V10Z" />
      <path class="board-roof" d="M-23-5L-7-16L7-6V-16L23-5" />
      <path class="board-gate" d="M-4 10V1Q0-4 4 1V10Z" />
      <g class="board-flag">
        <path class="board-mast" d="M15-14V-30" />
        <path class="board-cloth" d="M15-30H-4V-17H15Z" />
        {yard.owner !== null && (
          <path class="board-emblem" d={emblemPath(yard.owner)} fill-rule="evenodd" transform="translate(5.5 -23.5) scale(.5)" />
        )}
      </g>
      <HealthBar of="yard" hp={yard.hp} maxHp={yard.maxHp} />
      {head && (
        <g class="board-queue" transform="translate(-19 -17)">
          <circle r="9" />
          <text y="4.5">{head.turnsLeft}</text>
        </g>
      )}
    </g>
  );
}
