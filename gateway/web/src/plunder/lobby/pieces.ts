// The naval game in the lobby.
import type { LobbyPieces } from "../../frame/lobby/pieces";
import { botWords } from "./bots";
import { matchName } from "./matchname";
import { LobbyPicture } from "./picture";
import { MOST_PLAYERS, SIZES, TILES_PER_PLAYER, newGame, sameGame, settingsWords } from "./settings";

export const plunderLobby: LobbyPieces = {
  heading: "Two fleets meet at sea",
  invitation: "Do you challenge them, force passage, or back down?",
  Picture: LobbyPicture,
  sizes: SIZES,
  usualSize: "small",
  usualBot: "raider",
  maxPlayers: MOST_PLAYERS,
  tilesPerPlayer: TILES_PER_PLAYER,
  usualName: "Captain",
  fogWords: "Fog: you see only what is near your own ships and shipyards",
  starting: "Setting sail …",
  matchName,
  botWords,
  newGame,
  sameGame,
  settingsWords,
};
