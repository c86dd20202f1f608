// What the server says, for people.

/** Reasons that a person at this page wants put otherwise than a program does. */
const WORDS: Readonly<Record<string, string>> = {
  MATCH_UNKNOWN: "There is no such match, or it is private and needs an invitation.",
  TOKEN_EXPIRED: "Your seat in this match has expired.",
  TOKEN_INVALID: "The server does not know your seat in this match any more.",
  RATE_LIMITED: "That was a lot at once. Wait a moment and try again.",
  DRAINING: "The server is restarting.",
  MATCH_INTERRUPTED: "The match was interrupted and goes on in a moment.",
  MATCH_MOVED: "The match moves to another server and goes on in a moment.",
  OWNER_UNREACHABLE: "The match moves to another server and goes on in a moment.",
  SEAT_TAKEN: "Every seat of this match is taken.",
  ALREADY_STARTED: "This match has already begun.",
  NOT_ASKED: "Too late: this encounter has been decided.",
  OTHER_WINDOW: "Too late: this encounter has been decided.",
  OTHER_TURN: "Too late: that turn is over.",
  TOO_MANY_MATCHES: "The server has no room for another match right now.",
  TOO_MANY_MATCHES_IN_MEMORY: "The server has no room for another match right now.",
  TOO_MANY_WATCHERS: "Too many people are watching this match right now.",
};

/** One sentence about a reason, or what the server said with a capital and a full stop. */
export function refusalSentence(reason: string, said: string): string {
  const words = WORDS[reason];
  if (words !== undefined) return words;
  // Which field of a request is wrong says nothing to whoever did not write it.
  const text = (reason === "FIELD_INVALID" ? said.replace(/^[a-z_.]+: /, "") : said).trim();
  if (text === "") return "The server refused without saying why.";
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
