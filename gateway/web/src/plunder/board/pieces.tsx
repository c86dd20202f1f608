// Everything that changes from turn to turn, on a layer of its own: ships, shipyards, contests, marks and effects.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Board, Effect, Tile } from "../model/model";
import { type Berth, berths as berthsOf, LIFT, stacks } from "./berths";
import { ghosts, EffectPlayer } from "./effectplayer";
import { centre, reachOver, sizeOf } from "./geometry";
import { Contests, Courses, Reach, TileRing, Warnings } from "./marks";
import type { BoardViewProps } from "./props";
import { ShipMark } from "./ship";
import { shipWords, yardWords } from "./tilewords";
import { YardMark } from "./yard";

export interface PiecesProps extends Pick<BoardViewProps, "board" | "names" | "marks" | "effects" | "progress"> {
  readonly scale: number;
  readonly hovered: Tile | null;
  readonly cursor: Tile | null;
}

export function Pieces({ board, names, marks, effects, progress, scale, hovered, cursor }: PiecesProps) {
  const { chart, seat } = board;
  const { selectedShip, selectedYard } = marks;
  const { width, height } = sizeOf(chart);
  const facings = useRef(new Map<number, 1 | -1>()).current;
  const layer = useRef<SVGSVGElement>(null);
  const signs = useRef<SVGGElement>(null);
  const player = useRef<EffectPlayer | null>(null);

  const extra = useMemo(() => ghosts(board, effects), [board, effects]);
  const berths = useMemo(() => {
    const places = new Map<number, Berth>(berthsOf(board, selectedShip));
    for (const ship of extra) places.set(ship.id, { ...centre(chart, ship.tile), scale: 1, under: false });
    return places;
  }, [board, extra, selectedShip]);
  const counts = useMemo(() => stacks(board), [board]);
  turnAbout(facings, board, effects);

  useLayoutEffect(() => {
    if (!layer.current || !signs.current) return;
    player.current ??= new EffectPlayer(layer.current, signs.current);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    player.current.set(effects, { board, berths, scale, still });
    if (effects.length > 0) player.current.show(progress());
  }, [board, effects, berths, scale]);
  useEffect(() => {
    if (effects.length === 0) return undefined;
    let frame = requestAnimationFrame(function on() {
      player.current?.show(progress());
      frame = requestAnimationFrame(on);
    });
    return () => cancelAnimationFrame(frame);
  }, [effects, progress]);

  const ships = [...board.ships.values(), ...extra].sort((a, b) => (berths.get(a.id)?.y ?? 0) - (berths.get(b.id)?.y ?? 0));
  const occupied = new Set(ships.map((ship) => ship.tile));
  const selected = selectedShip !== null ? board.ships.get(selectedShip) : undefined;
  const yard = selectedYard !== null ? board.yards.get(selectedYard) : undefined;
  return (
    <svg ref={layer} class="board-layer board-pieces" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-ships={board.ships.size}>
      <Reach grid={chart} reach={marks.reach} />
      {hovered !== null && <TileRing grid={chart} tile={hovered} kind="hovered" />}
      {selected && <TileRing grid={chart} tile={selected.tile} kind="selected" />}
      {yard && <TileRing grid={chart} tile={yard.tile} kind="selected" />}
      <Contests board={board} />
      {[...board.yards.values()].map((each) => (
        <YardMark
          key={each.id}
          yard={each}
          at={occupied.has(each.tile) ? { x: centre(chart, each.tile).x, y: centre(chart, each.tile).y - LIFT } : centre(chart, each.tile)}
          selected={each.id === selectedYard}
          title={yardWords(each, seat, names)}
        />
      ))}
      <Courses grid={chart} courses={marks.courses} />
      <g class="board-ships">
        {ships.map((ship) => {
          const at = berths.get(ship.id);
          return (
            at && (
              <ShipMark
                key={ship.id}
                ship={ship}
                at={at}
                own={ship.owner === seat}
                selected={ship.id === selectedShip}
                facing={facings.get(ship.id) ?? 1}
                badge={marks.badges.get(ship.id) ?? null}
                title={shipWords(ship, seat, names)}
              />
            )
          );
        })}
      </g>
      {counts.map(({ tile, count }) => {
        const { x, y } = centre(chart, tile);
        return (
          <g key={tile} class="board-count" data-count={tile} transform={`translate(${x + 25} ${y + 25})`}>
            <circle r="9" />
            <text y="4.5">{count}</text>
          </g>
        );
      })}
      <Warnings grid={chart} warnings={marks.warnings} />
      {marks.spotlight.map((tile) => (
        <TileRing key={tile} grid={chart} tile={tile} kind="spotlight" />
      ))}
      {cursor !== null && <TileRing grid={chart} tile={cursor} kind="cursor" />}
      <g ref={signs} class="board-effects" />
    </svg>
  );
}

/** Ships look where they sailed last, as long as they are there. */
function turnAbout(facings: Map<number, 1 | -1>, board: Board, effects: readonly Effect[]): void {
  for (const id of facings.keys()) if (!board.ships.has(id)) facings.delete(id);
  for (const effect of effects) {
    if (effect.kind !== "move") continue;
    const from = centre(board.chart, effect.from);
    const to = reachOver(board.chart, effect.from, effect.to)?.out ?? centre(board.chart, effect.to);
    facings.set(effect.ship.id, to.x < from.x ? -1 : 1);
  }
}
