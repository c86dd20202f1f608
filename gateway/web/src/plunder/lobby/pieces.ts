// The naval game in the lobby.
import type { LobbyPieces } from "../../frame/lobby/pieces";
import { botWords } from "./bots";
import { matchName } from "./matchname";
import { LobbyPicture } from "./picture";

export const plunderLobby: LobbyPieces = {
  heading: "Two fleets meet at sea",
  invitation: "Do you challenge them, force passage, or back down?",
  Picture: LobbyPicture,
  sizes: [
    { key: "tiny", title: "Tiny", width: 12, height: 8 },
    { key: "small", title: "Small", width: 16, height: 12 },
    { key: "standard", title: "Standard", width: 20, height: 14 },
    { key: "large", title: "Large", width: 24, height: 18 },
    { key: "huge", title: "Huge", width: 32, height: 24 },
  ],
  usualSize: "small",
  usualBot: "raider",
  maxPlayers: 16,
  tilesPerPlayer: 20,
  usualName: "Captain",
  fogWords: "Fog: you see only what is near your own ships and shipyards",
  starting: "Setting sail …",
  matchName,
  botWords,
};
