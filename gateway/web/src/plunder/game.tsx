// The naval game as the frame sees it.
import type { Game } from "../frame/game";
import { ReplayScreen } from "../frame/replay/replay";
import { MatchSession } from "../frame/session/session";
import { plunderHelp } from "./help";
import { plunderLobby } from "./lobby/pieces";
import { MatchScreen } from "./match/match";
import { plunderReplay } from "./replay/pieces";
import { plunderMessages } from "./session/messages";

export const plunder: Game = {
  name: "plunder",
  lobby: plunderLobby,
  help: plunderHelp,
  loading: "Sailing to the match …",
  openMatch: (id, seat, calls) => {
    const session = new MatchSession(id, seat, calls, plunderMessages);
    return { session, screen: () => <MatchScreen session={session} /> };
  },
  Replay: (props) => <ReplayScreen {...props} pieces={plunderReplay} />,
};
