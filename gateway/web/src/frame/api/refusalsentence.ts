// What the server says, for people.
import { Reason } from "../../gen/parley/v1/reason_pb";

/** Reasons that a person at this page wants put otherwise than a program does. */
const WORDS: Partial<Readonly<Record<Reason, string>>> = {
  [Reason.MATCH_UNKNOWN]: "There is no such match, or it is private and needs an invitation.",
  [Reason.TOKEN_EXPIRED]: "Your seat in this match has expired.",
  [Reason.TOKEN_INVALID]: "The server does not know your seat in this match any more.",
  [Reason.RATE_LIMITED]: "That was a lot at once. Wait a moment and try again.",
  [Reason.DRAINING]: "The server is restarting.",
  [Reason.MATCH_INTERRUPTED]: "The match was interrupted and goes on in a moment.",
  [Reason.MATCH_MOVED]: "The match moves to another server and goes on in a moment.",
  [Reason.OWNER_UNREACHABLE]: "The match moves to another server and goes on in a moment.",
  [Reason.SEAT_TAKEN]: "Every seat of this match is taken.",
  [Reason.ALREADY_STARTED]: "This match has already begun.",
  [Reason.NOT_ASKED]: "Too late: this encounter has been decided.",
  [Reason.OTHER_WINDOW]: "Too late: this encounter has been decided.",
  [Reason.OTHER_TURN]: "Too late: that turn is over.",
  [Reason.TOO_MANY_MATCHES]: "The server has no room for another match right now.",
  [Reason.TOO_MANY_MATCHES_IN_MEMORY]: "The server has no room for another match right now.",
  [Reason.TOO_MANY_WATCHERS]: "Too many people are watching this match right now.",
};

/** One sentence about a reason, or what the server said with a capital and a full stop. */
export function refusalSentence(reason: Reason, said: string): string {
  const words = WORDS[reason];
  if (words !== undefined) return words;
  // Which field of a request is wrong says nothing to whoever did not write it.
  const text = (reason === Reason.FIELD_INVALID ? said.replace(/^[a-z_.[\]0-9]+: /, "") : said).trim();
  if (text === "") return "The server refused without saying why.";
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
