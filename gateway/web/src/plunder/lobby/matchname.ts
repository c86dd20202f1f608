// Names for new matches, so that a list of them can be told apart.

const FIRST = [
  "Amber", "Breaker", "Cinder", "Coral", "Dusk", "Ember", "Gannet", "Gull", "Harrow", "Heron", "Ivory", "Lantern",
  "Mistral", "North", "Osprey", "Pearl", "Petrel", "Raven", "Salt", "Silver", "Storm", "Tern", "Thorn", "Winter",
];
const SECOND = [
  "Banks", "Bay", "Channel", "Deep", "Firth", "Gate", "Harbour", "Narrows", "Passage", "Reach", "Reef", "Roads",
  "Shoals", "Sound", "Straits", "Waters",
];

/** A name such as "Heron Straits". The draw is from 0 up to, and without, 1. */
export function matchName(draw: () => number = Math.random): string {
  const pick = (words: readonly string[]) => words[Math.floor(draw() * words.length)] ?? "";
  return `${pick(FIRST)} ${pick(SECOND)}`;
}
