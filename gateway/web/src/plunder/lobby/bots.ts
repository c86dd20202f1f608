// The house bots, in a few words each.

const WORDS: Readonly<Record<string, string>> = {
  hold: "stays at anchor",
  wander: "sails about without a plan",
  random: "does anything the rules allow",
  cautious: "fights while it is well, then goes home",
  raider: "hunts for fights it will win",
  planner: "tries its orders out first; the strongest",
};

/** What a policy is like; empty for one that is not known here. */
export function botWords(policy: string): string {
  return WORDS[policy] ?? "";
}
