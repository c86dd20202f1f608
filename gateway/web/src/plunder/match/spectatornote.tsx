// What those who do not play any more, or never did, are told about what they see.
import { Icon } from "../../frame/ui/icon";
import { settingsArm } from "../arms";
import type { PlunderState } from "../session/messages";

export function SpectatorNote({ state }: { readonly state: PlunderState }) {
  const settings = state.match?.settings;
  const delay = settings?.spectatorDelayTurns ?? 0;
  const fog = settingsArm(settings?.game)?.fog === true;
  const out = state.seat !== null;
  return (
    <p class="watching chip">
      <Icon name="eye" />
      <span>
        {out ? "You are out." : "You are watching."}
        {fog && ` In fog ${out ? "you see no more of the others" : "spectators see no ships"}; `}
        {fog && "once it is over, the replay shows everything."}
        {delay > 0 && !out && ` You are ${delay === 1 ? "1 turn" : `${delay} turns`} behind the players.`}
      </span>
    </p>
  );
}
