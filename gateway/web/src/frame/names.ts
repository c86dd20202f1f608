// What players are called, everywhere on the page.

/** What is known of a seat. */
export interface Named {
  readonly seat: number;
  readonly name: string;
  /** The policy of the house bot in it; empty for a player's seat. */
  readonly houseBot: string;
}

/** The policy of a house bot as a name, such as "Raider". */
export function botName(policy: string): string {
  return policy.charAt(0).toUpperCase() + policy.slice(1);
}

/**
 * What everybody is called, by seat. House bots have the names of their policies, and the nameless have numbers. Of
 * those with one name the first has it, and the others are "Raider 2", "Raider 3" and so on.
 */
export function namesOf(seats: readonly Named[]): string[] {
  const names: string[] = [];
  const given = new Set<string>();
  for (const { seat, name, houseBot } of [...seats].sort((a, b) => a.seat - b.seat)) {
    const plain = houseBot === "" ? name.trim() || nameOf([], seat) : botName(houseBot);
    let own = plain;
    for (let count = 2; given.has(own.toLowerCase()); count++) own = `${plain} ${count}`;
    given.add(own.toLowerCase());
    names[seat] = own;
  }
  return names;
}

/** What a player is called; whoever is not known has a number. */
export function nameOf(names: readonly string[], player: number): string {
  return names[player] ?? `Player ${player + 1}`;
}

/** What a player is called within a sentence: "you", or a name. */
export function playerName(seat: number | null, names: readonly string[], player: number): string {
  return player === seat ? "you" : nameOf(names, player);
}

/** Something that belongs to somebody, within a sentence: "your ship 3", "Anna's ship 3". */
export function ownedBy(seat: number | null, names: readonly string[], owner: number, thing: string): string {
  return owner === seat ? `your ${thing}` : `${nameOf(names, owner)}'s ${thing}`;
}
