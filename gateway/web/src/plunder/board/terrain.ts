// What a chart is drawn as: a few long paths, one per kind of ground.
import type { Chart, Tile } from "../model/model";
import { beside, centre, DIRECTION_NUMBERS, HALF, MARGIN, POINT, ROW, sizeOf } from "./geometry";
import { outlines, scatter, sharpPath, shorePath, softPath } from "./outline";

/** The terrain of a tile that nobody has seen. */
const UNKNOWN = 255;

/** The data of all paths of a chart. */
export interface Ground {
  /** The outline of the whole map. */
  readonly all: string;
  readonly shallows: string;
  readonly land: string;
  readonly coast: string;
  readonly heights: string;
  readonly peaks: string;
  readonly tufts: string;
  readonly waves: string;
  readonly quays: string;
  readonly anchors: string;
  readonly mesh: string;
  /** Signs at both ends of a map that goes on at the other one. */
  readonly seam: string;
}

/** What hides parts of a chart. */
export interface Veil {
  /** The outline of every tile that is not seen now. */
  readonly remembered: string;
  /** The outline of every tile that was never seen. */
  readonly unknown: string;
}

/** The word for a tile's terrain; null where it is not known. */
export function terrainOf(chart: Chart, tile: Tile): string | null {
  const row = chart.terrain[tile] ?? UNKNOWN;
  return row === UNKNOWN ? null : (chart.keys[row] ?? "sea");
}

export function groundOf(chart: Chart): Ground {
  const known = (tile: Tile) => chart.terrain[tile] !== UNKNOWN;
  const is = (key: string) => {
    const row = chart.keys.indexOf(key);
    return (tile: Tile) => row >= 0 && chart.terrain[tile] === row;
  };
  const [deep, land, harbor] = [is("deep"), is("land"), is("harbor")];
  const inland = (tile: Tile) =>
    land(tile) &&
    DIRECTION_NUMBERS.every((direction) => {
      const other = beside(chart, tile, direction);
      return other !== null && (land(other) || !known(other));
    });
  const islands = outlines(chart, land, known);
  const ground = { peaks: "", tufts: "", waves: "", quays: "", anchors: "" };
  for (let tile = 0; tile < chart.terrain.length; tile += 1) {
    const { x, y } = centre(chart, tile);
    const chance = scatter(tile * 7 + 3);
    if (harbor(tile)) {
      ground.quays += `M${x - 19} ${y}a19 19 0 1 1 38 0a19 19 0 1 1-38 0Z`;
      ground.anchors += anchor(x, y);
    } else if (inland(tile)) ground.peaks += peak(x, y, chance);
    else if (land(tile) && chance < 0.6) ground.tufts += tuft(x, y, chance);
    else if (deep(tile) && chance < 0.3) ground.waves += wave(x + chance * 30 - 5, y + scatter(tile) * 24 - 12);
  }
  return {
    all: sharpPath(outlines(chart, () => true, known)),
    shallows: softPath(outlines(chart, (tile) => known(tile) && !deep(tile), known)),
    land: softPath(islands),
    coast: shorePath(islands),
    heights: softPath(outlines(chart, inland, known)),
    ...ground,
    mesh: mesh(chart),
    seam: chart.wrap ? seam(chart) : "",
  };
}

export function veilOf(chart: Chart): Veil {
  const { terrain, visible } = chart;
  const always = () => true;
  const blank = (tile: Tile) => terrain[tile] === UNKNOWN;
  return {
    remembered: visible ? softPath(outlines(chart, (tile) => !visible[tile], always)) : "",
    unknown: softPath(outlines(chart, blank, always)),
  };
}

function anchor(x: number, y: number): string {
  return `M${x} ${y - 6}v17M${x - 5} ${y - 2}h10M${x - 9} ${y + 4}q1 7 9 7q8 0 9-7M${x - 3} ${y - 9}a3 3 0 1 1 6 0a3 3 0 1 1-6 0`;
}

function peak(x: number, y: number, chance: number): string {
  const dx = Math.round(chance * 8 - 4);
  return `M${x - 17 + dx} ${y + 9}l9-16l7 11l5-8l10 13M${x - 8 + dx} ${y - 7}l2 7l-3 4`;
}

function tuft(x: number, y: number, chance: number): string {
  const dx = Math.round(chance * 20 - 6);
  return `M${x - 8 + dx} ${y + 3}l3-6l3 6M${x + dx} ${y + 7}l3-6l3 6`;
}

function wave(x: number, y: number): string {
  return `M${Math.round(x - 9)} ${Math.round(y)}q3-4 6 0t6 0t6 0`;
}

/** The lines between tiles: for each row its upper zigzag and its upright sides, and what closes the last row. */
function mesh({ width, height }: Chart): string {
  const rise = `l${HALF}-${POINT / 2}l${HALF} ${POINT / 2}`;
  const fall = `l${HALF} ${POINT / 2}l${HALF}-${POINT / 2}`;
  let data = "";
  for (let row = 0; row < height; row += 1) {
    const left = MARGIN + HALF * (row & 1);
    const top = MARGIN + ROW * row + POINT / 2;
    data += `M${left} ${top}${rise.repeat(width)}`;
    for (let column = 0; column <= width; column += 1) data += `M${left + 2 * HALF * column} ${top}v${POINT}`;
  }
  return `${data}M${MARGIN + HALF * ((height - 1) & 1)} ${MARGIN + ROW * height}${fall.repeat(width)}`;
}

function seam(chart: Chart): string {
  const { width, height } = sizeOf(chart);
  return [0.25, 0.5, 0.75]
    .map((share) => Math.round(height * share))
    .map((y) => `M22 ${y - 9}l-9 9l9 9m9-18l-9 9l9 9M${width - 22} ${y - 9}l9 9l-9 9m-9-18l9 9l-9 9`)
    .join("");
}
