// The ground that ships are on. It changes only when more of it is seen, and is a layer of its own that is moved as one.
import { useMemo } from "preact/hooks";
import type { Chart } from "../game/model";
import { sizeOf } from "./geometry";
import { groundOf, veilOf } from "./terrain";

export function ChartLayer({ chart }: { readonly chart: Chart }) {
  const { width, height } = sizeOf(chart);
  const ground = useMemo(() => groundOf(chart), [chart.terrain, chart.width, chart.height, chart.keys, chart.wrap]);
  const veil = useMemo(() => veilOf(chart), [chart.terrain, chart.visible]);
  return useMemo(
    () => (
      <svg class="sea-layer sea-chart" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-tiles={chart.terrain.length}>
        <defs>
          <pattern id="sea-hatch" width="14" height="14" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path class="sea-hatch" d="M0 7H14" />
          </pattern>
        </defs>
        <path class="sea-rim" d={ground.all} />
        <path class="sea-deep" d={ground.all} />
        <path class="sea-waves" d={ground.waves} />
        <path class="sea-shallows" d={ground.shallows} />
        <path class="sea-surf" d={ground.coast} />
        <path class="sea-land" d={ground.land} />
        <path class="sea-heights" d={ground.heights} />
        <path class="sea-peaks" d={ground.peaks} />
        <path class="sea-tufts" d={ground.tufts} />
        <path class="sea-coast" d={ground.coast} />
        <path class="sea-quays" d={ground.quays} />
        <path class="sea-anchors" d={ground.anchors} />
        <path class="sea-mesh" d={ground.mesh} />
        {veil.remembered && <path class="sea-remembered" d={veil.remembered} />}
        {veil.unknown && <path class="sea-unknown" d={veil.unknown} />}
        {veil.unknown && <path class="sea-unknown-hatch" d={veil.unknown} fill="url(#sea-hatch)" />}
        <path class="sea-frame" d={ground.all} />
        {ground.seam && <path class="sea-seam" d={ground.seam} />}
      </svg>
    ),
    [ground, veil, width, height],
  );
}
