// The games of this page, one line each; a match is shown by the one whose name it says. Only this file knows both the
// frame and the games.
import type { Game } from "./frame/game";
import { plunder } from "./plunder/game";

export const games: readonly [Game, ...Game[]] = [plunder];
