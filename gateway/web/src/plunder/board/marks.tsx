// What is drawn over the board: where a ship can go, where it is told to go, and what wants to be looked at.
import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import type { MapShape } from "../model/hex";
import type { Board, Tile } from "../model/model";
import { courseLine } from "./course";
import { along, centre, hexPath, reachOver } from "./geometry";
import type { Course, Marks } from "./props";

const HERE = { x: 0, y: 0 };
const HEX = hexPath(HERE, 1.5);
const RING = hexPath(HERE, 3);
const BORDER = hexPath(HERE, 2);
/** How many turns ahead have a shade of their own; later turns look alike. */
const SHADES = 3;

function place(grid: MapShape, tile: Tile): string {
  const { x, y } = centre(grid, tile);
  return `translate(${x} ${y})`;
}

/** The tiles that the selected ship reaches, in shades by turn. */
export function Reach({ grid, reach }: { readonly grid: MapShape; readonly reach: Marks["reach"] }) {
  return useMemo(
    () => (
      <g class="board-reach">
        {[...reach].map(([tile, turn]) => (
          <path
            key={tile}
            class={`turn-${Math.min(turn, SHADES)}`}
            data-reach={tile}
            data-turn={turn}
            d={HEX}
            transform={place(grid, tile)}
          />
        ))}
      </g>
    ),
    [grid, reach],
  );
}

/** All courses: those that are only remembered below those that are being made. */
export function Courses({ grid, courses }: { readonly grid: MapShape; readonly courses: readonly Course[] }) {
  return useMemo(() => {
    const order = { route: 0, plan: 1, draft: 2 };
    const sorted = [...courses].sort((a, b) => order[a.style] - order[b.style]);
    return (
      <g class="board-courses">
        {sorted.map((course) => (
          <CourseMark key={`${course.ship} ${course.style}`} grid={grid} course={course} />
        ))}
      </g>
    );
  }, [grid, courses]);
}

function CourseMark({ grid, course }: { readonly grid: MapShape; readonly course: Course }) {
  const line = courseLine(grid, course.from, course.legs);
  if (!line.tip) return null;
  return (
    <g class={`board-course ${course.style}`} data-course={course.ship} data-style={course.style}>
      <path class="board-halo" d={line.data} />
      <path class="board-line" d={line.data} />
      <path
        class="board-arrow"
        d="M22 0L4-9L9 0L4 9Z"
        transform={`translate(${line.tip.x} ${line.tip.y}) rotate(${line.tip.angle}) translate(-32 0)`}
      />
      {line.turns.map(({ x, y, turn, tile }) => (
        <g key={turn} class="board-turn" transform={`translate(${x} ${y})`} data-turn-end={tile}>
          <circle r="9" />
          <text y="4.5">{turn}</text>
        </g>
      ))}
    </g>
  );
}

/** Contested tiles with a line from each contender. */
export function Contests({ board }: { readonly board: Board }) {
  const { chart } = board;
  return (
    <g class="board-contests">
      {[...board.contests.values()].map((contest) => (
        <Fragment key={contest.tile}>
          {contest.contenders.map((id) => {
            const ship = board.ships.get(id);
            return ship && <path key={id} class="board-link" d={link(chart, ship.tile, contest.tile)} data-contender={id} />;
          })}
          <g class="board-contest" data-contest={contest.tile} transform={place(chart, contest.tile)}>
            <path class="board-contest-ground" d={HEX} />
            <path class="board-contest-border" d={BORDER} />
            <path class="board-swords" d="M-9-9L8 8M9-9L-8 8M-10 3L-3 10M10 3L3 10" />
            <g class="board-rounds" transform="translate(0 17)">
              <rect x="-8" y="-7" width="16" height="14" rx="7" />
              <text y="4">{contest.rounds}</text>
            </g>
          </g>
        </Fragment>
      ))}
    </g>
  );
}

function link(grid: MapShape, from: Tile, to: Tile): string {
  const start = centre(grid, from);
  const end = reachOver(grid, from, to) ? along(grid, from, to, 0.499) : along(grid, from, to, 0.8);
  return `M${start.x} ${start.y}L${end.x} ${end.y}`;
}

/** A ring around a tile: what is selected, pointed at, or asked to be looked at. */
export function TileRing({ grid, tile, kind }: { readonly grid: MapShape; readonly tile: Tile; readonly kind: string }) {
  return <path class={`board-ring ${kind}`} d={RING} transform={place(grid, tile)} data-ring={kind} data-tile={tile} />;
}

/** A sign on every tile that something is wrong with. */
export function Warnings({ grid, warnings }: { readonly grid: MapShape; readonly warnings: Marks["warnings"] }) {
  const tiles = new Map<Tile, string[]>();
  for (const { tile, text } of warnings) tiles.set(tile, [...(tiles.get(tile) ?? []), text]);
  return (
    <g class="board-warnings">
      {[...tiles].map(([tile, texts]) => (
        <g key={tile} data-warning={tile} transform={place(grid, tile)}>
          <title>{texts.join("\n")}</title>
          <path class="board-warning" d="M-16-27L-6-10H-26Z" />
          <path class="board-warning-sign" d="M-16-21.5V-16.5M-16-13.6V-13.5" />
        </g>
      ))}
    </g>
  );
}
