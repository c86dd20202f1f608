// The ground that ships are on. It changes only when more of it is seen, and is a layer of its own that is moved as one.
import { useMemo } from "preact/hooks";
import type { Chart } from "../model/model";
import { sizeOf } from "./geometry";
import { groundOf, veilOf } from "./terrain";

export function ChartLayer({ chart }: { readonly chart: Chart }) {
  const { width, height } = sizeOf(chart);
  const ground = useMemo(() => groundOf(chart), [chart.terrain, chart.width, chart.height, chart.keys, chart.wrap]);
  const veil = useMemo(() => veilOf(chart), [chart.terrain, chart.visible]);
  return useMemo(
    () => (
      <svg class="board-layer board-chart" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-tiles={chart.terrain.length}>
        <defs>
          <pattern id="board-hatch" width="14" height="14" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path class="board-hatch" d="M0 7H14" />
          </pattern>
        </defs>
        <path class="board-rim" d={ground.all} />
        <path class="board-deep" d={ground.all} />
        <path class="board-waves" d={ground.waves} />
        <path class="board-shallows" d={ground.shallows} />
        <path class="board-surf" d={ground.coast} />
        <path class="board-land" d={ground.land} />
        <path class="board-heights" d={ground.heights} />
        <path class="board-peaks" d={ground.peaks} />
        <path class="board-tufts" d={ground.tufts} />
        <path class="board-coast" d={ground.coast} />
        <path class="board-quays" d={ground.quays} />
        <path class="board-anchors" d={ground.anchors} />
        <path class="board-mesh" d={ground.mesh} />
        {veil.remembered && <path class="board-remembered" d={veil.remembered} />}
        {veil.unknown && <path class="board-unknown" d={veil.unknown} />}
        {veil.unknown && <path class="board-unknown-hatch" d={veil.unknown} fill="url(#board-hatch)" />}
        <path class="board-frame" d={ground.all} />
        {ground.seam && <path class="board-seam" d={ground.seam} />}
      </svg>
    ),
    [ground, veil, width, height],
  );
}
