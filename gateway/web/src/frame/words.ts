// Words that every game needs.

/** Things with commas, and an "and" before the last. */
export function listOf(items: readonly string[]): string {
  return items.length <= 1 ? (items[0] ?? "nobody") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
