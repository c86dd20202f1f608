// What is under the pointer, in a few lines.
import { nameOf } from "../../frame/names";
import { Emblem } from "../../frame/ui/emblem";
import type { Pointed } from "../board/props";
import { UNKNOWN, sees, shipsAt, yardAt } from "../model/board";
import { tileName } from "../model/hex";
import type { Board, Ship } from "../model/model";
import { type Attacker, fightOdds, percent, tenths } from "../model/odds";
import type { Rules } from "../model/rules";
import { roundsWords } from "../planning/contest";

export interface TileTooltipProps {
  readonly board: Board;
  readonly at: Pointed;
  readonly names: readonly string[];
  readonly rules: Rules;
  /** The own ship that is selected: the odds of a fight are told for it. */
  readonly ship: Ship | null;
}

/** How many ships of a tile are listed. */
const listed = 4;

function groundWords(board: Board, tile: number): string {
  const row = board.chart.terrain[tile] ?? UNKNOWN;
  if (row === UNKNOWN) return "not known";
  const key = board.chart.keys[row] ?? "sea";
  return sees(board, tile) ? key : `${key}, out of sight`;
}

export function TileTooltip({ board, at, names, rules, ship }: TileTooltipProps) {
  const contest = board.contests.get(at.tile);
  // What is there now: since the tile was pointed at, ships may have come and gone.
  const yard = yardAt(board, at.tile);
  const ships = shipsAt(board, at.tile);
  const name = (owner: number) => (owner === board.seat ? "Your" : `${nameOf(names, owner)}'s`);
  const enemy = ships.find((other) => ship !== null && other.owner !== ship.owner);
  return (
    <div class="tile-tooltip panel" aria-hidden="true">
      <div class="soft small">
        {tileName(board.chart, at.tile)} {groundWords(board, at.tile)}
      </div>
      {contest !== undefined && (
        <div class="bad-text">
          Contested by {contest.contenders.map((id) => contenderName(board, id, name)).join(" and ")}.{" "}
          {roundsWords(contest, rules.contestLimit)}
        </div>
      )}
      {yard !== null && (
        <div class="tile-tooltip-line">
          {yard.owner !== null && <Emblem owner={yard.owner} />}
          {yard.owner === null ? "Neutral" : name(yard.owner)} shipyard {yard.id}, {yard.hp}/{yard.maxHp} hp
        </div>
      )}
      {ships.slice(0, listed).map((other) => (
        <div key={other.id} class="tile-tooltip-line">
          <Emblem owner={other.owner} />
          {name(other.owner)} ship {other.id}, {other.hp}/{other.maxHp} hp, speed {other.speed}, hits for {other.damage}
        </div>
      ))}
      {ships.length > listed && <div class="soft">and {ships.length - listed} more</div>}
      {ship !== null && enemy !== undefined && <Odds ship={ship} enemy={enemy} />}
    </div>
  );
}

function contenderName(board: Board, id: number, name: (owner: number) => string): string {
  const ship = board.ships.get(id);
  return ship === undefined ? `ship ${id}` : `${name(ship.owner).replace("Your", "your")} ship ${id}`;
}

function Odds({ ship, enemy }: { readonly ship: Ship; readonly enemy: Ship }) {
  const line = (attacker: Attacker, words: string) => {
    const { first, second } = fightOdds(ship, enemy, 1, attacker);
    return (
      <tr>
        <td>{words}</td>
        <td class="numbers">−{tenths(first.meanLossMilli)}</td>
        <td class="numbers">−{tenths(second.meanLossMilli)}</td>
        <td class="numbers">{percent(first.sinksPpm)}</td>
        <td class="numbers">{percent(second.sinksPpm)}</td>
      </tr>
    );
  };
  return (
    <table class="odds small">
      <thead>
        <tr>
          <th>One exchange</th>
          <th>you</th>
          <th>they</th>
          <th>you sink</th>
          <th>they sink</th>
        </tr>
      </thead>
      <tbody>
        {line("first", "you attack")}
        {line("second", "they attack")}
        {line("coin", "both attack")}
      </tbody>
    </table>
  );
}
