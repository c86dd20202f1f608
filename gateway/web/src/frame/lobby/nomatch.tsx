// A match that cannot be shown, and what can be done about it.
import { Reason } from "../../gen/parley/v1/reason_pb";
import { seats } from "../api/seats";

export interface NoMatchProps {
  readonly id: string;
  readonly reason: Reason;
  readonly sentence: string;
  /** Called after the stored seat was dropped, so that the match is followed without it. */
  readonly onSeat: () => void;
}

export function NoMatch({ id, reason, sentence, onSeat }: NoMatchProps) {
  const seatIsBad = reason === Reason.TOKEN_EXPIRED || reason === Reason.TOKEN_INVALID || reason === Reason.NOT_ALLOWED;
  const stored = seats.of(id);
  const invited = seatIsBad && stored !== null && stored.seat === null;
  const watch = () => {
    seats.drop(id);
    onSeat();
  };
  return (
    <main class="plain">
      <h1 class="unseen">Parley</h1>
      <div class="notice bad" role="alert">
        <p>{invited ? "This invitation is not valid, or not any more. Ask for a new link." : sentence}</p>
        <div class="row">
          <a class="button primary" href="#/">
            To the lobby
          </a>
          {seatIsBad && stored !== null && (
            <button type="button" onClick={watch}>
              {invited ? "Look without it" : "Watch without a seat"}
            </button>
          )}
        </div>
      </div>
    </main>
  );
}
