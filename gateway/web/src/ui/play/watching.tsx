// What spectators are told about what they see.
import type { LiveState } from "../../live/state";
import { Sign } from "./sign";

export function Watching({ state }: { readonly state: LiveState }) {
  const settings = state.match?.settings;
  const delay = settings?.spectatorDelayTurns ?? 0;
  return (
    <p class="watching chip">
      <Sign name="eye" />
      <span>
        You are watching.
        {settings?.fog === true && " In fog spectators see no ships; once it is over, the replay shows everything."}
        {delay > 0 && ` You are ${delay === 1 ? "1 turn" : `${delay} turns`} behind the players.`}
      </span>
    </p>
  );
}
