// Pictures that are small enough for a repository: the same pixels, with the 256 colours that they mostly have.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const MOST_COLOURS = 256;
const FLAT_COLOURS = 96;
const SIGNATURE = 8;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Colours as 0xRRGGBB, row by row. */
  readonly colours: Uint32Array;
}

/** A picture without transparency, with 8 bits for each of red, green and blue, as browsers take them. */
export function slimmer(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png);
  const palette = paletteOf(colours);
  const places = new Map<number, number>();
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const colour = colours[y * width + x] ?? 0;
      const place = places.get(colour) ?? nearest(palette, colour);
      places.set(colour, place);
      rows[y * (width + 1) + 1 + x] = place;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const body = [chunk("IHDR", head), chunk("PLTE", table), chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND")];
  return Buffer.concat([png.subarray(0, SIGNATURE), ...body]);
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(name, 4, "latin1");
  framed.set(data, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, data.length + 8)), data.length + 8);
  return framed;
}

function pixelsOf(png: Buffer): Pixels {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (png[24] !== 8 || png[25] !== 2) throw new Error("the picture is not in 8 bits of red, green and blue");
  const pieces: Buffer[] = [];
  for (let at = SIGNATURE; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) !== "IDAT") continue;
    pieces.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const bytes = unfiltered(inflateSync(Buffer.concat(pieces)), width * 3, height);
  const colours = Uint32Array.from({ length: width * height }, (_, pixel) => bytes.readUIntBE(pixel * 3, 3));
  return { width, height, colours };
}

/** Takes back what each row was filtered with: the difference to what is left of it, above it, or between them. */
function unfiltered(rows: Buffer, stride: number, height: number): Buffer {
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < 3 ? 0 : (bytes[at - 3] ?? 0);
      const above = y === 0 ? 0 : (bytes[at - stride] ?? 0);
      const corner = x < 3 || y === 0 ? 0 : (bytes[at - stride - 3] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      bytes[at] = (rows[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return bytes;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** The most common colours, so that flat surfaces keep theirs, and one for each of the most common other shades. */
function paletteOf(colours: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const flat = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, FLAT_COLOURS).map(([colour]) => colour);
  for (const colour of flat) counts.delete(colour);
  const shades = new Map<number, { all: number; most: number; colour: number }>();
  for (const [colour, count] of counts) {
    const shade = colour & 0xf0f0f0;
    const { all, most, colour: best } = shades.get(shade) ?? { all: 0, most: 0, colour };
    shades.set(shade, { all: all + count, most: Math.max(most, count), colour: count > most ? colour : best });
  }
  const common = [...shades.values()].sort((a, b) => b.all - a.all || a.colour - b.colour);
  return [...flat, ...common.slice(0, MOST_COLOURS - FLAT_COLOURS).map(({ colour }) => colour)];
}

function nearest(palette: readonly number[], colour: number): number {
  let [found, least] = [0, Infinity];
  for (const [place, other] of palette.entries()) {
    const away = [16, 8, 0].reduce((sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0);
    if (away < least) [found, least] = [place, away];
  }
  return found;
}
