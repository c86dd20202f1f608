// The sign of an owner: one shape each, so that nobody has to tell owners apart by colour alone.

/** Sixteen shapes in a square from -10 to 10, filled by the even-odd rule. */
const SHAPES: readonly string[] = [
  // disc, square, triangle, diamond
  "M0-8A8 8 0 0 1 0 8A8 8 0 0 1 0-8Z",
  "M-7-7H7V7H-7Z",
  "M0-9L9 7H-9Z",
  "M0-10L8 0L0 10L-8 0Z",
  // cross, star, crescent, ring
  "M-3-9H3V-3H9V3H3V9H-3V3H-9V-3H-3Z",
  "M0-10L2.6-3.4L9.6-3.1L4.1 1.3L6 8.1L0 4.2L-6 8.1L-4.1 1.3L-9.6-3.1L-2.6-3.4Z",
  "M4-9A9 9 0 1 0 4 9A7.5 7.5 0 0 1 4-9Z",
  "M0-9A9 9 0 0 1 0 9A9 9 0 0 1 0-9ZM0-4.5A4.5 4.5 0 0 0 0 4.5A4.5 4.5 0 0 0 0-4.5Z",
  // saltire, chevron, two bars, hourglass
  "M-9-6L-6-9L0-3L6-9L9-6L3 0L9 6L6 9L0 3L-6 9L-9 6L-3 0Z",
  "M0-8L9 1V8L0 0L-9 8V1Z",
  "M-8-8H8V-2.5H-8ZM-8 2.5H8V8H-8Z",
  "M-8-9H8L1.6 0L8 9H-8L-1.6 0Z",
  // heart, bolt, frame, three dots
  "M0 9L-8 0A4.6 4.6 0 0 1 0-5A4.6 4.6 0 0 1 8 0Z",
  "M3-10L-7 2H-1L-3 10L7-2H1Z",
  "M-9-9H9V9H-9ZM-4.5-4.5V4.5H4.5V-4.5Z",
  "M0-9A4 4 0 0 1 0-1A4 4 0 0 1 0-9ZM-5 0A4 4 0 0 1-5 8A4 4 0 0 1-5 0ZM5 0A4 4 0 0 1 5 8A4 4 0 0 1 5 0Z",
];

/** How many owners have a shape and a colour of their own; more begin again. */
export const EMBLEMS = SHAPES.length;

/** The shape of an owner as the data of a path, from -10 to 10; to be filled by the even-odd rule. */
export function emblemPath(owner: number): string {
  return SHAPES[owner % EMBLEMS] ?? "";
}

/** The colour of an owner; neutral where there is none. */
export function ownerColour(owner: number | null): string {
  return owner === null ? "var(--ink-soft)" : `var(--p${owner % EMBLEMS})`;
}

/** The sign of an owner in its colour, for lists and sentences. Whoever shows it says the name beside it. */
export function Emblem({ owner, size = 16 }: { readonly owner: number; readonly size?: number }) {
  return (
    <svg class="emblem" width={size} height={size} viewBox="-12 -12 24 24" aria-hidden="true">
      <path d={emblemPath(owner)} fill-rule="evenodd" fill={ownerColour(owner)} stroke="var(--ink)" stroke-width="1.4" stroke-linejoin="round" />
    </svg>
  );
}
