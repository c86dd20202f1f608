// One ship: a hull, a sail in its owner's colour with its owner's shape, and how much of it is left.
import { Component } from "preact";
import { emblemPath, ownerColour } from "../../frame/ui/emblem";
import type { Ship } from "../model/model";
import type { Berth } from "./berths";
import { HealthBar } from "./healthbar";

export interface ShipProps {
  readonly ship: Ship;
  readonly at: Berth;
  readonly own: boolean;
  readonly selected: boolean;
  /** Which way it looks: 1 is east, -1 west. */
  readonly facing: 1 | -1;
  readonly badge: string | null;
  readonly title: string;
}

const HULL = "M-19 7H18Q16 17 8 18H-9Q-16 17-19 7Z";
const SAIL = "M-13-20Q-1-23 11-20Q16-8 13 3H-14Q-9-8-13-20Z";
const JIB = "M15-17L23 4H16Q18-6 15-17Z";

const WATCHED = ["ship", "own", "selected", "facing", "badge", "title"] as const;
const BERTH = ["x", "y", "scale", "under"] as const;

/** Drawn anew only if something about it has changed: there may be hundreds. */
export class ShipMark extends Component<ShipProps> {
  override shouldComponentUpdate(next: ShipProps): boolean {
    const { props } = this;
    return WATCHED.some((key) => props[key] !== next[key]) || BERTH.some((key) => props.at[key] !== next.at[key]);
  }

  override render() {
    const { ship, at, own, selected, facing, badge, title } = this.props;
    const classes = ["board-ship", own && "own", selected && "selected", at.under && "under"].filter(Boolean).join(" ");
    return (
      <g
        class={classes}
        data-ship={ship.id}
        data-owner={ship.owner}
        data-tile={ship.tile}
        transform={`translate(${at.x} ${at.y}) scale(${at.scale})`}
        style={{ color: ownerColour(ship.owner) }}
      >
        <title>{title}</title>
        <g class="board-actor">
          <circle class="board-touch" r="25" />
          {own && <ellipse class="board-own" cx="0" cy="15" rx="24" ry="9" />}
          <g transform={facing === 1 ? undefined : "scale(-1 1)"}>
            {ship.sails > 0 && <path class="board-jib" d={JIB} />}
            <path class="board-mast" d="M0-25V8" />
            <path class="board-hull" d={HULL} />
            {ship.hull > 0 && <path class="board-belt" d={ship.hull > 1 ? "M-17 10H17M-15 14H14" : "M-17 10H17"} />}
            {ship.cannons > 0 && <path class="board-ports" d={ports(ship.cannons)} />}
            <path class="board-sail" d={SAIL} />
          </g>
          <path class="board-emblem" d={emblemPath(ship.owner)} fill-rule="evenodd" transform="translate(0 -8.5) scale(.84)" />
          <HealthBar of="ship" hp={ship.hp} maxHp={ship.maxHp} />
          {badge !== null && (
            <g class="board-badge" transform="translate(19 -19)">
              <rect x={-5 - 4 * badge.length} y="-9" width={10 + 8 * badge.length} height="18" rx="9" />
              <text y="4.5">{badge}</text>
            </g>
          )}
        </g>
      </g>
    );
  }
}

/** One port in the hull for every cannon. */
function ports(count: number): string {
  return Array.from({ length: count }, (_, index) => `M${(index - (count - 1) / 2) * 6} 13h.1`).join("");
}
